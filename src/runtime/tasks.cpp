#include "runtime/tasks.h"

namespace photofinish {

std::atomic<bool> Tasks::active_{false};
std::atomic<std::uint64_t> Tasks::order_{1};
std::atomic<Tasks::Record> Tasks::record_{nullptr};
Tasks::GiveBack Tasks::give_back_ = nullptr;
void (*Tasks::begin_)() = nullptr;
thread_local std::uint32_t Tasks::line_ = 0;

void Tasks::follow(Record record, GiveBack give_back, void (*begin)()) {
  begin_ = begin;
  give_back_ = give_back;
  record_.store(record, std::memory_order_release);
}

void Tasks::begin() {
  if (active() || record_.load(std::memory_order_acquire) == nullptr) return;
  begin_();
  active_.store(true, std::memory_order_release);
}

void Tasks::note(bool acquires, std::uint64_t key, bool rests) {
  if (const Record record = record_.load(std::memory_order_acquire)) record(acquires, key, rests);
}

}  // namespace photofinish

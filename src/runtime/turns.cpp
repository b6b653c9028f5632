#include "runtime/turns.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/tasks.h"

namespace photofinish {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t value = a;
  for (const std::uint64_t word : {b, c}) {  // splitmix64
    value += 0x9e3779b97f4a7c15 + word;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    value ^= value >> 31;
  }
  return value <= Turns::kFirst.value ? value + 2 : value;
}
enum NameKind : std::uint64_t { kCreated, kTeamMember };

// The threads that have names now, by their numbers in the system. Those in excess are left out:
// a replay that is stuck is then not noticed, if they are the ones that run.
class NamedThreads {
 public:
  void add(int id) { replace(0, id); }
  void remove(int id) { replace(id, 0); }
  template <class Visitor>
  bool all(Visitor visit) const {
    return std::all_of(std::begin(ids_), std::end(ids_), [&](const std::atomic<int>& id) {
      const int value = id.load(std::memory_order_relaxed);
      return value == 0 || visit(value);
    });
  }

 private:
  void replace(int from, int to) {
    for (std::atomic<int>& id : ids_)
      if (int expected = from; id.compare_exchange_strong(expected, to)) return;
  }
  std::atomic<int> ids_[1024] = {};
};
constinit NamedThreads g_named;

int thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

// The first bytes of a file of /proc, as text; empty if it cannot be read.
void read_text(const char* path, char* text, std::size_t size) {
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = read(file, text, size - 1);
  text[bytes > 0 ? bytes : 0] = '\0';
  close(file);
}

// Whether the thread waits for another one. Where the system does not show its system call, a
// thread that sleeps counts.
bool is_waiting(int thread) {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  read_text(path, text, sizeof text);
  if (text[0] != '\0') return std::atol(text) == SYS_futex && std::strncmp(text, "running", 7) != 0;
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  read_text(path, text, sizeof text);
  const char* const name_end = std::strrchr(text, ')');
  return name_end == nullptr || name_end[1] == '\0' || name_end[2] == 'S';  // null: it has ended
}

}  // namespace

bool Turns::names_threads_ = false, Turns::has_threads_ = false;
constinit std::atomic<bool> Turns::active_{false};
TurnOrder* Turns::order_ = nullptr;
Turns::Hooks Turns::hooks_;
thread_local ThreadName Turns::self_;
thread_local std::uint64_t Turns::children_ = 0;
thread_local Turns::State Turns::state_ = Turns::State::Outside;
thread_local TurnKind Turns::kind_{};

void Turns::name_threads() {
  names_threads_ = true;
  set_self(kFirst);
}

void Turns::follow(const Hooks& hooks) {
  hooks_ = hooks;
  if (has_threads_) begin();
}

void Turns::begin() {
  has_threads_ = true;
  if (active() || hooks_.begin == nullptr) return;
  order_ = &hooks_.begin();
  active_.store(true, std::memory_order_release);
}

void Turns::set_self(ThreadName name) {
  if (self_ == name) return;
  if (self_ == ThreadName{})
    g_named.add(thread_id());
  else if (name == ThreadName{})
    g_named.remove(thread_id());
  self_ = name;
}

ThreadName Turns::next_child() {
  if (self_ == ThreadName{}) return {};
  return {mixed(self_.value, kCreated, ++children_)};
}

ThreadName Turns::team_member(ThreadName starter, unsigned number) {
  if (starter == ThreadName{} || number == 0) return starter;
  return {mixed(starter.value, kTeamMember, number)};
}

bool Turns::enter(TurnKind kind) {
  state_ = State::Ordered;  // what the tool locks meanwhile is no turn
  kind_ = kind;
  if (Tasks::line() != 0) [[unlikely]]
    hooks_.in_task();
  switch (order_->enter(self_, kind)) {
    case TurnOrder::Entered::Ordered:
      return true;
    case TurnOrder::Entered::Other:
      hooks_.diverge(kind, order_->expected(), false);
      break;
    case TurnOrder::Entered::Stuck:
      hooks_.diverge(kind, order_->expected(), true);
      break;
    case TurnOrder::Entered::End:
      break;
  }
  state_ = State::AfterEnd;
  return false;
}

void Turns::leave(std::int64_t value) {
  if (state_ == State::Ordered) order_->leave({self_, kind_, value});
  state_ = State::Outside;
}

void Turns::drain() {
  if (!active() || !replays()) return;
  if (state_ != State::Outside) leave(0);
  state_ = State::AfterEnd;
  order_->drain(self_);
}

bool Turns::are_blocked() {
  const int self = thread_id();
  return g_named.all([&](int thread) { return thread == self || is_waiting(thread); });
}

}  // namespace photofinish

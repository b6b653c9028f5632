#include "record/turn_order.h"

#include <sched.h>

#include <chrono>

namespace photofinish {
namespace {

constexpr auto kKinds = static_cast<std::uint64_t>(TurnKind::kCount);
constexpr unsigned kPeriod = 200;  // milliseconds between two looks at whether all is stuck
constexpr int kSpins = 200;        // before a thread that waits for its turn sleeps

}  // namespace

// A word: thread * kinds + kind, and whether a value follows. A thread that is new has the next
// number, and its name follows.
std::size_t TurnEncoder::encode(const ThreadTurn& turn, std::uint8_t* room) {
  const auto [entry, fresh] = numbers_.try_emplace(turn.thread, numbers_.size());
  Encoder out(room);
  const std::uint64_t word = entry->second * kKinds + static_cast<std::uint64_t>(turn.kind);
  out.number(word << 1 | (turn.value != 0 ? 1 : 0));
  if (fresh) out.number(turn.thread.value);
  if (turn.value != 0) out.signed_number(turn.value);
  return static_cast<std::size_t>(out.next() - room);
}

bool TurnDecoder::next(ThreadTurn& turn) {
  if (in_.at_end()) {
    if (!in_.ok() || !source_(chunk_) || chunk_.empty()) return false;
    in_ = Decoder(chunk_.data(), chunk_.data() + chunk_.size());
  }
  const std::uint64_t word = in_.number();
  const std::uint64_t thread = (word >> 1) / kKinds;
  if (thread > names_.size()) return in_.fail("a turn of an unknown thread"), false;
  if (thread == names_.size()) names_.push_back({in_.number()});
  turn.thread = names_[thread];
  turn.kind = static_cast<TurnKind>((word >> 1) % kKinds);
  turn.value = (word & 1) != 0 ? in_.signed_number() : 0;
  return in_.ok();
}

TurnOrder::TurnOrder(TurnDecoder::Source source, std::function<bool()> is_blocked)
    : decoder_(std::move(source)), is_blocked_(std::move(is_blocked)) {
  advance();
}

void TurnOrder::advance() {
  inside_ = false;
  if (!at_end_) at_end_ = !decoder_.next(next_);
  number_.fetch_add(1, std::memory_order_release);
}

// Not fair: whoever runs goes on, which is fastest where there are more threads than processors.
TurnOrder::Entered TurnOrder::enter_recorded() {
  for (int tries = 0; busy_.test_and_set(std::memory_order_acquire); ++tries)
    if (tries % 16 == 15) sched_yield();
  return Entered::Ordered;
}

TurnOrder::Entered TurnOrder::enter(ThreadName thread, TurnKind kind) {
  if (!replays()) return enter_recorded();
  std::unique_lock lock(mutex_);
  std::uint64_t seen = number_;
  unsigned waited = 0;
  for (int spins = 0;; ++spins) {
    if (at_end_) return Entered::End;
    if (!inside_ && next_.thread == thread) {
      if (next_.kind != kind) return Entered::Other;
      inside_ = true;
      return Entered::Ordered;
    }
    if (spins < kSpins) {
      const std::uint64_t now = number_;
      lock.unlock();
      for (int i = 0; i < 8 && number_.load(std::memory_order_acquire) == now; ++i) sched_yield();
      lock.lock();
      continue;
    }
    if (advanced_.wait_for(lock, std::chrono::milliseconds(kPeriod)) == std::cv_status::timeout &&
        is_stuck(seen, waited))
      return Entered::Stuck;
  }
}

// Time is counted in periods: a process that a debugger has stopped does not get older.
bool TurnOrder::is_stuck(std::uint64_t& seen, unsigned& waited) {
  if (seen != number_ || !is_blocked_()) {
    seen = number_;
    waited = 0;
    return false;
  }
  return (waited += kPeriod) >= patience_;
}

void TurnOrder::leave(const ThreadTurn& turn) {
  if (!replays()) {
    std::uint8_t bytes[TurnEncoder::kMaxBytes];
    lane_->append(bytes, encoder_.encode(turn, bytes));
    busy_.clear(std::memory_order_release);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    advance();
  }
  advanced_.notify_all();
}

void TurnOrder::drain(ThreadName thread) {
  std::unique_lock lock(mutex_);
  std::uint64_t seen = number_;
  unsigned waited = 0;
  while (!at_end_ && (inside_ || next_.thread != thread))
    if (advanced_.wait_for(lock, std::chrono::milliseconds(kPeriod)) == std::cv_status::timeout &&
        is_stuck(seen, waited))
      return;
}

}  // namespace photofinish

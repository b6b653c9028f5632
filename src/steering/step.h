// The current step of a thread in a confirming run, and helpers shared by the files of Steering.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "base/ticks.h"
#include "steering/steering.h"

namespace photofinish {

inline constexpr std::uint64_t kMs = 1'000'000;
inline std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

inline constexpr std::uint32_t kSides = 3, kOtherSite = 4;

// The call that the thread is in.
struct Step {
  Turn turn = Turn::Proceed;
  bool entered = false;  // and stays in the table: the operation is pending after the call
  bool deferred = false;
  bool complete = false;    // at once
  bool first_side = false;  // it goes first in any meeting
  std::uint32_t sides = 0;
  std::uint32_t slot = 0;
};
inline thread_local Step t_step;
// The meeting that the thread takes part in.
inline thread_local std::uint64_t t_meeting = 0;

inline std::uint64_t task_number() { return static_cast<std::uint64_t>(syscall(SYS_gettid)); }

constexpr bool is_access(Call call) {
  return call == Call::load || call == Call::store || call == Call::release;
}
constexpr bool in_target(AccessKind kind) {
  return kind == AccessKind::Get || kind == AccessKind::Put || kind == AccessKind::Accumulate;
}

// Where both sides are one call site, the ranks decide which is whose, if it is known who is to
// meet.
inline std::uint32_t side_of_rank(const Schedule& schedule, WorldRank rank, std::uint32_t sides) {
  if (sides != 3 || schedule.sides[0].rank == schedule.sides[1].rank) return sides;
  return rank == schedule.sides[0].rank ? 1 : rank == schedule.sides[1].rank ? 2 : 3;
}

// A load or store that went first is over when its thread reaches the next hook; one of a loop,
// when it synchronizes with another thread or makes a call.
enum class Unfinished { Nothing, Access, Loop };
inline thread_local Unfinished t_unfinished = Unfinished::Nothing;

// Exclusive access to the table, for as long as it takes to read or change some entries. A process
// that dies meanwhile leaves it locked: then nothing is steered any more.
template <class Change>
void Steering::with_table(Change change) {
  const std::uint64_t since = now_ns();
  std::atomic_ref<std::uint32_t> taken(table_->taken);
  for (std::uint32_t free = 0; !taken.compare_exchange_weak(free, 1, std::memory_order_acquire);
       free = 0) {
    if (now_ns() - since > 1000 * kMs) return;
    std::this_thread::yield();
  }
  change(*table_);
  taken.store(0, std::memory_order_release);
}

}  // namespace photofinish

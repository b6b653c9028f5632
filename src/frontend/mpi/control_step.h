// What a thread of a confirming run is doing at the moment, for the files that control.h is made
// of.
#pragma once

#include <cstdint>

#include "base/ticks.h"
#include "frontend/mpi/control.h"

namespace photofinish::mpi {

inline constexpr std::uint64_t kMs = 1'000'000;
inline std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

constexpr bool takes_messages(Action action) {
  return action == Action::Receive || action == Action::SendReceive ||
         action == Action::SendReceiveReplace || action == Action::Probe ||
         action == Action::MatchedProbe;
}

// What the thread is in the middle of.
struct Step {
  Turn turn = Turn::GoOn;
  bool posted = false;  // and stays on the board: it goes on after the call
  bool put_off = false;
  bool first_side = false;  // it is to go first, whoever comes
  std::uint32_t sides = 0;
  std::uint32_t place = 0;
  bool steered = false;  // a receive, towards this message
  int source = 0, tag = 0;
};
inline thread_local Step t_step;

}  // namespace photofinish::mpi

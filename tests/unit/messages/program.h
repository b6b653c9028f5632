// A random message-passing program, and one run of it. Any sublist of steps is a program, too:
// failures shrink.
#pragma once

#include <rapidcheck.h>
#include <cstdint>
#include <ostream>
#include <vector>

#include "execution.h"

namespace photofinish::testing {

enum class Do : std::uint8_t {
  Send,
  Receive,
  Isend,
  Irecv,
  Wait,
  WaitAll,
  Exchange,
  Probe,
  Cancel,
  Edge,
  Barrier,
  SplitBarrier,
  Lock,
  Unlock,
  CancelledSend,
  kCount
};

struct Step {
  Do what{};
  std::uint8_t process = 0;  // modulo the number of processes
  std::uint8_t a = 0, b = 0, c = 0;
};

// The focus of a family of programs, so that rare cases are reached.
enum class Focus : std::uint8_t {
  Everything,
  Posted,
  Blocking,
  Synchronous,
  Tags,
  Probes,
  Cancels,
  Order,
  Locks
};
inline constexpr Focus kFocuses[] = {Focus::Everything,  Focus::Posted, Focus::Blocking,
                                     Focus::Synchronous, Focus::Tags,   Focus::Probes,
                                     Focus::Cancels,     Focus::Order,  Focus::Locks};
const char* name_of(Focus focus);

struct Program {
  Focus focus{};
  int processes = 2;
  std::vector<Step> steps;
  std::vector<std::uint8_t> schedule;  // which process is next; then random, seeded by the last
                                       // element
  std::uint16_t stop = 0;              // not 0: stopped after this many happenings
};

rc::Gen<Program> programs(Focus focus);
void showValue(const Program& program, std::ostream& out);

// Matches messages by the rules, in an order that the schedule selects. Ends when all processes
// have ended or are stuck.
Execution run(const Program& program);

}  // namespace photofinish::testing

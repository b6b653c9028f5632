// A random program: a list of small steps of ranks, from which the simulator deterministically
// makes an execution. A step that is impossible in the current state is skipped. So any sublist of
// steps is a program, too, and failures shrink.
#pragma once

#include <rapidcheck.h>
#include <cstdint>
#include <ostream>
#include <vector>

namespace photofinish::testing {

enum class Do : std::uint8_t {
  Load,
  Store,
  OneSided,
  Fence,
  Post,
  StartEpoch,
  CompleteEpoch,
  WaitEpoch,
  Lock,
  LockAll,
  Unlock,
  Flush,
  WinSync,
  SwitchMode,
  WinLife,
  Send,
  Receive,
  PostReceive,
  Rendezvous,
  Exchange,
  Probe,
  MatchedProbe,
  Prepare,
  Start,
  Deliver,
  Wait,
  Test,
  WaitAll,
  WaitSome,
  GetStatus,
  FreeRequest,
  Collective,
  Join,
  MakeComm,
  Flag,
  Ticket,
  SpinLock,
  QueueLock,
  AnyAtomic,
  Progress,
  kCount
};

struct Step {
  Do what{};
  std::uint8_t rank = 0;                    // modulo the number of ranks
  std::uint8_t a = 0, b = 0, c = 0, d = 0;  // parameters, interpreted by the step
};

// The focus of a family of programs, so that rare cases are reached.
enum class Focus : std::uint8_t {
  Everything,
  Locks,
  Fences,
  Epochs,
  Messages,
  SplitPhase,
  Atomics,
  Datatypes,
  Buffers
};
inline constexpr Focus kFocuses[] = {Focus::Everything, Focus::Locks,     Focus::Fences,
                                     Focus::Epochs,     Focus::Messages,  Focus::SplitPhase,
                                     Focus::Atomics,    Focus::Datatypes, Focus::Buffers};
const char* name_of(Focus focus);

struct Program {
  Focus focus{};
  int ranks = 2;
  int windows = 1;
  std::uint32_t shape = 0;  // bits that select kinds of communicators and windows
  std::vector<Step> steps;
};

rc::Gen<Program> programs(Focus focus);
// Prints the execution of the program.
void showValue(const Program& program, std::ostream& out);

}  // namespace photofinish::testing

#include "frontend/mpi/turns.h"

#include "frontend/mpi/interceptor.h"
#include "runtime/turns.h"

namespace photofinish::mpi {
namespace {

// Neither is a process that the program has forked.
bool is_program() {
  return t_inside == 0 && t_journal == nullptr && !t_in_hook && Recorder::get() != nullptr;
}

TurnOrder& begin() { return Journaling::get()->begin_turns(); }

void note_task() {
  complain_once(
      "an explicit OpenMP task takes a lock, uses an atomic or calls MPI: which thread executes it "
      "is not recorded, so a replay may diverge (docs/record-replay.md)");
}

void diverge(TurnKind asked, const ThreadTurn& expected, bool stuck) {
  Journaling* const journaling = Journaling::get();
  Recorder* const recorder = Recorder::get();
  Task* const task = recorder != nullptr ? task_of(*recorder) : nullptr;
  if (journaling != nullptr && task != nullptr)
    journaling->leave_order(*task, asked, expected, stuck);
}

}  // namespace

void follow_turns() {
  Turns::follow(
      {.is_program = is_program, .begin = begin, .in_task = note_task, .diverge = diverge});
}

void note_atomic(std::uint64_t begins) {
  static thread_local bool t_in_turn = false;
  if (begins != 0) {
    if (!Turns::here()) [[likely]]
      return;
    guarded([&] {
      Turns::enter(TurnKind::Atomic);
      t_in_turn = true;
    });
  } else if (t_in_turn) {
    t_in_turn = false;
    guarded([] { Turns::leave(0); });
  }
}

}  // namespace photofinish::mpi

// UPC's part in an explored run: atomics on one place in shared memory are made in turn, and so are
// the calls on a lock. The gate is steering/object_gate.h.
//
// Not controlled: other accesses to shared memory, strict ones, too; semaphores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/call.h"
#include "upc_runtime/position.h"

namespace photofinish::upc {

class Interception;

namespace explored {

// An event of the program begins.
void begin_call(Call call);

struct Atomic {
  Position at;
  std::size_t bytes;
  int operation;
  const void *fetched, *operand1, *operand2;
};
bool enter(Interception& call, Call family, const Atomic& atomic);
void leave(const Atomic& atomic);
template <class Made>
void update(Interception& call, Call family, const Atomic& atomic, Made made) {
  const bool in_turn = enter(call, family, atomic);
  made();
  if (in_turn) leave(atomic);
}

enum class LockCall { Acquire, Attempt, Release };
bool enter(Interception& call, LockCall what, const Position& lock);
void leave(LockCall what, bool failed);
template <class Made>
void use_lock(Interception& call, LockCall what, const Position& lock, const bool& failed,
              Made made) {
  const bool in_turn = enter(call, what, lock);
  made();
  if (in_turn) leave(what, failed);
}

}  // namespace explored
}  // namespace photofinish::upc

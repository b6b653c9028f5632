// Explored runs: the order of atomic operations in lock epochs, and of exclusive window locks
// (steering/object_gate.h). What an exclusive lock protects has its order from the lock.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "frontend/mpi/context.h"

namespace photofinish {
class ObjectGate;
}

namespace photofinish::mpi {

class WindowTurns {
 public:
  // Around a call, on the thread that makes it.
  void before(ObjectGate& gate, const Context& c);
  void after(ObjectGate& gate, const Context& c);

 private:
  using Epoch = std::pair<std::uint64_t, std::int32_t>;  // window, target
  static Epoch epoch_of(const Context& c);
  bool is_operation(const Context& c, Epoch epoch) const;

  std::set<Epoch> epochs_;     // of this rank
  std::set<Epoch> exclusive_;  // of these: exclusive, at the gate
  bool operates_ = false;
};

}  // namespace photofinish::mpi

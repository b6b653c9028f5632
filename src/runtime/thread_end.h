// What is to be done when a thread ends.
//
// Destructors of the program's thread-local variables and thread-specific data run in the thread,
// before others can join it. Those of thread-specific data run in rounds, as long as one of them
// sets its data again, but not in more than PTHREAD_DESTRUCTOR_ITERATIONS. Ours sets its data until
// the last round. Limit: what a destructor of the program does in the last two rounds comes later.
#pragma once

#include <cstdint>

namespace photofinish {

class ThreadEnd {
 public:
  // One after the other, in this order.
  enum class Step : std::uint8_t { Release, Detach };
  // The calling thread calls the function when it ends.
  static void call(Step step, void (*function)());
};

}  // namespace photofinish

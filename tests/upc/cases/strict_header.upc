// upc_strict.h: accesses are strict unless they are relaxed.
#include <upc_strict.h>
#include "check.h"

shared int ready;
shared int data[THREADS];
relaxed shared int other;

CASE(accesses_are_strict) {
  if (MYTHREAD == THREADS - 1) {
    data[0] = 5;
    ready = 1;
  }
  while (!ready)
    ;
  CHECK(data[0] == 5);
}

CASE(with_relaxed_objects) {
  upc_barrier;
  if (MYTHREAD == 0) other = 4;
  upc_barrier;
  CHECK(other == 4);
}

CASE(a_relaxed_pragma_in_a_block) {
#pragma upc relaxed
  data[MYTHREAD] = MYTHREAD;
  upc_barrier;
  for (int i = 0; i < THREADS; i++) CHECK(data[i] == i);
}

int main(void) {
  RUN(accesses_are_strict);
  RUN(with_relaxed_objects);
  RUN(a_relaxed_pragma_in_a_block);
  return done();
}

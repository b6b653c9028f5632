// Strict and relaxed accesses.
#include <upc_relaxed.h>
#include "check.h"

strict shared int flag;
strict shared int flags[THREADS];
shared strict long word;
relaxed shared int data;
shared int plain[THREADS];
typedef strict shared int strict_int;
strict_int turn;
strict shared struct { int a, b; } pair;

CASE(a_flag_hands_data_over) {
  if (MYTHREAD == 0) {
    data = 123;
    flag = 1;
  }
  while (flag == 0)
    ;
  CHECK(data == 123);
}

CASE(flags_around_a_ring) {
  if (MYTHREAD == 0) flags[0] = 1;
  while (flags[MYTHREAD] == 0)
    ;
  plain[MYTHREAD] = 7;
  if (MYTHREAD + 1 < THREADS) flags[MYTHREAD + 1] = 1;
  while (flags[THREADS - 1] == 0)
    ;
}

CASE(turns) {
  while (turn != MYTHREAD)
    ;
  data = data + 1;
  turn = MYTHREAD + 1;
  while (turn != THREADS)
    ;
  CHECK(data == 123 + THREADS);
}

CASE(other_sizes) {
  if (MYTHREAD == THREADS - 1) {
    word = 1l << 40;
    pair.b = 6;
  }
  upc_barrier;
  CHECK(word == 1l << 40 && pair.b == 6);
}

CASE(pointers_to_strict) {
  strict shared int *p = &flags[MYTHREAD];
  *p = 50 + MYTHREAD;
  upc_barrier;
  strict shared int *q = &plain[0];
  CHECK(flags[THREADS - 1] == 49 + THREADS && *q == 7);
}

CASE(a_pragma_for_a_block) {
  static shared int ready;
  {
#pragma upc strict
    if (MYTHREAD == THREADS - 1) ready = 1;
    while (ready == 0)
      ;
  }
  CHECK(ready == 1);
}

CASE(a_pragma_for_the_rest_of_a_function) {
#pragma upc strict
  static shared int ready;
  if (MYTHREAD == 0) ready = 2;
  while (ready == 0)
    ;
  CHECK(ready == 2);
}

CASE(structs) {
  if (MYTHREAD == 0) pair.a = 5;
  upc_barrier;
  CHECK(pair.a == 5 && pair.b == 6);
}

CASE(fences) {
  if (MYTHREAD == 0) {
    plain[0] = 8;
    upc_fence;
    flag = 2;
  }
  while (flag != 2)
    ;
  CHECK(plain[0] == 8);
}

int main(void) {
  RUN(a_flag_hands_data_over);
  RUN(flags_around_a_ring);
  RUN(turns);
  RUN(other_sizes);
  RUN(pointers_to_strict);
  RUN(a_pragma_for_a_block);
  RUN(a_pragma_for_the_rest_of_a_function);
  RUN(structs);
  RUN(fences);
  return done();
}

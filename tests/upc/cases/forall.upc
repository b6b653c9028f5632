// upc_forall.
#include "check.h"

shared int owner[10 * THREADS];
shared [4] int blocked[10 * THREADS];
shared int counts[THREADS];

CASE(integer_affinity) {
  upc_forall (int i = 0; i < 10 * THREADS; i++; i) owner[i] = MYTHREAD;
  upc_barrier;
  for (int i = 0; i < 10 * THREADS; i++) CHECK(owner[i] == i % THREADS);
}

CASE(negative_integers) {
  int mine = 0;
  upc_forall (int i = -3 * THREADS; i < 0; i++; i) mine += (i % THREADS + THREADS) % THREADS == MYTHREAD;
  CHECK(mine == 3);
}

CASE(pointer_affinity) {
  upc_forall (int i = 0; i < 10 * THREADS; i++; &blocked[i]) blocked[i] = MYTHREAD;
  upc_barrier;
  for (int i = 0; i < 10 * THREADS; i++) CHECK(blocked[i] == i / 4 % THREADS);
}

CASE(shared_void_affinity) {
  int mine = 0;
  for (int k = 0; k < THREADS; k++) {
    shared void *p = &owner[k];
    upc_forall (int i = 0; i < 3; i++; p) mine++;
  }
  CHECK(mine == 3);
}

CASE(continue_means_all) {
  int count = 0;
  upc_forall (int i = 0; i < 5; i++; continue) count++;
  CHECK(count == 5);
}

CASE(no_affinity_means_all) {
  int count = 0;
  upc_forall (int i = 0; i < 5; i++; ) count++;
  CHECK(count == 5);
}

CASE(the_outer_loop_controls) {
  int inner = 0;
  upc_forall (int i = 0; i < THREADS; i++; i)
    upc_forall (int j = 0; j < 7; j++; j) inner++;
  CHECK(inner == 7);
}

CASE(continue_does_not_control) {
  int inner = 0;
  upc_forall (int i = 0; i < 3; i++; continue)
    upc_forall (int j = 0; j < 2 * THREADS; j++; j) inner++;
  CHECK(inner == 6);
}

static int loop(void) {
  int count = 0;
  upc_forall (int j = 0; j < 4; j++; j) count++;
  return count;
}

CASE(control_is_dynamic) {
  upc_forall (int i = 0; i < THREADS; i++; i) CHECK(loop() == 4);
  int total = loop();
  CHECK(total == 4 / THREADS + (MYTHREAD < 4 % THREADS));
}

CASE(continue_in_the_body) {
  int count = 0;
  upc_forall (int i = 0; i < 4 * THREADS; i++; i) {
    if (i / THREADS == 1) continue;
    count++;
  }
  CHECK(count == 3);
}

static int leave(void) {
  upc_forall (int i = 0; i < THREADS; i++; i) return 1;
  return 0;
}

CASE(a_loop_that_is_left_controls_no_more) {
  CHECK(leave() == 1);
  int count = 0;
  upc_forall (int i = 0; i < 2 * THREADS; i++; i) count++;
  CHECK(count == 2);
}

CASE(else_belongs_to_the_if_before) {
  int taken = 0;
  if (MYTHREAD < 0)
    upc_forall (int i = 0; i < 3; i++; i) taken = 1;
  else
    taken = 2;
  CHECK(taken == 2);
}

CASE(a_variable_from_outside) {
  int i;
  upc_forall (i = 0; i < 3 * THREADS; i += 1; i) counts[i % THREADS] = i;
  CHECK(i == 3 * THREADS);
  upc_barrier;
  CHECK(counts[MYTHREAD] == 2 * THREADS + MYTHREAD);
}

CASE(affinity_by_expression) {
  int count = 0;
  upc_forall (int i = 0; i < 12 * THREADS; i++; i / 12) count += i / 12 == MYTHREAD;
  CHECK(count == 12);
}

CASE(in_a_switch_and_a_while) {
  int count = 0, n = 2;
  while (n-- > 0) switch (n) {
      case 0: upc_forall (int i = 0; i < THREADS; i++; i) count++; break;
      default: upc_forall (int i = 0; i < 2 * THREADS; i++; i) count++;
    }
  CHECK(count == 3);
}

int main(void) {
  RUN(integer_affinity);
  RUN(negative_integers);
  RUN(pointer_affinity);
  RUN(shared_void_affinity);
  RUN(continue_means_all);
  RUN(no_affinity_means_all);
  RUN(the_outer_loop_controls);
  RUN(continue_does_not_control);
  RUN(control_is_dynamic);
  RUN(continue_in_the_body);
  RUN(a_loop_that_is_left_controls_no_more);
  RUN(else_belongs_to_the_if_before);
  RUN(a_variable_from_outside);
  RUN(affinity_by_expression);
  RUN(in_a_switch_and_a_while);
  return done();
}

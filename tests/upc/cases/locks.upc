// Locks, barriers, split-phase barriers.
#include "check.h"

upc_lock_t *shared published;
upc_lock_t *lock;
shared int counter;
shared int slots[THREADS];

CASE(a_lock_protects) {
  lock = upc_all_lock_alloc();
  CHECK(lock != NULL);
  for (int i = 0; i < 20; i++) {
    upc_lock(lock);
    counter = counter + 1;
    upc_unlock(lock);
  }
  upc_barrier;
  CHECK(counter == 20 * THREADS);
}

CASE(an_attempt_fails_while_it_is_held) {
  upc_lock(lock);
  upc_unlock(lock);
  upc_barrier;
  if (MYTHREAD == 0) upc_lock(lock);
  upc_barrier;
  if (MYTHREAD != 0) CHECK(upc_lock_attempt(lock) == 0);
  upc_barrier;
  if (MYTHREAD == 0) upc_unlock(lock);
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    CHECK(upc_lock_attempt(lock) == 1);
    upc_unlock(lock);
  }
}

CASE(a_lock_of_one_thread) {
  if (MYTHREAD == 0) {
    published = upc_global_lock_alloc();
    counter = 0;
  }
  upc_barrier;
  upc_lock(published);
  counter += 2;
  upc_unlock(published);
  upc_barrier;
  CHECK(counter == 2 * THREADS);
  if (MYTHREAD == 0) upc_lock_free(published);
}

CASE(each_call_of_upc_global_lock_alloc_makes_a_lock) {
  upc_lock_t *mine = upc_global_lock_alloc();
  upc_lock(mine);
  upc_barrier;
  upc_unlock(mine);
  upc_lock_free(mine);
}

CASE(upc_all_lock_free_is_collective) {
  upc_all_lock_free(lock);
}

CASE(barriers_with_equal_values) {
  upc_barrier 5;
  upc_barrier(THREADS + 2);
  upc_barrier;
  if (MYTHREAD % 2) { upc_barrier 9; } else { upc_barrier; }
}

CASE(a_barrier_orders) {
  for (int k = 0; k < 5; k++) {
    slots[MYTHREAD] = k;
    upc_barrier k;
    for (int i = 0; i < THREADS; i++) CHECK(slots[i] == k);
    upc_barrier;
  }
}

CASE(notify_and_wait) {
  slots[MYTHREAD] = 100;
  upc_notify 3;
  int local = 0;
  for (int i = 0; i < 10; i++) local += i;
  upc_wait 3;
  for (int i = 0; i < THREADS; i++) CHECK(slots[i] == 100 && local == 45);
  upc_barrier;
}

CASE(notify_and_wait_in_an_if) {
  if (MYTHREAD == 0) upc_notify; else upc_notify;
  upc_wait;
}

int main(void) {
  RUN(a_lock_protects);
  RUN(an_attempt_fails_while_it_is_held);
  RUN(a_lock_of_one_thread);
  RUN(each_call_of_upc_global_lock_alloc_makes_a_lock);
  RUN(upc_all_lock_free_is_collective);
  RUN(barriers_with_equal_values);
  RUN(a_barrier_orders);
  RUN(notify_and_wait);
  RUN(notify_and_wait_in_an_if);
  return done();
}

// Copies, blocking and non-blocking; castability; ticks; extensions of Berkeley UPC.
#include "check.h"
#include <upc_nb.h>
#include <upc_castable.h>
#include <upc_tick.h>
#include <bupc_extensions.h>

#define N 50
#define NEXT ((MYTHREAD + 1) % THREADS)
#define LAST ((MYTHREAD + THREADS - 1) % THREADS)
shared [N] int a[N * THREADS], b[N * THREADS];
bupc_sem_t *shared semaphores[THREADS];

static void fill(int add) {
  for (int i = 0; i < N; i++) a[N * MYTHREAD + i] = 1000 * MYTHREAD + i + add;
  upc_barrier;
}

CASE(memget) {
  int mine[N];
  fill(0);
  upc_memget(mine, &a[N * NEXT], sizeof mine);
  for (int i = 0; i < N; i++) CHECK(mine[i] == 1000 * NEXT + i);
}

CASE(memput) {
  int mine[N];
  for (int i = 0; i < N; i++) mine[i] = 3 * i + MYTHREAD;
  upc_memput(&b[N * NEXT], mine, sizeof mine);
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK(b[N * MYTHREAD + i] == 3 * i + LAST);
}

CASE(memcpy_between_threads) {
  fill(1);
  upc_memcpy(&b[N * ((MYTHREAD + 2) % THREADS)], &a[N * NEXT], N * sizeof(int));
  upc_barrier;
  int from = (MYTHREAD + THREADS - 2 % THREADS + 1) % THREADS;
  for (int i = 0; i < N; i++) CHECK(b[N * MYTHREAD + i] == 1000 * from + i + 1);
}

CASE(memset_of_another_thread) {
  upc_memset(&b[N * NEXT], 1, N * sizeof(int));
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK(b[N * MYTHREAD + i] == 0x01010101);
}

CASE(parts_of_blocks) {
  int two[2];
  fill(2);
  upc_memget(two, &a[N * NEXT + 20], sizeof two);
  CHECK(two[0] == 1000 * NEXT + 22 && two[1] == 1000 * NEXT + 23);
}

CASE(non_blocking_copies) {
  int got[N], put[N];
  fill(3);
  for (int i = 0; i < N; i++) put[i] = -i;
  upc_handle_t get = upc_memget_nb(got, &a[N * NEXT], sizeof got);
  upc_handle_t set = upc_memput_nb(&b[N * NEXT], put, sizeof put);
  upc_sync(get);
  upc_sync(set);
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK(got[i] == 1000 * NEXT + i + 3 && b[N * MYTHREAD + i] == -i);
}

CASE(non_blocking_copies_without_handles) {
  int got[N];
  fill(4);
  upc_memget_nbi(got, &a[N * NEXT], sizeof got);
  upc_memset_nbi(&b[N * MYTHREAD], 0, N * sizeof(int));
  upc_synci();
  upc_memcpy_nbi(&b[N * MYTHREAD], &a[N * NEXT], sizeof(int));
  upc_synci();
  CHECK(got[N - 1] == 1000 * NEXT + N + 3 && b[N * MYTHREAD] == 1000 * NEXT + 4 && b[N * MYTHREAD + 1] == 0);
}

CASE(attempts) {
  int got[N];
  fill(5);
  upc_handle_t handle = upc_memget_nb(got, &a[N * NEXT], sizeof got);
  while (!upc_sync_attempt(handle))
    ;
  while (!upc_synci_attempt())
    ;
  CHECK(got[7] == 1000 * NEXT + 12);
  upc_sync(UPC_COMPLETE_HANDLE);
}

CASE(casts_of_own_memory) {
  int *mine = upc_cast(&a[N * MYTHREAD]);
  CHECK(mine != NULL && mine == (int *)&a[N * MYTHREAD]);
  if (THREADS > 1) CHECK(upc_cast(&a[N * NEXT]) == NULL);
  CHECK(upc_thread_info(MYTHREAD).guaranteedCastable == UPC_CASTABLE_ALL);
}

CASE(ticks) {
  upc_tick_t before = upc_ticks_now();
  upc_tick_t after = upc_ticks_now();
  CHECK(after >= before && upc_ticks_to_ns(after - before) < 1000000000000ul && bupc_ticks_to_us(5000) == 5);
}

CASE(asynchronous_copies_of_berkeley_upc) {
  int got[N];
  fill(6);
  bupc_handle_t handle = bupc_memget_async(got, &a[N * NEXT], sizeof got);
  bupc_waitsync(handle);
  CHECK(got[3] == 1000 * NEXT + 9);
  bupc_poll();
}

CASE(counting_semaphores) {
  semaphores[MYTHREAD] = bupc_sem_alloc(BUPC_SEM_INTEGER | BUPC_SEM_MPRODUCER);
  upc_barrier;
  CHECK(bupc_sem_try(semaphores[MYTHREAD]) == 0);
  upc_barrier;
  bupc_sem_post(semaphores[NEXT]);
  bupc_sem_postN(semaphores[NEXT], 2);
  bupc_sem_wait(semaphores[MYTHREAD]);
  bupc_sem_waitN(semaphores[MYTHREAD], 2);
  CHECK(bupc_sem_try(semaphores[MYTHREAD]) == 0);
  upc_barrier;
  bupc_sem_free(semaphores[MYTHREAD]);
}

CASE(a_put_with_a_signal) {
  int value = 70 + MYTHREAD;
  semaphores[MYTHREAD] = bupc_sem_alloc(BUPC_SEM_BOOLEAN);
  upc_barrier;
  bupc_memput_signal(&b[N * NEXT], &value, sizeof value, semaphores[NEXT], 1);
  bupc_sem_wait(semaphores[MYTHREAD]);
  CHECK(b[N * MYTHREAD] == 70 + LAST);
}

int main(void) {
  RUN(memget);
  RUN(memput);
  RUN(memcpy_between_threads);
  RUN(memset_of_another_thread);
  RUN(parts_of_blocks);
  RUN(non_blocking_copies);
  RUN(non_blocking_copies_without_handles);
  RUN(attempts);
  RUN(casts_of_own_memory);
  RUN(ticks);
  RUN(asynchronous_copies_of_berkeley_upc);
  RUN(counting_semaphores);
  RUN(a_put_with_a_signal);
  return done();
}

// Shared memory at run time.
#include "check.h"

shared [] int *shared parts[THREADS];
shared [2] int *shared published;

CASE(upc_all_alloc_is_one_object) {
  shared [4] int *a = upc_all_alloc(3 * THREADS, 4 * sizeof(int));
  CHECK(upc_threadof(a) == 0 && upc_phaseof(a) == 0);
  upc_forall (int i = 0; i < 12 * THREADS; i++; &a[i]) a[i] = 7 * i;
  upc_barrier;
  for (int i = 0; i < 12 * THREADS; i++) CHECK(a[i] == 7 * i && upc_threadof(&a[i]) == i / 4 % THREADS);
  upc_all_free(a);
}

CASE(upc_all_alloc_with_other_blocks) {
  shared [5] char *a = upc_all_alloc(THREADS, 100);
  shared [3] int *b = upc_all_alloc(4 * THREADS, 3 * sizeof(int));
  for (int i = 0; i < 3; i++) b[3 * MYTHREAD + i] = 10 * MYTHREAD + i;
  upc_barrier;
  for (int i = 0; i < 3 * THREADS; i++) CHECK(b[i] == 10 * (i / 3) + i % 3);
  CHECK(upc_threadof(&a[5]) == 1 % THREADS && upc_phaseof(&a[7]) == 2);
  upc_all_free(b);
  upc_all_free(a);
}

CASE(upc_global_alloc_is_called_by_one) {
  if (MYTHREAD == THREADS - 1) published = upc_global_alloc(2 * THREADS, 2 * sizeof(int));
  upc_barrier;
  shared [2] int *a = published;
  a[2 * MYTHREAD] = MYTHREAD;
  upc_barrier;
  for (int i = 0; i < THREADS; i++) CHECK(a[2 * i] == i && upc_threadof(&a[2 * i]) == i);
  upc_barrier;
  if (MYTHREAD == 0) upc_free(a);
}

CASE(upc_alloc_is_local) {
  shared [] int *p = upc_alloc(10 * sizeof(int));
  CHECK(upc_threadof(p) == MYTHREAD && upc_threadof(p + 9) == MYTHREAD);
  int *mine = (int *)p;
  for (int i = 0; i < 10; i++) mine[i] = 100 * MYTHREAD + i;
  parts[MYTHREAD] = p;
  upc_barrier;
  for (int i = 0; i < THREADS; i++) CHECK(parts[i][9] == 100 * i + 9);
  upc_barrier;
  upc_free(parts[(MYTHREAD + 1) % THREADS]);
}

CASE(ragged_arrays) {
  parts[MYTHREAD] = upc_alloc((MYTHREAD + 1) * sizeof(int));
  for (int i = 0; i <= MYTHREAD; i++) parts[MYTHREAD][i] = MYTHREAD * i;
  upc_barrier;
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i <= t; i++) CHECK(parts[t][i] == t * i);
  upc_barrier;
  upc_free(parts[MYTHREAD]);
}

CASE(memory_is_used_again) {
  size_t first = 0;
  for (int i = 0; i < 1000; i++) {
    shared void *p = upc_alloc(50000);
    CHECK(p != NULL);
    if (i == 0) first = upc_addrfield(p);
    CHECK(upc_addrfield(p) == first);
    upc_free(p);
  }
}

CASE(no_bytes_no_memory) {
  CHECK(upc_alloc(0) == NULL && upc_all_alloc(0, 5) == NULL);
  upc_free(NULL);
}

CASE(too_much_is_null) {
  shared void *p = upc_alloc(1ul << 40);
  CHECK(p == NULL);
  CHECK(upc_all_alloc(THREADS, 1ul << 39) == NULL);
}

CASE(many_blocks_do_not_overlap) {
  shared [] int *p[20];
  for (int i = 0; i < 20; i++) {
    p[i] = upc_alloc((i + 1) * 100 * sizeof(int));
    for (int k = 0; k < (i + 1) * 100; k++) p[i][k] = i;
  }
  for (int i = 0; i < 20; i++)
    for (int k = 0; k < (i + 1) * 100; k++) CHECK(p[i][k] == i);
  for (int i = 0; i < 20; i++) upc_free(p[i]);
}

CASE(all_threads_allocate_at_once) {
  shared int *p[10];
  for (int i = 0; i < 10; i++) {
    p[i] = upc_global_alloc(THREADS, sizeof(int));
    p[i][MYTHREAD] = 1000 * MYTHREAD + i;
  }
  upc_barrier;
  for (int i = 0; i < 10; i++) CHECK(p[i][MYTHREAD] == 1000 * MYTHREAD + i);
  for (int i = 0; i < 10; i++) upc_free(p[i]);
}

CASE(large_blocks) {
  shared [200000] double *a = upc_all_alloc(THREADS, 200000 * sizeof(double));
  a[200000 * MYTHREAD + 199999] = MYTHREAD;
  upc_barrier;
  for (int i = 0; i < THREADS; i++) CHECK(a[200000 * i + 199999] == i && upc_threadof(&a[200000 * i + 1]) == i);
  upc_all_free(a);
}

int main(void) {
  RUN(upc_all_alloc_is_one_object);
  RUN(upc_all_alloc_with_other_blocks);
  RUN(upc_global_alloc_is_called_by_one);
  RUN(upc_alloc_is_local);
  RUN(ragged_arrays);
  RUN(memory_is_used_again);
  RUN(no_bytes_no_memory);
  RUN(too_much_is_null);
  RUN(many_blocks_do_not_overlap);
  RUN(all_threads_allocate_at_once);
  RUN(large_blocks);
  return done();
}

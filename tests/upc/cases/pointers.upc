// Pointers to shared: arithmetic, comparison, conversion.
#include "check.h"

shared int cyclic[8 * THREADS];
shared [3] int blocked[12 * THREADS];
shared [] int indefinite[10];
shared int *shared in_shared;
shared [3] int *shared each_thread[THREADS];
shared int *pointers[4];

CASE(increment_goes_to_the_next_thread) {
  shared int *p = cyclic;
  for (int i = 0; i < 8 * THREADS; i++, p++) CHECK(upc_threadof(p) == i % THREADS && p == &cyclic[i]);
}

CASE(increment_crosses_blocks) {
  shared [3] int *p = blocked;
  for (int i = 0; i < 12 * THREADS; i++) CHECK(upc_threadof(p) == i / 3 % THREADS && upc_phaseof(p++) == i % 3);
}

CASE(negative_arithmetic) {
  shared [3] int *p = &blocked[12 * THREADS - 1];
  for (int i = 12 * THREADS - 1; i >= 0; i--, p--) CHECK(p == &blocked[i]);
  p = &blocked[7];
  CHECK(p - 5 == &blocked[2] && upc_phaseof(p - 5) == 2);
  CHECK(&p[-6] == &blocked[1]);
}

CASE(difference) {
  CHECK(&blocked[11] - &blocked[2] == 9);
  CHECK(&blocked[2] - &blocked[11] == -9);
  CHECK(&cyclic[8 * THREADS - 1] - cyclic == 8 * THREADS - 1);
  CHECK(&indefinite[7] - &indefinite[3] == 4);
}

CASE(comparison) {
  CHECK(&blocked[2] < &blocked[3] && &blocked[5] > &blocked[4] && &cyclic[1] >= &cyclic[1]);
  CHECK(&blocked[2] != &blocked[3]);
}

CASE(compound_assignment) {
  shared [3] int *p = blocked;
  p += 10;
  CHECK(p == &blocked[10]);
  p -= 4;
  CHECK(p == &blocked[6]);
}

CASE(null_pointers) {
  shared int *p = NULL;
  shared [] int *q = 0;
  shared void *v = p;
  CHECK(!p && !q && !v && p == NULL);
  p = v;
  CHECK(p == NULL && (int *)p == NULL && (shared [5] int *)q == NULL);
  p = cyclic;
  CHECK(p != NULL && p);
}

CASE(casts_change_blocks_and_reset_the_phase) {
  shared [3] int *p = &blocked[4];
  shared [] int *q = (shared [] int *)p;
  CHECK(upc_threadof(q) == upc_threadof(p) && upc_addrfield(q) == upc_addrfield(p) && upc_phaseof(q) == 0);
  CHECK(upc_threadof(q + 1) == upc_threadof(p));
  shared [5] int *r = (shared [5] int *)p;
  CHECK(upc_threadof(r) == upc_threadof(p) && upc_phaseof(r) == 0 && upc_addrfield(r) == upc_addrfield(p));
  CHECK(upc_threadof(r + 4) == upc_threadof(p) && upc_threadof(r + 5) == (upc_threadof(p) + 1) % THREADS);
  CHECK(upc_addrfield(r + 5 * THREADS) == upc_addrfield(p) + 5 * sizeof(int));
}

CASE(a_cast_changes_the_way_through_memory) {
  shared [] int *p = (shared [] int *)&cyclic[MYTHREAD];
  for (int i = 0; i < 8; i++) p[i] = 10 * MYTHREAD + i;
  upc_barrier;
  for (int i = 0; i < 8 * THREADS; i++) CHECK(cyclic[i] == 10 * (i % THREADS) + i / THREADS);
}

CASE(shared_void_keeps_the_phase) {
  shared [3] int *p = &blocked[5];
  shared void *v = p;
  shared [3] int *q = v;
  CHECK(q == p && upc_phaseof(q) == 2 && q + 1 == &blocked[6]);
  CHECK(upc_threadof(v) == upc_threadof(p));
}

CASE(equal_although_blocks_start_differently) {
  shared [3] int *p = &blocked[1];
  shared [3] int *q = (shared [3] int *)(shared [] int *)p;
  CHECK(upc_phaseof(p) == 1 && upc_phaseof(q) == 0);
  CHECK(p == q && !(p != q));
  shared void *v = p, *w = q;
  CHECK(v == w && v == p);
}

CASE(upc_resetphase_stays_at_the_address) {
  shared [3] int *p = &blocked[5];
  shared [3] int *q = upc_resetphase(p);
  CHECK(upc_phaseof(q) == 0 && upc_addrfield(q) == upc_addrfield(p) && upc_threadof(q) == upc_threadof(p));
}

CASE(private_pointers_to_own_memory) {
  int *mine = (int *)&cyclic[MYTHREAD];
  for (int i = 0; i < 8; i++) mine[i] = 1000 * MYTHREAD + i;
  upc_barrier;
  for (int i = 0; i < 8 * THREADS; i++) CHECK(cyclic[i] == 1000 * (i % THREADS) + i / THREADS);
}

CASE(pointers_in_shared_memory) {
  if (MYTHREAD == 0) in_shared = &cyclic[3];
  upc_barrier;
  CHECK(in_shared == &cyclic[3]);
  upc_barrier;
  if (MYTHREAD == THREADS - 1) *in_shared = 77;
  upc_barrier;
  CHECK(cyclic[3] == 77);
}

CASE(arrays_of_pointers_in_shared_memory) {
  each_thread[MYTHREAD] = &blocked[MYTHREAD + 2];
  upc_barrier;
  for (int i = 0; i < THREADS; i++) CHECK(each_thread[i] == &blocked[i + 2] && upc_phaseof(each_thread[i]) == (i + 2) % 3);
}

CASE(private_arrays_of_pointers) {
  for (int i = 0; i < 4; i++) pointers[i] = cyclic + i;
  if (MYTHREAD == 0)
    for (int i = 0; i < 4; i++) *pointers[i] = 5 * i;
  upc_barrier;
  for (int i = 0; i < 4; i++) CHECK(*pointers[i] == 5 * i && pointers[i][0] == 5 * i);
}

static shared int *advance(shared int *p, int n) { return p + n; }
static void set(shared [3] int *p, int value) { *p = value; }

CASE(as_arguments_and_results) {
  CHECK(advance(cyclic, 5) == &cyclic[5]);
  void (*function)(shared [3] int *, int) = set;
  if (MYTHREAD == 0) function(&blocked[4], 99);
  upc_barrier;
  CHECK(blocked[4] == 99);
}

CASE(pointers_to_pointers) {
  shared int *p = &cyclic[1], **pp = &p;
  *pp += 2;
  CHECK(p == &cyclic[3]);
}

CASE(conditional_expressions) {
  shared int *p = MYTHREAD % 2 ? &cyclic[1] : &cyclic[2];
  CHECK(p - cyclic == (MYTHREAD % 2 ? 1 : 2));
  p = MYTHREAD >= 0 ? p : NULL;
  CHECK(p != NULL);
}

shared [2] int rows[2 * THREADS][6];
CASE(pointers_to_rows) {
  shared [2] int (*row)[6] = &rows[1];
  CHECK(&(*row)[0] == &rows[1][0] && &row[1][2] == &rows[2][2]);
  CHECK(sizeof(*row) == 6 * sizeof(int));
}

int main(void) {
  RUN(increment_goes_to_the_next_thread);
  RUN(increment_crosses_blocks);
  RUN(negative_arithmetic);
  RUN(difference);
  RUN(comparison);
  RUN(compound_assignment);
  RUN(null_pointers);
  RUN(casts_change_blocks_and_reset_the_phase);
  RUN(a_cast_changes_the_way_through_memory);
  RUN(shared_void_keeps_the_phase);
  RUN(equal_although_blocks_start_differently);
  RUN(upc_resetphase_stays_at_the_address);
  RUN(private_pointers_to_own_memory);
  RUN(pointers_in_shared_memory);
  RUN(arrays_of_pointers_in_shared_memory);
  RUN(private_arrays_of_pointers);
  RUN(as_arguments_and_results);
  RUN(pointers_to_pointers);
  RUN(conditional_expressions);
  RUN(pointers_to_rows);
  return done();
}

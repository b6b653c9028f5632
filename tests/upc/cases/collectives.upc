// Collectives and atomics.
#include "check.h"
#include <upc_atomic.h>
#include <upc_collective.h>

#define SYNC (UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC)
#define MYSYNC (UPC_IN_MYSYNC | UPC_OUT_MYSYNC)
shared [4] int to[4 * THREADS];
shared [] int one[4];
shared [3] int numbers[7 * THREADS], sums[7 * THREADS];
shared int cyclic[THREADS], permutation[THREADS];
shared [] int all[2 * 64];
shared int result;
shared double mean;
shared long counter;
shared float smallest;
shared int *shared link_word;

CASE(broadcast) {
  if (MYTHREAD == 0)
    for (int i = 0; i < 4; i++) one[i] = 11 * i;
  upc_all_broadcast(to, one, 4 * sizeof(int), SYNC);
  for (int i = 0; i < 4; i++) CHECK(to[4 * MYTHREAD + i] == 11 * i);
}

CASE(scatter_and_gather) {
  if (MYTHREAD == 0)
    for (int i = 0; i < 2 * THREADS; i++) all[i] = 5 * i;
  upc_all_scatter(to, all, 2 * sizeof(int), MYSYNC);
  CHECK(to[4 * MYTHREAD] == 10 * MYTHREAD && to[4 * MYTHREAD + 1] == 10 * MYTHREAD + 5);
  to[4 * MYTHREAD] += 1;
  upc_all_gather(all, to, 2 * sizeof(int), SYNC);
  for (int i = 0; i < THREADS; i++) CHECK(all[2 * i] == 10 * i + 1 && all[2 * i + 1] == 10 * i + 5);
}

CASE(gather_all) {
  shared [64] int *table = upc_all_alloc(THREADS, 64 * sizeof(int));
  to[4 * MYTHREAD] = 8 * MYTHREAD;
  upc_all_gather_all(table, to, sizeof(int), SYNC);
  for (int i = 0; i < THREADS; i++) CHECK(table[64 * MYTHREAD + i] == 8 * i);
  upc_all_free(table);
}

CASE(exchange) {
  shared [64] int *from = upc_all_alloc(THREADS, 64 * sizeof(int));
  shared [64] int *into = upc_all_alloc(THREADS, 64 * sizeof(int));
  for (int i = 0; i < THREADS; i++) from[64 * MYTHREAD + i] = 100 * MYTHREAD + i;
  upc_all_exchange(into, from, sizeof(int), SYNC);
  for (int i = 0; i < THREADS; i++) CHECK(into[64 * MYTHREAD + i] == 100 * i + MYTHREAD);
  upc_all_free(from);
  upc_all_free(into);
}

CASE(permute) {
  permutation[MYTHREAD] = (MYTHREAD + 1) % THREADS;
  cyclic[MYTHREAD] = 20 + MYTHREAD;
  upc_all_permute(to, cyclic, permutation, sizeof(int), SYNC);
  CHECK(to[4 * MYTHREAD] == 20 + (MYTHREAD + THREADS - 1) % THREADS);
}

CASE(without_synchronization) {
  to[4 * MYTHREAD] = 0;
  if (MYTHREAD == 0) one[0] = 3;
  upc_barrier;
  upc_all_broadcast(to, one, sizeof(int), UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
  upc_barrier;
  CHECK(to[4 * MYTHREAD] == 3);
}

static int difference(int a, int b) { return a - b; }
static int larger(int a, int b) { return a > b ? a : b; }

CASE(reduce) {
  upc_forall (int i = 0; i < 7 * THREADS; i++; &numbers[i]) numbers[i] = i + 1;
  upc_all_reduceI(&result, numbers, UPC_ADD, 7 * THREADS, 3, NULL, SYNC);
  CHECK(result == 7 * THREADS * (7 * THREADS + 1) / 2);
  upc_all_reduceI(&result, numbers, UPC_MAX, 7 * THREADS, 3, NULL, SYNC);
  CHECK(result == 7 * THREADS);
  upc_all_reduceI(&result, numbers, UPC_MIN, 7 * THREADS, 3, NULL, SYNC);
  CHECK(result == 1);
  upc_all_reduceI(&result, numbers, UPC_XOR, 3, 3, NULL, SYNC);
  CHECK(result == (1 ^ 2 ^ 3));
}

CASE(reduce_from_the_middle_of_a_block) {
  upc_all_reduceI(&result, &numbers[2], UPC_ADD, 4, 3, NULL, SYNC);
  CHECK(result == 3 + 4 + 5 + 6);
}

CASE(reduce_with_functions) {
  upc_all_reduceI(&result, numbers, UPC_FUNC, 7 * THREADS, 3, larger, SYNC);
  CHECK(result == 7 * THREADS);
  upc_all_reduceI(&result, numbers, UPC_NONCOMM_FUNC, 5, 3, difference, SYNC);
  CHECK(result == 1 - 2 - 3 - 4 - 5);
}

CASE(reduce_of_doubles) {
  shared double *values = upc_all_alloc(THREADS, sizeof(double));
  values[MYTHREAD] = 0.5;
  upc_all_reduceD(&mean, values, UPC_ADD, THREADS, 1, NULL, SYNC);
  CHECK(mean == 0.5 * THREADS);
  upc_all_free(values);
}

CASE(prefix_reduce) {
  upc_all_prefix_reduceI(sums, numbers, UPC_ADD, 7 * THREADS, 3, NULL, SYNC);
  for (int i = 0; i < 7 * THREADS; i++) CHECK(sums[i] == (i + 1) * (i + 2) / 2);
}

CASE(prefix_reduce_in_place) {
  upc_all_prefix_reduceI(sums, sums, UPC_MAX, 7 * THREADS, 3, NULL, MYSYNC);
  upc_barrier;  // the parts of others are not complete before
  for (int i = 0; i < 7 * THREADS; i++) CHECK(sums[i] == (i + 1) * (i + 2) / 2);
}

CASE(atomic_add) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | UPC_INC | UPC_GET, 0);
  long two = 2, before = -1, now = 0;
  for (int i = 0; i < 10; i++) upc_atomic_relaxed(domain, &before, UPC_ADD, &counter, &two, NULL);
  upc_atomic_strict(domain, NULL, UPC_INC, &counter, NULL, NULL);
  upc_barrier;
  upc_atomic_relaxed(domain, &now, UPC_GET, &counter, NULL, NULL);
  CHECK(now == 21 * THREADS && before >= 0 && before < now);
  upc_all_atomicdomain_free(domain);
}

CASE(atomic_set_and_swap) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_SET | UPC_CSWAP | UPC_SUB | UPC_DEC, 0);
  long hundred = 100, one = 1, old = 0;
  upc_atomic_relaxed(domain, NULL, UPC_SET, &counter, &hundred, NULL);
  upc_barrier;
  long mine = 1000 + MYTHREAD;
  upc_atomic_relaxed(domain, &old, UPC_CSWAP, &counter, &hundred, &mine);
  upc_barrier;
  CHECK(counter >= 1000 && counter < 1000 + THREADS && (old == 100) == (counter == mine));
  upc_barrier;
  upc_atomic_relaxed(domain, NULL, UPC_SUB, &counter, &one, NULL);
  upc_atomic_relaxed(domain, NULL, UPC_DEC, &counter, NULL, NULL);
  upc_barrier;
  CHECK(counter >= 1000 - 2 * THREADS && counter < 1000 + THREADS - 2 * THREADS);
}

CASE(atomic_min_of_floats) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_FLOAT, UPC_MIN | UPC_SET, 0);
  float start = 100, mine = 2.5f + MYTHREAD;
  if (MYTHREAD == 0) upc_atomic_strict(domain, NULL, UPC_SET, &smallest, &start, NULL);
  upc_barrier;
  upc_atomic_strict(domain, NULL, UPC_MIN, &smallest, &mine, NULL);
  upc_barrier;
  CHECK(smallest == 2.5f);
}

CASE(atomic_bits) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_INT, UPC_OR | UPC_AND, UPC_ATOMIC_HINT_LATENCY);
  if (MYTHREAD == 0) result = 0;
  upc_barrier;
  int bit = 1 << MYTHREAD;
  upc_atomic_relaxed(domain, NULL, UPC_OR, &result, &bit, NULL);
  upc_barrier;
  CHECK(result == (1 << THREADS) - 1);
}

CASE(atomic_pointers) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_PTS, UPC_SET | UPC_GET, 0);
  shared int *p = &cyclic[THREADS - 1], *q = NULL;
  if (MYTHREAD == 0) upc_atomic_strict(domain, NULL, UPC_SET, &link_word, &p, NULL);
  upc_barrier;
  upc_atomic_relaxed(domain, &q, UPC_GET, &link_word, NULL, NULL);
  CHECK(q == p);
}

int main(void) {
  RUN(broadcast);
  RUN(scatter_and_gather);
  RUN(gather_all);
  RUN(exchange);
  RUN(permute);
  RUN(without_synchronization);
  RUN(reduce);
  RUN(reduce_from_the_middle_of_a_block);
  RUN(reduce_with_functions);
  RUN(reduce_of_doubles);
  RUN(prefix_reduce);
  RUN(prefix_reduce_in_place);
  RUN(atomic_add);
  RUN(atomic_set_and_swap);
  RUN(atomic_min_of_floats);
  RUN(atomic_bits);
  RUN(atomic_pointers);
  return done();
}

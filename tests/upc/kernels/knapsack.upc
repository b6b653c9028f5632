// 0-1 knapsack by dynamic programming (paper: figure 1). build_table reads weight[0] and value[0] while thread 0 may not have
// written them yet. With -DFIXED a barrier separates them.
// confirm 1: confirmed, harmful
// confirm 2: confirmed, harmful
#include <stdio.h>
#include <stdlib.h>
#include <upc_relaxed.h>

#define ITEMS 12
#define CAPACITY 60
#define LARGEST 10

shared int weight[ITEMS], value[ITEMS];
shared int *total;

static int build_table(int items, int capacity, shared int *T, shared int *w, shared int *v) {
  int wj, vj;
  wj = w[0];  // race 1
  vj = v[0];  // race 2
  upc_forall (int i = 0; i < wj; i++; &T[i]) T[i] = 0;
  upc_forall (int i = wj; i <= capacity; i++; &T[i]) T[i] = vj;
  upc_barrier;
  for (int j = 1; j < items; j++) {
    wj = w[j];
    vj = v[j];
    shared int *row = T + (capacity + 1) * j, *above = row - (capacity + 1);
    upc_forall (int i = 0; i < wj && i <= capacity; i++; &row[i]) row[i] = above[i];
    upc_forall (int i = wj; i <= capacity; i++; &row[i]) row[i] = above[i] > above[i - wj] + vj ? above[i] : above[i - wj] + vj;
    upc_barrier;
  }
  return T[(capacity + 1) * items - 1];
}

// By one thread.
static int expected(void) {
  int best[CAPACITY + 1] = {0};
  for (int j = 0; j < ITEMS; j++)
    for (int i = CAPACITY; i >= weight[j]; i--)
      if (best[i - weight[j]] + value[j] > best[i]) best[i] = best[i - weight[j]] + value[j];
  return best[CAPACITY];
}

int main(void) {
  srand48(13 + MYTHREAD);
  total = upc_all_alloc(ITEMS * (CAPACITY + 1), sizeof(int));
  upc_forall (int i = 0; i < ITEMS; i++; i) {
    weight[i] = 1 + lrand48() % LARGEST;  // race 1
    value[i] = 1 + lrand48() % LARGEST;  // race 2
  }
#ifdef FIXED
  upc_barrier;
#endif
  const int best = build_table(ITEMS, CAPACITY, total, weight, value);
  upc_barrier;
  if (MYTHREAD == 0) printf("knapsack: %s\n", best == expected() ? "passed" : "failed");
  return 0;
}

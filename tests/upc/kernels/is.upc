// Sorts integers by buckets, one for each thread (papers: NPB IS). No race.
#include <stdio.h>
#include <stdlib.h>
#include <upc_relaxed.h>
#include <upc_collective.h>

#define KEYS 256  // of each thread
#define RANGE 1024

shared [] int *shared buckets[THREADS];  // of all threads' keys, behind each other
shared [] int *shared sizes[THREADS];    // sizes[from][to]
shared int last[THREADS];

int main(void) {
  int keys[KEYS], count[THREADS], counts[RANGE] = {0};
  srand48(5 + MYTHREAD);
  for (int t = 0; t < THREADS; t++) count[t] = 0;
  for (int i = 0; i < KEYS; i++) {
    keys[i] = lrand48() % RANGE;
    count[keys[i] * THREADS / RANGE]++;
  }
  sizes[MYTHREAD] = upc_alloc(THREADS * sizeof(int));
  for (int t = 0; t < THREADS; t++) sizes[MYTHREAD][t] = count[t];
  buckets[MYTHREAD] = upc_alloc(KEYS * THREADS * sizeof(int));
  upc_barrier;
  int at[THREADS];
  for (int t = 0; t < THREADS; t++) {
    at[t] = 0;
    for (int from = 0; from < MYTHREAD; from++) at[t] += sizes[from][t];
  }
  for (int i = 0; i < KEYS; i++) {
    const int to = keys[i] * THREADS / RANGE;
    buckets[to][at[to]++] = keys[i];
  }
  upc_barrier;
  int mine = 0;
  for (int from = 0; from < THREADS; from++) mine += sizes[from][MYTHREAD];
  const int *bucket = (const int *)buckets[MYTHREAD];
  for (int i = 0; i < mine; i++) counts[bucket[i]]++;
  int largest = -1, smallest = RANGE;
  for (int key = 0; key < RANGE; key++)
    if (counts[key] > 0) {
      if (smallest == RANGE) smallest = key;
      largest = key;
    }
  last[MYTHREAD] = largest;
  upc_barrier;
  int wrong = MYTHREAD > 0 && mine > 0 && last[MYTHREAD - 1] >= smallest;
  if (wrong) printf("is: failed\n");
  upc_barrier;
  if (MYTHREAD == 0) printf("is: %s\n", wrong ? "failed" : "passed");
  return 0;
}

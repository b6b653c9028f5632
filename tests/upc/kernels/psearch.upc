// Parallel search of an unbalanced tree with work stealing (paper: psearch). Thieves look at work_available without the lock, and
// look again with it. At the end, threads wait for each other at a barrier of their own: a counter that they read without its lock.
// Nobody reads `searched` before all have written it.
// confirm 1: confirmed
// confirm 2: confirmed
// confirm 3: not reproduced
#include <stdio.h>
#include <unistd.h>
#include <upc_relaxed.h>

#define DEEPEST 9
#define STACK 4096

typedef struct {
  unsigned seed;
  int depth;
} node;

shared [STACK] node stacks[STACK * THREADS];
shared int work_available[THREADS];
upc_lock_t *shared locks[THREADS];
shared int searched[THREADS];
shared int idle, arrived;
upc_lock_t *idle_lock, *arrival_lock;

static unsigned child_seed(unsigned seed, int i) {
  unsigned s = seed * 2654435761u + 40503u * (i + 1);
  return s ^ (s >> 13);
}
static int children(node n) { return n.depth >= DEEPEST ? 0 : n.depth < 3 ? 3 : n.seed % 5; }

static int sequential(node n) {
  int count = 1;
  for (int i = 0; i < children(n); i++) count += sequential((node){child_seed(n.seed, i), n.depth + 1});
  return count;
}

static void set_work(int of, int amount) {
  work_available[of] = amount;  // race 1
}

static void push(node n) {
  upc_lock(locks[MYTHREAD]);
  const int top = work_available[MYTHREAD];
  stacks[STACK * MYTHREAD + top] = n;
  set_work(MYTHREAD, top + 1);
  upc_unlock(locks[MYTHREAD]);
}

static int take(int from, node *n) {
  if (work_available[from] == 0) return 0;  // race 1
  int found = 0;
  upc_lock(locks[from]);
  const int top = work_available[from];
  if (top > 0) {
    *n = stacks[STACK * from + top - 1];
    set_work(from, top - 1);
    found = 1;
  }
  upc_unlock(locks[from]);
  return found;
}

static int change_idle(int change) {
  upc_lock(idle_lock);
  const int now = idle + change;
  idle = now;
  upc_unlock(idle_lock);
  return now;
}

static int steal(node *n) {
  for (int i = 1; i < THREADS; i++)
    if (take((MYTHREAD + i) % THREADS, n)) return 1;
  return 0;
}

static int find_work(node *n) {
  if (take(MYTHREAD, n)) return 1;
  change_idle(1);
  for (;;) {
    if (change_idle(0) == THREADS) return 0;
    change_idle(-1);
    if (steal(n)) return 1;
    change_idle(1);
    usleep(200);
  }
}

static void wait_for_all(void) {
  upc_lock(arrival_lock);
  arrived++;  // race 2
  upc_unlock(arrival_lock);
  while (arrived < THREADS) {  // race 2
    upc_fence;
    usleep(200);
  }
}

int main(void) {
  const node root = {42, 0};
  locks[MYTHREAD] = upc_global_lock_alloc();
  idle_lock = upc_all_lock_alloc();
  arrival_lock = upc_all_lock_alloc();
  upc_barrier;
  if (MYTHREAD == 0) push(root);
  upc_barrier;
  int count = 0;
  for (node n; find_work(&n);) {
    count++;
    for (int i = 0; i < children(n); i++) push((node){child_seed(n.seed, i), n.depth + 1});
  }
  searched[MYTHREAD] = count;  // race 3
  wait_for_all();
  int total = 0;
  for (int i = 0; i < THREADS; i++)
    total += searched[i];  // race 3
  upc_barrier;
  if (MYTHREAD == 0) printf("psearch: %s\n", total == sequential(root) ? "passed" : "failed");
  return 0;
}

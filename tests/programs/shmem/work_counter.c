// Work is handed out by an atomic counter; results go to places of their own.
#include "pes.h"
// run: ranks=3
// output: sum 190
// expect no race

enum { kItems = 20 };

int main(void) {
  begin();
  long* next = longs(1);
  long* results = longs(kItems);
  for (;;) {
    const long item = shmem_long_atomic_fetch_inc(next, 0);
    if (item >= kItems) break;
    shmem_long_p(&results[item], item, 0);
  }
  shmem_barrier_all();
  if (me == 0) {
    long sum = 0;
    for (int i = 0; i < kItems; ++i) sum += results[i];
    printf("sum %ld\n", sum);
  }
  shmem_finalize();
}

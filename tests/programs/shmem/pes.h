// Shared by the programs of this folder: the number of this PE and of all. The racing calls are in
// the programs themselves, so that reports have their lines.
#pragma once
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, pes;

static inline void begin(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
}

// `count` longs on each PE, zero when it returns.
static inline long* longs(int count) {
  long* memory = shmem_malloc(count * sizeof(long));
  memset(memory, 0, count * sizeof(long));
  shmem_barrier_all();
  return memory;
}

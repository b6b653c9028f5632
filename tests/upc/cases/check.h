// For the cases: each is a function that all threads run. A program prints "ok N cases" if no check
// fails.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc.h>

static int failures, cases;

#define CASE(name) static void name(void)
#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      printf("%s:%d: thread %d of %d: %s\n", __FILE__, __LINE__, MYTHREAD, THREADS, #condition); \
      failures++;                                                                                \
    }                                                                                            \
  } while (0)
#define RUN(name) (upc_sync_all(), name(), cases++)

static void upc_sync_all(void) { upc_barrier; }

static int done(void) {
  upc_barrier;
  if (failures == 0 && MYTHREAD == 0) printf("ok %d cases\n", cases);
  return failures != 0;
}

// UPC 1.3 castability: a thread can cast pointers to its own shared memory.
#pragma once
#include <upc.h>

#define UPC_CASTABLE_ALL 3
#define UPC_CASTABLE_ALLOC 1
#define UPC_CASTABLE_STATIC 2

typedef struct {
  int guaranteedCastable;
  int probablyCastable;
} upc_thread_info_t;

void* upc_cast(shared const void* pointer);
upc_thread_info_t upc_thread_info(size_t thread);

// UPC 1.3: utilities, memory, locks.
#pragma once
#include <stddef.h>

#define UPC_MAX_BLOCK_SIZE 137437904896

typedef shared[] struct __upc_lock upc_lock_t;

void upc_global_exit(int status) __attribute__((noreturn));

shared void* upc_all_alloc(size_t blocks, size_t bytes);
shared void* upc_global_alloc(size_t blocks, size_t bytes);
shared void* upc_alloc(size_t bytes);
void upc_free(shared void* pointer);
void upc_all_free(shared void* pointer);

size_t upc_threadof(shared const void* pointer);
size_t upc_addrfield(shared const void* pointer);
shared void* upc_resetphase(shared const void* pointer);
size_t upc_affinitysize(size_t bytes, size_t block_bytes, size_t thread);
size_t __upc_phase_bytes(shared const void* pointer);
#define upc_phaseof(pointer) (__upc_phase_bytes(pointer) / __upc_element_size(pointer))

upc_lock_t* upc_global_lock_alloc(void);
upc_lock_t* upc_all_lock_alloc(void);
void upc_lock_free(upc_lock_t* lock);
void upc_all_lock_free(upc_lock_t* lock);
void upc_lock(upc_lock_t* lock);
int upc_lock_attempt(upc_lock_t* lock);
void upc_unlock(upc_lock_t* lock);

void upc_memcpy(shared void* to, shared const void* from, size_t bytes);
void upc_memget(void* to, shared const void* from, size_t bytes);
void upc_memput(shared void* to, const void* from, size_t bytes);
void upc_memset(shared void* to, int byte, size_t bytes);

// Extensions of Berkeley UPC that programs use.
#pragma once
#include <stdint.h>
#include <upc.h>
#include <upc_nb.h>

typedef upc_handle_t bupc_handle_t;
#define BUPC_COMPLETE_HANDLE UPC_COMPLETE_HANDLE
#define bupc_memcpy_async upc_memcpy_nb
#define bupc_memget_async upc_memget_nb
#define bupc_memput_async upc_memput_nb
#define bupc_memset_async upc_memset_nb
#define bupc_waitsync upc_sync
#define bupc_trysync upc_sync_attempt

typedef uint64_t bupc_tick_t;
bupc_tick_t bupc_ticks_now(void);
uint64_t bupc_ticks_to_us(bupc_tick_t ticks);
uint64_t bupc_ticks_to_ns(bupc_tick_t ticks);
void bupc_poll(void);

typedef shared[] struct __upc_semaphore bupc_sem_t;
#define BUPC_SEM_BOOLEAN 1
#define BUPC_SEM_INTEGER 2
#define BUPC_SEM_SPRODUCER 4
#define BUPC_SEM_MPRODUCER 8
#define BUPC_SEM_SCONSUMER 16
#define BUPC_SEM_MCONSUMER 32
bupc_sem_t* bupc_sem_alloc(int flags);
void bupc_sem_free(bupc_sem_t* semaphore);
void bupc_sem_post(bupc_sem_t* semaphore);
void bupc_sem_postN(bupc_sem_t* semaphore, size_t count);
void bupc_sem_wait(bupc_sem_t* semaphore);
void bupc_sem_waitN(bupc_sem_t* semaphore, size_t count);
int bupc_sem_try(bupc_sem_t* semaphore);
int bupc_sem_tryN(bupc_sem_t* semaphore, size_t count);
void bupc_memput_signal(shared void* to, const void* from, size_t bytes, bupc_sem_t* semaphore,
                        size_t count);
void bupc_memput_signal_async(shared void* to, const void* from, size_t bytes,
                              bupc_sem_t* semaphore, size_t count);

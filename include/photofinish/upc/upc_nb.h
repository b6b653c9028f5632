// UPC 1.3 non-blocking transfers.
#pragma once
#include <upc.h>

typedef unsigned long upc_handle_t;
#define UPC_COMPLETE_HANDLE ((upc_handle_t)0)

upc_handle_t upc_memcpy_nb(shared void* to, shared const void* from, size_t bytes);
upc_handle_t upc_memget_nb(void* to, shared const void* from, size_t bytes);
upc_handle_t upc_memput_nb(shared void* to, const void* from, size_t bytes);
upc_handle_t upc_memset_nb(shared void* to, int byte, size_t bytes);
int upc_sync_attempt(upc_handle_t handle);
void upc_sync(upc_handle_t handle);

void upc_memcpy_nbi(shared void* to, shared const void* from, size_t bytes);
void upc_memget_nbi(void* to, shared const void* from, size_t bytes);
void upc_memput_nbi(shared void* to, const void* from, size_t bytes);
void upc_memset_nbi(shared void* to, int byte, size_t bytes);
int upc_synci_attempt(void);
void upc_synci(void);

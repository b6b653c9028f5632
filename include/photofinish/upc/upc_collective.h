// UPC collectives.
#pragma once
#include <stddef.h>
#include <upc_types.h>

void upc_all_broadcast(shared void* to, shared const void* from, size_t bytes, upc_flag_t mode);
void upc_all_scatter(shared void* to, shared const void* from, size_t bytes, upc_flag_t mode);
void upc_all_gather(shared void* to, shared const void* from, size_t bytes, upc_flag_t mode);
void upc_all_gather_all(shared void* to, shared const void* from, size_t bytes, upc_flag_t mode);
void upc_all_exchange(shared void* to, shared const void* from, size_t bytes, upc_flag_t mode);
void upc_all_permute(shared void* to, shared const void* from, shared const int* permutation,
                     size_t bytes, upc_flag_t mode);

// upc_all_reduceI and upc_all_prefix_reduceI for each type.
#define __UPC_REDUCTION(letter, type)                                                             \
  void upc_all_reduce##letter(shared void* to, shared const void* from, upc_op_t op,              \
                              size_t elements, size_t block, type (*function)(type, type),        \
                              upc_flag_t mode);                                                   \
  void upc_all_prefix_reduce##letter(shared void* to, shared const void* from, upc_op_t op,       \
                                     size_t elements, size_t block, type (*function)(type, type), \
                                     upc_flag_t mode);
__UPC_REDUCTION(C, signed char)
__UPC_REDUCTION(UC, unsigned char)
__UPC_REDUCTION(S, short)
__UPC_REDUCTION(US, unsigned short)
__UPC_REDUCTION(I, int)
__UPC_REDUCTION(UI, unsigned int)
__UPC_REDUCTION(L, long)
__UPC_REDUCTION(UL, unsigned long)
__UPC_REDUCTION(F, float)
__UPC_REDUCTION(D, double)
__UPC_REDUCTION(LD, long double)
#undef __UPC_REDUCTION

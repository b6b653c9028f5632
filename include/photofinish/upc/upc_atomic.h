// UPC 1.3 atomics.
#pragma once
#include <upc.h>
#include <upc_types.h>

typedef shared[] struct __upc_atomic_domain upc_atomicdomain_t;
typedef int upc_atomichint_t;
#define UPC_ATOMIC_HINT_DEFAULT 0
#define UPC_ATOMIC_HINT_LATENCY 1
#define UPC_ATOMIC_HINT_THROUGHPUT 2
#define UPC_ATOMIC_PERFORMANCE_NOT_FAST 0
#define UPC_ATOMIC_PERFORMANCE_FAST 1

upc_atomicdomain_t* upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops,
                                               upc_atomichint_t hints);
void upc_all_atomicdomain_free(upc_atomicdomain_t* domain);
void upc_atomic_strict(upc_atomicdomain_t* domain, void* restrict fetched, upc_op_t op,
                       shared void* restrict target, const void* restrict operand1,
                       const void* restrict operand2);
void upc_atomic_relaxed(upc_atomicdomain_t* domain, void* restrict fetched, upc_op_t op,
                        shared void* restrict target, const void* restrict operand1,
                        const void* restrict operand2);
int upc_atomic_isfast(upc_type_t type, upc_op_t ops, shared void* address);

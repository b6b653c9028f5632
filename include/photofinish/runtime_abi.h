/* What a program can tell the tool that watches it. The functions are in the library that `photofinish check` preloads; a program
 * that also runs without it declares them weak and asks whether they are there. */
#ifndef PHOTOFINISH_RUNTIME_ABI_H
#define PHOTOFINISH_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program is about to read, or write, these bytes. */
void photofinish_load(const void* address, uint64_t bytes) __attribute__((weak));
void photofinish_store(void* address, uint64_t bytes) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif

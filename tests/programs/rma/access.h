// Loads and stores of the program. Built with the pass, they are plain loads and stores. Without
// it, LOAD(x) reports the load of x and returns its value; STORE(x, value) reports the store and
// makes it. Without the tool, nothing is reported. The access site is the caller of
// photofinish_load or photofinish_store: the line that uses the macro.
#pragma once

#ifdef __PHOTOFINISH__
#define LOAD(x) (x)
#define STORE(x, value) ((x) = (value))
#else
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void photofinish_load(const void* address, unsigned long bytes);
__attribute__((weak)) void photofinish_store(void* address, unsigned long bytes);
#ifdef __cplusplus
}
#endif

#define LOAD(x) (photofinish_load ? photofinish_load(&(x), sizeof(x)) : (void)0, (x))
#define STORE(x, value)                                        \
  do {                                                         \
    const __typeof__(x) value_ = (value);                      \
    if (photofinish_store) photofinish_store(&(x), sizeof(x)); \
    (x) = value_;                                              \
  } while (0)
#endif

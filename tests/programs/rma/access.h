// Loads and stores of the program itself. Built with the pass they are just that. Without it they
// are said by hand: LOAD(x) announces the load of x and is its value; STORE(x, value) announces the
// store and does it. Without the tool, nothing is announced. The place of such an access is the
// caller of photofinish_load or photofinish_store: the line where the macro stands.
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

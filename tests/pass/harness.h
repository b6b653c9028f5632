// What the random programs and the harness that runs them share. Without the pass a program tells
// of its accesses itself.
#pragma once
enum { kShared = 4096 };
unsigned long work(unsigned char* shared);
extern int selected;                     // which of several cases, as the command line says
void prepare(int at, const char* text);  // puts it there, and tells nobody
void elsewhere(void);                    // somewhere that the pass does not see
void tell(const void* address, unsigned long bytes, int writes);

#ifdef __PHOTOFINISH__
#define R(x) (x)
#define W(x, value) ((x) = (value))
#else
#define R(x) (tell(&(x), sizeof(x), 0), (x))
#define W(x, value)                       \
  do {                                    \
    const __typeof__(x) value_ = (value); \
    tell(&(x), sizeof(x), 1);             \
    (x) = value_;                         \
  } while (0)
#endif

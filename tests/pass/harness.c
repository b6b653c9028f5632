// Runs work() with every page marked (with PHOTOFINISH_UNWATCHED set: with none, as without the tool), and prints which bytes of the shared memory the hooks, or the program's own R and W, told of.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "photofinish/runtime_abi.h"

unsigned char shared[kShared] __attribute__((aligned(64)));
static unsigned char told[2][kShared];
int selected;

void prepare(int at, const char* text) { memcpy(shared + at, text, strlen(text) + 1); }

void tell(const void* address, unsigned long bytes, int writes) {
  for (unsigned long i = 0; i < bytes; ++i) {
    const long at = (const unsigned char*)address + i - shared;
    if (at >= 0 && at < kShared) told[writes][at] = 1;
  }
}

#ifdef __PHOTOFINISH__
extern struct photofinish_state state __asm__("__photofinish_state_1") __attribute__((visibility("hidden")));

static uint64_t plain(uint64_t bytes) { return bytes & ~(PHOTOFINISH_WRITES | PHOTOFINISH_RELEASES); }

static void on_access(struct photofinish_site* site, const void* address, uint64_t bytes) {
  (void)site;
  if ((bytes & PHOTOFINISH_RELEASES) == 0) tell(address, plain(bytes), (bytes & PHOTOFINISH_WRITES) != 0);
}

static void on_range(struct photofinish_site* site, const void* address, uint64_t bytes, uint64_t rows, int64_t stride, uint64_t planes,
                     int64_t plane_stride) {
  for (uint64_t plane = 0; plane < planes; ++plane)
    for (uint64_t row = 0; row < rows; ++row)
      on_access(site, (const char*)address + (int64_t)plane * plane_stride + (int64_t)row * stride, bytes);
}

static void watch(void) {
  memset(state.gate, 1, sizeof state.gate);
  state.high = ~UINT64_C(0);
  state.access = on_access;
  state.range = on_range;
}
#else
static void watch(void) {}
#endif

int main(int argc, char** argv) {
  if (argc > 1) selected = atoi(argv[1]);
  for (int i = 0; i < kShared; ++i) shared[i] = (unsigned char)(i * 7);
  if (getenv("PHOTOFINISH_UNWATCHED") == NULL) watch();
  const unsigned long result = work(shared);
  unsigned long content = 0;
  for (int i = 0; i < kShared; ++i) content = content * 31 + shared[i];
  printf("%lu %lu\n", result, content);
  for (int writes = 0; writes < 2; ++writes) {
    for (int i = 0; i < kShared; ++i) putchar('0' + told[writes][i]);
    putchar('\n');
  }
}

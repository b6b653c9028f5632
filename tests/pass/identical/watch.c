// Linked into the programs of this folder: decides before main which of its copies the program
// runs. PHOTOFINISH_WATCH=all: all memory is reachable, and each test takes its hook. =some: memory
// is reachable, but none of the program's. =values: as in a recorded rank. Not set: as without the
// tool.
#include <stdlib.h>
#include <string.h>

#include "photofinish/runtime_abi.h"

extern struct photofinish_state state __asm__("__photofinish_state_10")
    __attribute__((visibility("hidden")));

static unsigned long hooks;

static void on_access(struct photofinish_site* site, const void* address, uint64_t bytes,
                      const void* location) {
  (void)site, (void)address, (void)bytes, (void)location;
  ++hooks;
}

static void on_range(struct photofinish_site* site, const void* address, uint64_t bytes,
                     uint64_t rows, int64_t stride, uint64_t planes, int64_t plane_stride) {
  (void)site, (void)address, (void)bytes, (void)rows, (void)stride, (void)planes;
  (void)plane_stride;
  ++hooks;
}

static uint64_t on_indices(struct photofinish_index* index, const void* first, uint64_t times) {
  (void)index, (void)first, (void)times;
  return 0;  // each access calls its hook
}

static void on_loaded(const void* address, void* value, uint64_t bytes, const void* location) {
  (void)location;
  (void)address, (void)value, (void)bytes;
  ++hooks;
}

static void on_stored(const void* address, const void* value, uint64_t bytes,
                      const void* location) {
  (void)location;
  (void)address, (void)value, (void)bytes;
  ++hooks;
}

static int64_t on_ahead(const void* address, uint64_t bytes, uint64_t rows, int64_t stride,
                        uint64_t planes, int64_t plane_stride, const void* location) {
  (void)address, (void)bytes, (void)rows, (void)stride, (void)planes, (void)plane_stride;
  (void)location;
  ++hooks;
  return 0;
}

static const struct photofinish_seen* on_behind(const void* base, uint64_t writes) {
  static struct photofinish_seen nothing;
  (void)base, (void)writes;
  return &nothing;
}

static void on_check(const void* address, uint64_t bytes, const void* location) {
  (void)address, (void)bytes, (void)location;
}

__attribute__((constructor)) static void watch(void) {
  const char* what = getenv("PHOTOFINISH_WATCH");
  if (what == NULL) return;
  state.access = on_access;
  state.range = on_range;
  state.indices = on_indices;
  if (strcmp(what, "some") == 0) {
    state.low = 1, state.high = 2;
    return;
  }
  memset(state.gate, 1, sizeof state.gate);
  state.high = ~UINT64_C(0);
  if (strcmp(what, "values") != 0) return;
  state.loaded = on_loaded;
  state.stored = on_stored;
  state.ahead = on_ahead;
  state.behind = on_behind;
  state.check = on_check;
}

// A program that never called a hook has shown nothing.
__attribute__((destructor)) static void check(void) {
  const char* what = getenv("PHOTOFINISH_WATCH");
  if (what != NULL && strcmp(what, "some") != 0 && hooks == 0) abort();
}

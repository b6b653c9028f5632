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
extern struct photofinish_state state __asm__("__photofinish_state_5") __attribute__((visibility("hidden")));

static void note(const void* address, uint64_t bytes) {
  if ((bytes & PHOTOFINISH_RELEASES) == 0) tell(address, PHOTOFINISH_BYTES(bytes), (bytes & PHOTOFINISH_WRITES) != 0);
}

// Every place has bits from the second time on; only the first of a group is told of.
static struct {
  struct photofinish_site* site;
  uint64_t bytes;
} places[1 << 12];
static int place_count;

static void tell_of_bits(void) {
  for (int i = 0; i < place_count; ++i)
    for (uint64_t at = 0; at < places[i].site->units; ++at)
      if ((places[i].site->bits[at / 64] >> at % 64 & 1) != 0) note(shared + (at << PHOTOFINISH_UNIT(places[i].bytes)), places[i].bytes);
}

static void on_access(struct photofinish_site* site, const void* address, uint64_t bytes, const void* place) {
  (void)place;
  note(address, bytes);
  if ((bytes & PHOTOFINISH_RELEASES) != 0) return;
  const uint64_t unit = PHOTOFINISH_UNIT(bytes), distance = (uint64_t)address - (uint64_t)shared;
  if (site->thread == 0) {
    site->base = (uint64_t)shared;
    site->units = kShared >> unit;
    site->bits = (uint64_t*)calloc(kShared / 64 + 2, sizeof(uint64_t)) + 1;  // at most eight groups
    site->thread = (uint64_t)__builtin_thread_pointer();
    if (place_count == 1 << 12) abort();
    places[place_count].site = site;
    places[place_count++].bytes = bytes;
  }
  if (distance >= kShared || distance % (UINT64_C(1) << unit) != 0) return;
  const uint64_t at = distance >> unit;
  uint8_t* group = (uint8_t*)site->bits - 1 - at / PHOTOFINISH_GROUP;
  if (*group != 0) abort();
  *group = 1;
  site->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void on_range(struct photofinish_site* site, const void* address, uint64_t bytes, uint64_t rows, int64_t stride, uint64_t planes,
                     int64_t plane_stride) {
  for (uint64_t plane = 0; plane < planes; ++plane)
    for (uint64_t row = 0; row < rows; ++row)
      note((const char*)address + (int64_t)plane * plane_stride + (int64_t)row * stride, bytes);
  (void)site;
}

// All indices of a loop: read here, in front of it.
static uint64_t on_indices(struct photofinish_index* index, const void* first, uint64_t times) {
  index->library[0] = (void*)first;
  index->library[1] = (void*)times;
  return 1;
}

static void on_gather(struct photofinish_site* site, const void* base, uint64_t bytes, uint64_t scale, struct photofinish_index* index, uint64_t slots) {
  (void)site;
  const unsigned size = index->bytes & ~PHOTOFINISH_SIGNED;
  if ((slots & ~index->slots) != 0) abort();
  for (uint64_t i = 0; i < (uint64_t)index->library[1]; ++i)
    for (unsigned slot = 0; slot < 64; ++slot) {
      if ((slots >> slot & 1) == 0) continue;
      uint64_t number = 0;
      memcpy(&number, (const char*)index->library[0] + i * index->step + slot * size, size);
      if ((index->bytes & PHOTOFINISH_SIGNED) != 0) number = (uint64_t)((int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size));
      note((const char*)base + scale * number, bytes);
    }
}

static void watch(void) {
  memset(state.gate, 1, sizeof state.gate);
  state.high = ~UINT64_C(0);
  state.access = on_access;
  state.range = on_range;
  state.indices = on_indices;
  state.gather = on_gather;
}
#else
static void watch(void) {}
static void tell_of_bits(void) {}
#endif

int main(int argc, char** argv) {
  if (argc > 1) selected = atoi(argv[1]);
  for (int i = 0; i < kShared; ++i) shared[i] = (unsigned char)(i * 7);
  if (getenv("PHOTOFINISH_UNWATCHED") == NULL) watch();
  const unsigned long result = work(shared);
  tell_of_bits();
  unsigned long content = 0;
  for (int i = 0; i < kShared; ++i) content = content * 31 + shared[i];
  printf("%lu %lu\n", result, content);
  for (int writes = 0; writes < 2; ++writes) {
    for (int i = 0; i < kShared; ++i) putchar('0' + told[writes][i]);
    putchar('\n');
  }
}

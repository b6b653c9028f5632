// Runs work() with every page marked (with PHOTOFINISH_UNWATCHED set: with none, as without the
// tool; with PHOTOFINISH_PART="BEGIN END": only this part is reachable), and prints which bytes of
// the shared memory the hooks, or the program's own R and W, told of. With PHOTOFINISH_SHORT_HOOKS
// set: its places set no bits. With PHOTOFINISH_VALUES set: as in a rank that is recorded, where
// what has been seen lies beside the memory; or, "given", as in one that is replayed, where the
// memory holds nothing of use and each load is given its value. Both must compute the same, and
// count as many loads.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "photofinish/runtime_abi.h"

unsigned char shared[kShared] __attribute__((aligned(64)));
static unsigned char told[2][kShared];
int selected;

void elsewhere(void) {}
void prepare(int at, const char* text) { memcpy(shared + at, text, strlen(text) + 1); }

void tell(const void* address, unsigned long bytes, int writes) {
  for (unsigned long i = 0; i < bytes; ++i) {
    const long at = (const unsigned char*)address + i - shared;
    if (at >= 0 && at < kShared) told[writes][at] = 1;
  }
}

#ifdef __PHOTOFINISH__
extern struct photofinish_state state __asm__("__photofinish_state_10")
    __attribute__((visibility("hidden")));

static void note(const void* address, uint64_t bytes) {
  if ((bytes & PHOTOFINISH_RELEASES) == 0)
    tell(address, PHOTOFINISH_BYTES(bytes), (bytes & PHOTOFINISH_WRITES) != 0);
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
      if ((places[i].site->bits[at / 64] >> at % 64 & 1) != 0)
        note(shared + (at << PHOTOFINISH_UNIT(places[i].bytes)), places[i].bytes);
}

static void on_access(struct photofinish_site* site, const void* address, uint64_t bytes,
                      const void* place) {
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
  if (*group != 0 && getenv("PHOTOFINISH_SHORT_HOOKS") == NULL) abort();
  *group = 1;
  site->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void on_range(struct photofinish_site* site, const void* address, uint64_t bytes,
                     uint64_t rows, int64_t stride, uint64_t planes, int64_t plane_stride) {
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

static void on_gather(struct photofinish_site* site, const void* base, uint64_t bytes,
                      uint64_t scale, struct photofinish_index* index, uint64_t slots) {
  (void)site;
  const unsigned size = index->bytes & ~PHOTOFINISH_SIGNED;
  if ((slots & ~index->slots) != 0) abort();
  for (uint64_t i = 0; i < (uint64_t)index->library[1]; ++i)
    for (unsigned slot = 0; slot < 64; ++slot) {
      if ((slots >> slot & 1) == 0) continue;
      uint64_t number = 0;
      memcpy(&number, (const char*)index->library[0] + i * index->step + slot * size, size);
      if ((index->bytes & PHOTOFINISH_SIGNED) != 0)
        number = (uint64_t)((int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size));
      note((const char*)base + scale * number, bytes);
    }
}

// --- values

static unsigned char seen[kShared];  // the right contents
static const unsigned char* pending;
static uint64_t pending_bytes, loads;
static unsigned char ahead[kShared];  // what loops that were asked for may have stored since
static int any_ahead, gives;

static long offset_of(const void* address, uint64_t bytes) {
  const uint64_t at = (uint64_t)address - (uint64_t)shared;
  return at < kShared && bytes <= kShared - at ? (long)at : -1;
}

// What a loop may store, which runs from here on, stays in step with what has been seen: it is
// given when it is asked for, and whatever else is stored there goes to both.
static void settle(void) {
  if (pending != NULL) memcpy(seen + (pending - shared), pending, pending_bytes);
  pending = NULL;
  for (long at = 0; any_ahead && at < kShared; ++at)
    if (ahead[at]) seen[at] = shared[at];
}

static void on_loaded(const void* address, void* value, uint64_t bytes, const void* location) {
  (void)location;
  settle();
  const long at = offset_of(address, bytes);
  if (at < 0) return;
  note(address, bytes);
  ++loads;
  if (gives) memcpy(shared + at, seen + at, bytes);
  if (gives)
    memcpy(value, seen + at, bytes);
  else if (memcmp(value, seen + at, bytes) != 0)
    abort();
}

static void on_stored(const void* address, const void* value, uint64_t bytes,
                      const void* location) {
  (void)location;
  settle();
  const long at = offset_of(address, bytes);
  if (at < 0) return;
  note(address, bytes | PHOTOFINISH_WRITES);
  if (memcmp(address, value, bytes) != 0) abort();
  memcpy(seen + at, value, bytes);
}

// What is no plain load or store is about to happen.
static void before_access(struct photofinish_site* site, const void* address, uint64_t bytes,
                          const void* place) {
  (void)site, (void)place;
  settle();
  const uint64_t size = PHOTOFINISH_BYTES(bytes & ~(PHOTOFINISH_WRITES | PHOTOFINISH_RELEASES));
  const long at = offset_of(address, size);
  if ((bytes & PHOTOFINISH_RELEASES) != 0 || at < 0 || size == 0) return;
  note(address, bytes);
  if ((bytes & PHOTOFINISH_WRITES) != 0) {
    pending = shared + at, pending_bytes = size;
    if (gives) memcpy(shared + at, seen + at, size);  // of an atomic that reads as well
  } else if (gives) {
    memcpy(shared + at, seen + at, size);
  }
}

static void before_range(struct photofinish_site* site, const void* address, uint64_t bytes,
                         uint64_t rows, int64_t stride, uint64_t planes, int64_t plane_stride) {
  for (uint64_t plane = 0; plane < planes; ++plane)
    for (uint64_t row = 0; row < rows; ++row)
      before_access(site,
                    (const char*)address + (int64_t)plane * plane_stride + (int64_t)row * stride,
                    bytes, NULL);
}

// One that loads where it was not said to finds what is of no use.
static int64_t on_ahead(const void* address, uint64_t bytes, uint64_t rows, int64_t stride,
                        uint64_t planes, int64_t plane_stride, const void* place) {
  (void)place;
  settle();
  const int writes = (bytes & PHOTOFINISH_WRITES) != 0;
  const uint64_t size = PHOTOFINISH_BYTES(bytes & ~PHOTOFINISH_WRITES);
  int inside = 0, outside = 0;
  for (int asks = 1; asks >= 0; --asks) {
    for (uint64_t plane = 0; plane < planes && size > 0; ++plane)
      for (uint64_t row = 0; row < rows; ++row) {
        const char* at =
            (const char*)address + (int64_t)plane * plane_stride + (int64_t)row * stride;
        const long offset = offset_of(at, size);
        if (asks) {
          for (uint64_t i = 0; i < size; ++i) *(offset_of(at + i, 1) >= 0 ? &inside : &outside) = 1;
        } else if (gives) {
          memcpy(shared + offset, seen + offset, size);
          if (writes) memset(ahead + offset, 1, size), any_ahead = 1;
        }
      }
    if (!inside) return 0;
    if (outside) return PHOTOFINISH_ONE_BY_ONE;
  }
  if (!writes) ++loads;
  return gives ? 0 : seen - shared;
}

// Only what is shared has been seen: of other memory each access is told.
static uint8_t looked[kShared / PHOTOFINISH_BLOCK + 1];

static const struct photofinish_seen* on_behind(const void* base, uint64_t writes) {
  static struct photofinish_seen nothing, all;
  settle();
  if (offset_of(base, 1) < 0) return &nothing;
  if (gives && writes) {
    memcpy(shared, seen, kShared);
    memset(ahead, 1, kShared), any_ahead = 1;
  }
  memset(looked, 0, sizeof looked);
  all.begin = (uint64_t)shared;
  all.bytes = kShared;
  all.distance = gives ? 0 : seen - shared;
  all.checked = looked;
  return &all;
}

static void on_look(const void* address, uint64_t bytes, const void* place) {
  (void)place;
  settle();
  const long at = offset_of(address, bytes), begin = at / PHOTOFINISH_BLOCK * PHOTOFINISH_BLOCK,
             rest = kShared - begin, all = PHOTOFINISH_BLOCK + PHOTOFINISH_SPAN;
  if (at < 0 || looked[at / PHOTOFINISH_BLOCK] != 0) abort();
  looked[at / PHOTOFINISH_BLOCK] = 1;
  ++loads;
  if (gives) memcpy(shared + begin, seen + begin, rest < all ? rest : all);
}

static void mark_everything(void) {
  memset(state.gate, 1, sizeof state.gate);
  state.high = ~UINT64_C(0);
}

static void mark_part(const char* part) {
  char* end;
  state.low = (uint64_t)shared + strtoul(part, &end, 10);
  state.high = (uint64_t)shared + strtoul(end, NULL, 10);
  for (uint64_t page = state.low >> PHOTOFINISH_PAGE_BITS;
       page <= (state.high - 1) >> PHOTOFINISH_PAGE_BITS; ++page)
    state.gate[page % PHOTOFINISH_GATE_SIZE] = 1;
}

static void watch_values(void) {
  mark_everything();
  state.access = before_access;
  state.range = before_range;
  state.loaded = on_loaded;
  state.stored = on_stored;
  state.ahead = on_ahead;
  state.behind = on_behind;
  state.check = on_look;
  memcpy(seen, shared, kShared);
  gives = strcmp(getenv("PHOTOFINISH_VALUES"), "given") == 0;
  if (gives) {
    memset(shared, 0xa5, kShared);
    return;
  }
  const uint64_t page = 1 << PHOTOFINISH_PAGE_BITS, first = (uint64_t)shared,
                 end = first + kShared - PHOTOFINISH_SEEN_ACCESS + 1;
  for (uint64_t at = first / page * page; at < end; at += page) {
    struct photofinish_seen* entry =
        &state.seen[(at >> PHOTOFINISH_PAGE_BITS) % PHOTOFINISH_SEEN_SIZE];
    entry->begin = at > first ? at : first;
    entry->bytes = (at + page < end ? at + page : end) - entry->begin;
    entry->distance = seen - shared;
  }
  state.seen_thread = (uint64_t)__builtin_thread_pointer();
}

static void end_values(void) {
  if (getenv("PHOTOFINISH_VALUES") == NULL) return;
  settle();
  if (!gives && memcmp(seen, shared, kShared) != 0) abort();
  memcpy(shared, seen, kShared);
  fprintf(stderr, "%llu loads\n", (unsigned long long)(loads + state.known_loads));
}

static void watch(void) {
  if (getenv("PHOTOFINISH_VALUES") != NULL) {
    watch_values();
    return;
  }
  const char* part = getenv("PHOTOFINISH_PART");
  if (part != NULL)
    mark_part(part);
  else
    mark_everything();
  state.access = on_access;
  state.range = on_range;
  state.indices = on_indices;
  state.gather = on_gather;
}
#else
static void watch(void) {}
static void end_values(void) {}
static void tell_of_bits(void) {}
#endif

int main(int argc, char** argv) {
  if (argc > 1) selected = atoi(argv[1]);
  for (int i = 0; i < kShared; ++i) shared[i] = (unsigned char)(i * 7);
  if (getenv("PHOTOFINISH_UNWATCHED") == NULL) watch();
  const unsigned long result = work(shared);
  end_values();
  tell_of_bits();
  unsigned long content = 0;
  for (int i = 0; i < kShared; ++i) content = content * 31 + shared[i];
  printf("%lu %lu\n", result, content);
  for (int writes = 0; writes < 2; ++writes) {
    for (int i = 0; i < kShared; ++i) putchar('0' + told[writes][i]);
    putchar('\n');
  }
}

/* The boundary between a program that was built with the pass and the library that `photofinish
 * check` preloads.
 *
 * The program needs neither the tool nor a library: all it has is a table of pages, in its own
 * zeroed memory, and a note in its ELF file that says where. An access looks at the table and goes
 * on. The library, if it is there, finds the note when MPI starts, fills in the functions, and
 * marks the pages that others can reach.
 *
 * Everything here is compiled into programs: a change is a new PHOTOFINISH_ABI. */
#ifndef PHOTOFINISH_RUNTIME_ABI_H
#define PHOTOFINISH_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PHOTOFINISH_ABI 7

/* A page's mark is at gate[(address >> PHOTOFINISH_PAGE_BITS) % PHOTOFINISH_GATE_SIZE]: two pages
 * may share one, a mark says "maybe". */
#define PHOTOFINISH_PAGE_BITS 12
#define PHOTOFINISH_GATE_SIZE (1 << 18)
/* Looking at the first byte is enough for so many: whoever marks a page also marks the one before
 * it if it begins nearer than that. */
#define PHOTOFINISH_SPAN 256

/* One for each place in the program that touches memory: the library's to fill in, zero at first. A
 * place that touches memory here and there may get a bit for each unit of it, to be set for an
 * access that begins there, and in front of them, backwards, a byte for each PHOTOFINISH_GROUP of
 * units. If `thread` is the program's own thread pointer, its address is one of the `units` from
 * `base` on, and the byte of its group is not zero, it sets the bit and is done; otherwise it calls
 * `access`. */
struct photofinish_site {
  uint64_t thread, base, units;
  uint64_t* bits;
  void* library[4];
};

/* In the number of bytes: they are written; they are given back (a variable of a function that
 * returns, or, with no bytes, what is freed). Three bits from PHOTOFINISH_UNIT_BITS on: the unit of
 * this place, as a power of two; its addresses and bytes are multiples of it. */
#define PHOTOFINISH_WRITES (UINT64_C(1) << 63)
#define PHOTOFINISH_RELEASES (UINT64_C(1) << 62)
#define PHOTOFINISH_UNIT_BITS 56
#define PHOTOFINISH_MAX_UNIT 6
#define PHOTOFINISH_GROUP_BITS 12
#define PHOTOFINISH_GROUP (1 << PHOTOFINISH_GROUP_BITS)
#define PHOTOFINISH_UNIT(bytes) ((bytes) >> PHOTOFINISH_UNIT_BITS & 7)
#define PHOTOFINISH_BYTES(bytes) ((bytes) & ((UINT64_C(1) << PHOTOFINISH_UNIT_BITS) - 1))

/* One for each row of indices that a loop reads, as in a[index[i]]: `slots` of them, one bit each,
 * every `step` bytes. */
struct photofinish_index {
  uint32_t step, bytes; /* of an index: 1, 2, 4 or 8; and PHOTOFINISH_SIGNED */
  uint64_t slots;
  void* library[2];
};
#define PHOTOFINISH_SIGNED (UINT32_C(1) << 31)
/* Loops that read fewer have each access looked at. */
#define PHOTOFINISH_FEW_INDICES 32

/* What a recorded rank has seen of a page of its windows: for accesses that begin in the `bytes`
 * from `begin` on, `distance` bytes behind each. The page at `address` has its own at seen[(address
 * >> PHOTOFINISH_PAGE_BITS) % PHOTOFINISH_SEEN_SIZE], or another one has. */
struct photofinish_seen {
  uint64_t begin, bytes;
  int64_t distance;
  /* Where all of a window is meant: a byte for each PHOTOFINISH_BLOCK of it, not zero if what
   * accesses that begin there would find has been looked at. */
  const uint8_t* checked;
};
#define PHOTOFINISH_BLOCK_BITS 10
#define PHOTOFINISH_BLOCK (1 << PHOTOFINISH_BLOCK_BITS)
#define PHOTOFINISH_SEEN_SIZE 4096
#define PHOTOFINISH_SEEN_ACCESS 16 /* bytes, at most */

#define PHOTOFINISH_ONE_BY_ONE INT64_MIN

/* What one executable or shared library has once, however many objects it was linked from. Hidden,
 * named PHOTOFINISH_STATE. */
struct photofinish_state {
  uint8_t gate[PHOTOFINISH_GATE_SIZE];
  /* No marked page lies outside of [low, high). */
  uint64_t low, high;
  /* The program is about to read or write, at `place`. Called for marked pages only. */
  void (*access)(struct photofinish_site* site, const void* address, uint64_t bytes,
                 const void* location);
  /* The same for a whole loop, or two nested ones: bytes, rows times, stride apart; and all that
   * planes times, plane_stride apart. */
  void (*range)(struct photofinish_site* site, const void* address, uint64_t bytes, uint64_t rows,
                int64_t stride, uint64_t planes, int64_t plane_stride);
  /* The program is about to read indices, `times` times those that `index` says, from `first` on.
   * If the answer is not zero, `gather` is called for each place that uses them, and nothing for
   * what it touches. */
  uint64_t (*indices)(struct photofinish_index* index, const void* first, uint64_t times);
  /* It is about to touch, for each of the indices in `slots`, so many bytes at base + scale *
   * index. */
  void (*gather)(struct photofinish_site* site, const void* base, uint64_t bytes, uint64_t scale,
                 struct photofinish_index* index, uint64_t slots);
  /* Set before main, if at all, in processes that are recorded or replayed. Functions then go on in
   * a copy that calls these, for marked pages only: it has found `value` at `address`, and goes on
   * with what is in `value` afterwards; it has stored it there. All other accesses are told to
   * `access` and `range`. */
  void (*loaded)(const void* address, void* value, uint64_t bytes);
  void (*stored)(const void* address, const void* value, uint64_t bytes);
  /* In front of a loop, for each of its accesses at evenly spaced addresses, where it meets [low,
   * high): how far behind its addresses the loop loads instead, and stores as well.
   * PHOTOFINISH_ONE_BY_ONE: it goes on in its copy that tells each access. */
  int64_t (*ahead)(const void* address, uint64_t bytes, uint64_t rows, int64_t stride,
                   uint64_t planes, int64_t plane_stride, const void* location);
  /* The same for accesses anywhere around `base`: where that holds. Others are told one by one.
   * `look` is called in front of a load from a block that has not been looked at. */
  const struct photofinish_seen* (*behind)(const void* base, uint64_t writes);
  void (*check)(const void* address, uint64_t bytes, const void* location);
  /* If `seen_thread` is the program's own thread pointer: a load that finds what has been seen
   * there adds one to `known_loads` instead; a store is made there as well. */
  uint64_t seen_thread, known_loads;
  struct photofinish_seen seen[PHOTOFINISH_SEEN_SIZE];
  /* If it is set: an atomic operation on `address` is about to release what the thread did before
   * it, or has acquired what others released. No address: a fence. Or the thread begins an OpenMP
   * section, or ends it. */
  void (*synchronize)(const void* address, uint64_t how);
};
#define PHOTOFINISH_RELEASE 1
#define PHOTOFINISH_ACQUIRE 2
#define PHOTOFINISH_SECTION_BEGIN 4
#define PHOTOFINISH_SECTION_END 8
#define PHOTOFINISH_STATE "__photofinish_state_7"

/* The note, in a section PHOTOFINISH_NOTE_SECTION, one for each object: its name is
 * PHOTOFINISH_NOTE_NAME, its type PHOTOFINISH_ABI; its words are the distance from the first of
 * them to the state, how many accesses were found, how many are looked at, and then the name of the
 * source file. */
#define PHOTOFINISH_NOTE_SECTION ".note.photofinish"
#define PHOTOFINISH_NOTE_NAME "Photofinish"
struct photofinish_note {
  uint32_t name_size, words_size, type;
  char name[12];
  int32_t state;
  uint32_t found, checked_at;
  /* char source[]; */
};

/* Functions and loops that have a copy without hooks: regions. Where one is entered it goes to the
 * copy if nothing is shared, or if the byte of the region is not zero, which the library may set
 * once it knows that nobody wants to hear of its places. The note, of type PHOTOFINISH_REGIONS_ABI,
 * one for each object that has places, has one word, the distance from itself to a table of words:
 * for each region the distance from the word to its byte, how many lines follow, and the lines of
 * its places (base/line_key.h), zero if one is not known. A distance of zero begins the lines of
 * all places outside of regions; behind them the table ends. */
#define PHOTOFINISH_REGIONS_ABI 513

/* What annotate.h puts into a program, built with the pass or not: a function for the library to
 * fill in, hidden, and a note that says where. The note has the same section and name, the type
 * PHOTOFINISH_ANNOTATIONS_ABI, and one word, the distance from itself to it. */
#define PHOTOFINISH_ANNOTATIONS_ABI 257
struct photofinish_annotations {
  void (*say)(uint32_t what, const char* text, uint64_t key, uint64_t value);
};
enum photofinish_saying {
  PHOTOFINISH_SAYS_BEFORE = 1,
  PHOTOFINISH_SAYS_AFTER,
  PHOTOFINISH_SAYS_INTENDED,
  PHOTOFINISH_SAYS_INTENDED_END,
  PHOTOFINISH_SAYS_REGION,
  PHOTOFINISH_SAYS_REGION_END
};

/* What a program that was built without the pass can tell: it is about to read, or write, these
 * bytes. */
void photofinish_load(const void* address, uint64_t bytes) __attribute__((weak));
void photofinish_store(void* address, uint64_t bytes) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif

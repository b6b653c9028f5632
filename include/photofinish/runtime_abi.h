/* The interface between an instrumented program and the library that `photofinish check` preloads.
 *
 * The program needs neither the tool nor a library. It contains a table of page marks, in
 * zero-initialized memory, and an ELF note with the address of the table. Each access tests the
 * mark of its page. The library, if it is loaded, finds the note when MPI starts, sets the hooks,
 * and marks the pages of reachable memory.
 *
 * All of this is compiled into programs: a change requires a new PHOTOFINISH_ABI. */
#ifndef PHOTOFINISH_RUNTIME_ABI_H
#define PHOTOFINISH_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PHOTOFINISH_ABI 10

/* The mark of a page is at gate[(address >> PHOTOFINISH_PAGE_BITS) % PHOTOFINISH_GATE_SIZE]. Two
 * pages may share one, so a mark means "maybe". */
#define PHOTOFINISH_PAGE_BITS 12
#define PHOTOFINISH_GATE_SIZE (1 << 18)
/* Testing the mark of the first byte is sufficient for accesses of up to this size: the library
 * also marks the preceding page if it is closer than that. */
#define PHOTOFINISH_SPAN 256

/* One for each access site; filled in by the library, zero at first. A site with irregular
 * addresses may have a bit for each unit of memory, set for an access that begins there. In front
 * of the bits, in reverse order, is a byte for each PHOTOFINISH_GROUP of units. The site sets the
 * bit if three conditions hold: `thread` is the current thread pointer, the address is one of the
 * `units` from `base` on, and the byte of the group is not zero. Otherwise it calls `access`. */
struct photofinish_site {
  uint64_t thread, base, units;
  uint64_t* bits;
  void* library[4];
};

/* Each thread but the first may have its own sites, in a copy of all data of the executable or
 * shared library. PHOTOFINISH_DISTANCE, a thread-local variable, is the distance of the copy; zero:
 * there is none. The note of type PHOTOFINISH_THREADS_ABI, one for each object, has one word: the
 * distance from itself to a function that returns the address of that variable. */
#define PHOTOFINISH_THREADS_ABI 769
#define PHOTOFINISH_DISTANCE "__photofinish_distance_1"

/* Flags in the number of bytes: the bytes are written; the bytes are released (a variable whose
 * function returns, or, with 0 bytes, a block that is freed). Three bits from PHOTOFINISH_UNIT_BITS
 * on: the unit of this site as a power of two. Its addresses and sizes are multiples of the unit.
 */
#define PHOTOFINISH_WRITES (UINT64_C(1) << 63)
#define PHOTOFINISH_RELEASES (UINT64_C(1) << 62)
#define PHOTOFINISH_UNIT_BITS 56
#define PHOTOFINISH_MAX_UNIT 6
#define PHOTOFINISH_GROUP_BITS 12
#define PHOTOFINISH_GROUP (1 << PHOTOFINISH_GROUP_BITS)
#define PHOTOFINISH_UNIT(bytes) ((bytes) >> PHOTOFINISH_UNIT_BITS & 7)
#define PHOTOFINISH_BYTES(bytes) ((bytes) & ((UINT64_C(1) << PHOTOFINISH_UNIT_BITS) - 1))

/* One for each row of indices that a loop reads, as in a[index[i]]: a bit mask of `slots`, repeated
 * every `step` bytes. */
struct photofinish_index {
  uint32_t step, bytes; /* of an index: 1, 2, 4 or 8; and PHOTOFINISH_SIGNED */
  uint64_t slots;
  void* library[2];
};
#define PHOTOFINISH_SIGNED (UINT32_C(1) << 31)
/* Loops that read fewer indices call a hook for each access. */
#define PHOTOFINISH_FEW_INDICES 32

/* The copy of a window page that a recorded rank has seen. For accesses that begin in the `bytes`
 * from `begin` on, it is `distance` bytes behind the address. The page at `address` uses
 * seen[(address >> PHOTOFINISH_PAGE_BITS) % PHOTOFINISH_SEEN_SIZE], unless another page occupies
 * that slot. */
struct photofinish_seen {
  uint64_t begin, bytes;
  int64_t distance;
  /* If the entry covers a whole window: a byte for each PHOTOFINISH_BLOCK of it. It is not zero if
   * the current memory of accesses that begin there has been checked. */
  const uint8_t* checked;
};
#define PHOTOFINISH_BLOCK_BITS 10
#define PHOTOFINISH_BLOCK (1 << PHOTOFINISH_BLOCK_BITS)
#define PHOTOFINISH_SEEN_SIZE 4096
#define PHOTOFINISH_SEEN_ACCESS 16 /* bytes, at most */

#define PHOTOFINISH_ONE_BY_ONE INT64_MIN

/* Exists once in an executable or shared library, however many objects it was linked from. Hidden,
 * named PHOTOFINISH_STATE. */
struct photofinish_state {
  uint8_t gate[PHOTOFINISH_GATE_SIZE];
  /* No marked page lies outside of [low, high). */
  uint64_t low, high;
  /* The program is about to read or write, at `location`. Called for marked pages only. */
  void (*access)(struct photofinish_site* site, const void* address, uint64_t bytes,
                 const void* location);
  /* The same for a whole loop, or two nested ones: `bytes`, repeated `rows` times at distance
   * `stride`, and all that `planes` times at distance `plane_stride`. */
  void (*range)(struct photofinish_site* site, const void* address, uint64_t bytes, uint64_t rows,
                int64_t stride, uint64_t planes, int64_t plane_stride);
  /* The program is about to read the indices that `index` describes, `times` times, from `first`
   * on. If the result is not zero, `gather` is called for each site that uses them, and no hook for
   * the accesses themselves. */
  uint64_t (*indices)(struct photofinish_index* index, const void* first, uint64_t times);
  /* The program is about to access, for each of the indices in `slots`, `bytes` bytes at base +
   * scale * index. */
  void (*gather)(struct photofinish_site* site, const void* base, uint64_t bytes, uint64_t scale,
                 struct photofinish_index* index, uint64_t slots);
  /* Set before main, in recorded and replayed processes only. Functions then run in a copy that
   * calls these for marked pages. `loaded`: the program has loaded `value` from `address`, at
   * `location`, and continues with the contents of `value` after the call. `stored`: it has stored
   * `value` there. All other accesses are reported to `access` and `range`. */
  void (*loaded)(const void* address, void* value, uint64_t bytes, const void* location);
  void (*stored)(const void* address, const void* value, uint64_t bytes, const void* location);
  /* Called in front of a loop, for each of its accesses at evenly spaced addresses that overlap
   * [low, high). Returns the distance to the memory that the loop loads from instead, and also
   * stores to. PHOTOFINISH_ONE_BY_ONE: the loop runs in the copy that reports each access. */
  int64_t (*ahead)(const void* address, uint64_t bytes, uint64_t rows, int64_t stride,
                   uint64_t planes, int64_t plane_stride, const void* location);
  /* The same for accesses around `base`: returns where that holds. Other accesses are reported one
   * by one. `check` is called before a load from a block that has not been checked. */
  const struct photofinish_seen* (*behind)(const void* base, uint64_t writes);
  void (*check)(const void* address, uint64_t bytes, const void* location);
  /* If `seen_thread` is the current thread pointer: a load that finds the value seen there
   * increments `known_loads` instead of calling the hook. A store is also made there. */
  uint64_t seen_thread, known_loads;
  struct photofinish_seen seen[PHOTOFINISH_SEEN_SIZE];
  /* If set: an atomic operation on `address` is about to release, or has acquired. Null address: a
   * fence. Or the thread begins or ends an OpenMP section. */
  void (*synchronize)(const void* address, uint64_t how);
  /* If it is set: the thread is about to start an OpenMP parallel region of this kind. */
  void (*region)(uint64_t kind);
  /* If it is set, in recorded and replayed processes: an atomic operation of any memory order is
   * about to be made (1), or has been made (0). */
  void (*atomic)(uint64_t begins);
};
#define PHOTOFINISH_REGION_UNKNOWN 0
#define PHOTOFINISH_REGION_QUIET 1 /* no thread of it can call MPI */
#define PHOTOFINISH_REGION_COMMUNICATES 2
#define PHOTOFINISH_RELEASE 1
#define PHOTOFINISH_ACQUIRE 2
#define PHOTOFINISH_SECTION_BEGIN 4
#define PHOTOFINISH_SECTION_END 8
#define PHOTOFINISH_STATE "__photofinish_state_10"

/* The note of each object, in section PHOTOFINISH_NOTE_SECTION. Its name is PHOTOFINISH_NOTE_NAME,
 * its type PHOTOFINISH_ABI. Its words are: the distance from the first word to the state, the
 * number of accesses found, the number of accesses with hooks, the name of the source file. */
#define PHOTOFINISH_NOTE_SECTION ".note.photofinish"
#define PHOTOFINISH_NOTE_NAME "Photofinish"
struct photofinish_note {
  uint32_t name_size, words_size, type;
  char name[12];
  int32_t state;
  uint32_t found, checked_at;
  /* char source[]; */
};

/* Regions: functions and loops that have a copy without hooks. At entry a region runs the copy if
 * there is no reachable memory, or if the region's byte is not zero. The library may set the byte
 * once it knows that none of the region's access sites is of interest.
 *
 * Each object with access sites has a note of type PHOTOFINISH_REGIONS_ABI. Its single word is the
 * distance from itself to a table of words. For each region the table has: the distance from that
 * word to the region's byte, the number of lines, and the lines of its access sites
 * (base/line_key.h), 0 if unknown. A distance of 0 begins the lines of all access sites outside of
 * regions, and the table ends after them. */
#define PHOTOFINISH_REGIONS_ABI 513

/* An object whose code has no copy that calls `loaded` and `stored`, as all objects of GCC,
 * has a note of this type. Its word is that of the note of type PHOTOFINISH_ABI. */
#define PHOTOFINISH_WITHOUT_VALUES_ABI 1025

/* What annotate.h adds to a program, instrumented or not: a hidden function pointer that the
 * library sets, and a note with its address. The note has the same section and name, the type
 * PHOTOFINISH_ANNOTATIONS_ABI, and one word, the distance from itself to the pointer. */
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

/* For programs built without the pass: report that the program is about to read, or write, these
 * bytes. */
void photofinish_load(const void* address, uint64_t bytes) __attribute__((weak));
void photofinish_store(void* address, uint64_t bytes) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif

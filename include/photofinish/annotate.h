/* Annotations: facts about a program's synchronization that Photofinish cannot detect. For C and
 * C++; see docs/annotations.md.
 *
 *   PHOTOFINISH_HAPPENS_BEFORE(key, value);     release: what this rank has completed so far
 *                                               happens before …
 *   PHOTOFINISH_HAPPENS_AFTER(key, value);      acquire: … what follows this call, on every rank
 *                                               that makes it with the same key and value
 *   PHOTOFINISH_INTENDED_BEGIN("why");          races of accesses that start from here on …
 *   PHOTOFINISH_INTENDED_END();                 … to here are intended: counted, but no findings
 *   PHOTOFINISH_REGION_BEGIN("halo exchange");  reports name the region of an access
 *   PHOTOFINISH_REGION_END();
 *
 * Without the tool each is a load and a branch, and needs no library. If PHOTOFINISH_NO_ANNOTATIONS
 * is defined, they expand to nothing. */
#ifndef PHOTOFINISH_ANNOTATE_H
#define PHOTOFINISH_ANNOTATE_H

#if defined(__ELF__) && defined(__GNUC__) && !defined(PHOTOFINISH_NO_ANNOTATIONS)

/* Suppresses warnings about the expansion of these macros, such as those about C casts. */
#pragma GCC system_header

#include "runtime_abi.h"

#ifdef __cplusplus
extern "C" {
#endif
/* One for each executable or shared library: the linker keeps one, and the symbol is hidden. */
extern struct photofinish_annotations __photofinish_annotations_1;
__attribute__((weak, used,
               visibility("hidden"))) struct photofinish_annotations __photofinish_annotations_1 = {
    0};
#ifdef __cplusplus
}
#endif

/* A photofinish_annotations_note. In assembly, because C cannot express the distance of two
 * symbols. */
__asm__(
    ".pushsection .note.photofinish, \"a\", %note\n"
    ".balign 4\n"
    ".long 12, 4, 257\n"
    ".asciz \"Photofinish\"\n"
    ".long __photofinish_annotations_1 - .\n"
    ".popsection\n");

/* A macro, so that the call site is the line that uses it. */
#define PHOTOFINISH_ANNOTATE_(what, text, key, value)                                      \
  do {                                                                                     \
    if (__builtin_expect(__photofinish_annotations_1.say != 0, 0))                         \
      __photofinish_annotations_1.say((what), (text), (uint64_t)(key), (uint64_t)(value)); \
  } while (0)
#else
#define PHOTOFINISH_ANNOTATE_(what, text, key, value) ((void)0)
#endif

#define PHOTOFINISH_HAPPENS_BEFORE(key, value) \
  PHOTOFINISH_ANNOTATE_(PHOTOFINISH_SAYS_BEFORE, (const char*)0, key, value)
#define PHOTOFINISH_HAPPENS_AFTER(key, value) \
  PHOTOFINISH_ANNOTATE_(PHOTOFINISH_SAYS_AFTER, (const char*)0, key, value)
#define PHOTOFINISH_INTENDED_BEGIN(why) PHOTOFINISH_ANNOTATE_(PHOTOFINISH_SAYS_INTENDED, why, 0, 0)
#define PHOTOFINISH_INTENDED_END() \
  PHOTOFINISH_ANNOTATE_(PHOTOFINISH_SAYS_INTENDED_END, (const char*)0, 0, 0)
#define PHOTOFINISH_REGION_BEGIN(name) PHOTOFINISH_ANNOTATE_(PHOTOFINISH_SAYS_REGION, name, 0, 0)
#define PHOTOFINISH_REGION_END() \
  PHOTOFINISH_ANNOTATE_(PHOTOFINISH_SAYS_REGION_END, (const char*)0, 0, 0)

#endif

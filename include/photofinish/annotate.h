/* What a program knows about its own races, and Photofinish cannot see. For C and C++;
 * docs/annotations.md tells more.
 *
 *   PHOTOFINISH_HAPPENS_BEFORE(key, value);       before the flag is raised: all that this rank has
 * done and completed so far … PHOTOFINISH_HAPPENS_AFTER(key, value);        … comes before all that
 * whoever says this, with the same key and value, does from here on
 *   PHOTOFINISH_INTENDED_BEGIN("why");            races of what is started from here on …
 *   PHOTOFINISH_INTENDED_END();                   … to here are intended: they are counted, and no
 * findings PHOTOFINISH_REGION_BEGIN("halo exchange");    reports say that it happened in here
 *   PHOTOFINISH_REGION_END();
 *
 * Without the tool each is a load and a branch, and needs no library. With
 * PHOTOFINISH_NO_ANNOTATIONS defined, they are nothing at all. */
#ifndef PHOTOFINISH_ANNOTATE_H
#define PHOTOFINISH_ANNOTATE_H

#if defined(__ELF__) && defined(__GNUC__) && !defined(PHOTOFINISH_NO_ANNOTATIONS)

/* Whatever a program warns of in its own code, such as casts of C, is no concern of what these
 * macros become. */
#pragma GCC system_header

#include "runtime_abi.h"

#ifdef __cplusplus
extern "C" {
#endif
/* One for each executable or shared library: the linker keeps one, and nobody outside sees it. */
extern struct photofinish_annotations __photofinish_annotations_1;
__attribute__((weak, used,
               visibility("hidden"))) struct photofinish_annotations __photofinish_annotations_1 = {
    0};
#ifdef __cplusplus
}
#endif

/* A photofinish_annotations_note. In assembly, for C has no distance between two symbols. */
__asm__(
    ".pushsection .note.photofinish, \"a\", %note\n"
    ".balign 4\n"
    ".long 12, 4, 257\n"
    ".asciz \"Photofinish\"\n"
    ".long __photofinish_annotations_1 - .\n"
    ".popsection\n");

/* A macro, so that the place is the line where it stands. */
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

// What objects of GCC get that is compiled with -fsanitize=thread, in place of the sanitizer's own
// library. It is compiled to assembler text, of which assemble.awk appends the used functions to
// each object: the program needs no library, and objects of all compilers link into one program.
#include "compiler/gcc/known_call_words.h"
#include "compiler/gcc/tsan/calls.h"

// printed.cpp has those with a variable number of parameters.
#define LIBC(name, ...) CALL(name, #name, __VA_ARGS__)
#define GFORTRAN(name, ...) CALL(_gfortran_##name, "_gfortran_" #name, __VA_ARGS__)
#include "compiler/gcc/gfortran_calls.def"
#include "compiler/libc_calls.def"

// For the notes that assemble.awk writes.
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
__asm__("# notes " TEXT(PHOTOFINISH_ABI) " " TEXT(PHOTOFINISH_WITHOUT_VALUES_ABI) " " TEXT(
    PHOTOFINISH_THREADS_ABI) " " PHOTOFINISH_NOTE_SECTION " " PHOTOFINISH_NOTE_NAME
                             " " PHOTOFINISH_STATE " " PHOTOFINISH_DISTANCE "_of");

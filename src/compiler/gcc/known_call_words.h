// The words of libc_calls.def and gfortran_calls.def, as initializers of Touch. They are short:
// include this file last.
#pragma once

#include "compiler/gcc/known_calls.h"

#define R(pointer, extent) {Use::Read, pointer, extent}
#define W(pointer, extent) {Use::Write, pointer, extent}
#define W_BEHIND(pointer, extent) {Use::WriteBehind, pointer, extent}
#define FREES(pointer)     \
  {                        \
    Use::Free, pointer, {} \
  }
#define FREES_BYTES(pointer, n)                   \
  {                                               \
    Use::FreeBytes, pointer, { Extent::Bytes, n } \
  }
#define PRINTS(n)     \
  {                   \
    Use::Print, n, {} \
  }
#define SCANS(n)     \
  {                  \
    Use::Scan, n, {} \
  }
#define CALLS_BACK(n)    \
  {                      \
    Use::CallBack, n, {} \
  }
#define NONE \
  {          \
  }
#define BYTES(n) {Extent::Bytes, n}
#define PRODUCT(n, m) {Extent::Bytes, n, m}
#define FIRST {Extent::Bytes, kOne}
#define STRING(n) {Extent::String, n, n}
#define STRING_UP_TO(n, limit) {Extent::String, n, n, limit}
#define COMMON(n, m) {Extent::String, n, m}
#define COMMON_UP_TO(n, m, limit) {Extent::String, n, m, limit}
#define RETURNED {Extent::Returned, kResult}
#define RETURNED_TIMES(n) {Extent::Returned, kResult, n}
#define FOUND(n) {Extent::Found, kResult, n}
#define FOUND_UP_TO(n, limit) {Extent::Found, kResult, n, limit}
#define RETURNED_STRING {Extent::ReturnedString, kResult}
#define PRINTED {Extent::Printed, kResult}
#define PRINTED_UP_TO(limit) {Extent::Printed, kResult, limit}
#define ARRAY {Extent::Array, kOne}
#define ARRAY_THEN {Extent::ArrayThen, kOne}
#define EXACTLY(n) {Extent::Bytes, kExactly + (n)}

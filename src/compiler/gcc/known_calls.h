// Library functions that access memory (libc_calls.def, gfortran_calls.def), and those that cannot
// reach MPI. Without GCC's headers, which poison the names of some of these functions.
#pragma once

#include <string_view>

#include "compiler/gcc/extent.h"

namespace photofinish::gcc {

enum class Use { Nothing, Read, Write, WriteBehind, Free, FreeBytes, Print, Scan, CallBack };

constexpr int kNone = -1, kResult = -2, kOne = -3, kExactly = 64;

// What a call does with the memory of one argument. Arguments are numbers; kResult: the value that
// the call returns.
struct Touch {
  Use use = Use::Nothing;
  int pointer = kNone;
  struct Numbers {
    Extent::Kind kind = Extent::Bytes;
    int a = kNone, b = kNone, c = kNone;
  } extent;

  constexpr bool comes_after() const { return is_known_after(extent.kind); }
};

struct KnownCall {
  const char* name;
  Touch touches[3];
};

// Null: unknown. `name` is that of the function, or of one of its variants.
const KnownCall* find_known_call(std::string_view name);
bool is_quiet_name(std::string_view name);

inline bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}
inline bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

}  // namespace photofinish::gcc

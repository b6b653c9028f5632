// The memory accesses of a function.
#pragma once

#include "compiler/gcc/calls.h"
#include "compiler/gcc/gcc.h"
#include "compiler/gcc/quiet.h"

namespace photofinish::gcc {

struct Access {
  gimple* statement = nullptr;
  // The bytes begin `shift` bytes behind the sum of `parts`: pointers and offsets as trees.
  std::vector<tree> parts;
  std::int64_t shift = 0;
  std::uint64_t bytes = 0;   // 0: `extent` says how many
  std::uint64_t rows = 1;    // of that many bytes,
  std::uint64_t stride = 0;  // so many bytes from one to the next
  bool writes = false, releases = false;
  std::uint64_t align = 1;
  Extent::Kind extent = Extent::Bytes;
  bool behind_string = false;
  tree a = nullptr, b = nullptr, c = nullptr;

  bool comes_after() const { return is_known_after(extent); }
};

// Counts what is not instrumented although it may access memory.
struct Found {
  std::vector<Access> accesses;
  std::uint32_t all = 0;       // relevant or not
  std::uint32_t assembly = 0;  // statements of inline assembly with memory operands
  std::uint32_t vectors = 0;   // masked vectors, and those with gaps
  std::uint32_t sizes = 0;     // assignments of a size that only the run knows
};

// Rule: an access is dropped only if no code outside of the function can have the address, or if
// the memory never changes. GCC's points-to analysis decides this. Without optimization, a variable
// is kept as soon as its address is taken.
Found find_accesses(function* fun);

// The bytes that an assignment loads, relevant or not.
std::optional<Access> load_of(gimple* statement);

// Stack variables that other ranks may still access when the function returns or the scope ends.
std::vector<Access> find_releases(function* fun, const QuietCalls& quiet);

}  // namespace photofinish::gcc

// What the source says about an MPI call: the text of the argument that is its buffer.
//
// Rule: better nothing than something wrong. The call's name must stand on the line that debug
// information gives; a call inside a macro or a wrapper is not found.
// Example: of `MPI_Put(&row[1], n, MPI_INT, 1, 0, n, MPI_INT, win);` the buffer is `&row[1]`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.h"
#include "symbols/symbolizer.h"

namespace photofinish {

// Whole files of source, read when first asked for. Files that changed since the run are left out.
class SourceLines {
 public:
  // `started_ns`: when the run did; 0: not known, so nothing counts as changed.
  explicit SourceLines(std::uint64_t started_ns) : started_ns_(started_ns) {}
  // The line of a frame and those behind it, at most `lines`; empty if they cannot be read.
  std::vector<std::string> from(const Frame& frame, std::size_t lines);
  // The line of the frame for people: without indentation, and not too long. Empty: not known.
  std::string line_of(const Frame& frame);

 private:
  std::uint64_t started_ns_;
  std::map<std::string, std::vector<std::string>> files_;
};

// The arguments of the first call of `function` on the first of these lines; comments left out.
// Empty: there is none, or it does not end. Fortran does not distinguish case.
std::vector<std::string> arguments_of_call(const std::vector<std::string>& lines,
                                           std::string_view function, bool fortran);

// Of these arguments, the buffer that the call reads, or that it writes; empty if not certain.
std::string buffer_argument(Call call, bool written, const std::vector<std::string>& arguments);
// The argument of MPI_Win_create that is its memory.
std::string window_argument(Call call, const std::vector<std::string>& arguments);

// The variable that an expression starts with: `row` of `&row[1]`; empty if it is none.
std::string variable_of(std::string_view expression);
// Whether the bytes at that address are the variable's own, and not what it points at.
bool is_own_memory(std::string_view expression, const Variable& variable, bool fortran);

bool is_fortran_source(std::string_view file);

}  // namespace photofinish

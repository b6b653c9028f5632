// Finds the buffer argument of an MPI call in the source text.
//
// Rule: no result rather than a wrong one. The name of the call must be on the line that the debug
// information gives. A call inside a macro or a wrapper is not found.
// Example: in `MPI_Put(&row[1], n, MPI_INT, 1, 0, n, MPI_INT, win);` the buffer is `&row[1]`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.h"
#include "symbols/symbolizer.h"

namespace photofinish {

// Source files, read on first use. For files that changed since the run, the stored lines are used.
class SourceLines {
 public:
  // `started_ns`: the start time of the run; 0: unknown, so no file counts as changed.
  explicit SourceLines(std::uint64_t started_ns, std::shared_ptr<SavedSymbols> saved = nullptr)
      : started_ns_(started_ns), saved_(std::move(saved)) {}
  // The line of a frame and the following ones, at most `lines`; empty if the file cannot be read.
  std::vector<std::string> from(const Frame& frame, std::size_t lines);
  // The line of the frame, without indentation and shortened. Empty if unknown.
  std::string line_of(const Frame& frame);
  // Requested files that changed since the run, and have lines that are not stored.
  const std::set<std::string>& changed() const { return changed_; }

 private:
  std::uint64_t started_ns_;
  std::shared_ptr<SavedSymbols> saved_;
  std::set<std::string> changed_;
  struct File {
    bool changed = false;
    std::vector<std::string> lines;
  };
  std::map<std::string, File> files_;
};

// The arguments of the first call of `function` on the first of these lines, without comments.
// Empty: there is none, or it is incomplete. Case is ignored for Fortran.
std::vector<std::string> arguments_of_call(const std::vector<std::string>& lines,
                                           std::string_view function, bool fortran);

// The buffer argument that the call reads, or that it writes; empty if ambiguous.
std::string buffer_argument(Call call, bool written, const std::vector<std::string>& arguments);
// The argument of MPI_Win_create that is its memory.
std::string window_argument(Call call, const std::vector<std::string>& arguments);

// The variable at the start of an expression: `row` in `&row[1]`; empty if there is none.
std::string variable_of(std::string_view expression);
// Whether the expression denotes memory of the variable itself, not memory that it points to.
bool is_own_memory(std::string_view expression, const Variable& variable, bool fortran);

bool is_fortran_source(std::string_view file);

}  // namespace photofinish

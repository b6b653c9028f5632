// Describes a finding of a coarray program in its words: images, coarrays, reads and writes.
#pragma once

#include <optional>
#include <string>

#include "model/finding.h"
#include "report/run_notes.h"

namespace photofinish {

// A call as the program writes it: "sync all", "co_sum"; others as they are.
std::string source_name(Call call);
// "image 3": the rank 2.
std::string image_text(WorldRank rank);

class CafWords {
 public:
  CafWords(const Finding& finding, RunNotes& notes) : finding_(finding), notes_(notes) {}

  // Whether the memory is a coarray, or the coarray library makes one of the accesses.
  static bool apply_to(const Finding& finding, RunNotes& notes);

  std::string access(int side) const;
  std::string headline(int side) const;
  std::string memory() const;
  std::string why() const;
  std::string advice() const;

 private:
  const FindingSide& side(int index) const { return finding_.sides[index]; }
  const WindowNotes& window() const { return notes_.window(finding_.owner, finding_.win); }
  bool is_coarray() const { return finding_.win != Uid() && window().coarray.has_value(); }
  std::string object() const;  // "`x(5)[3]`"
  std::optional<BlockNotes> component() const;
  std::string element(std::uint64_t index) const;
  std::string whose(const FindingSide& side) const;

  const Finding& finding_;
  RunNotes& notes_;
};

}  // namespace photofinish

// Describes a finding of a UPC program in its words: threads, shared variables, reads and writes.
//
// Whether the compiler turned an access into a load or into a call of the runtime is no matter of
// the program: both are a read.
#pragma once

#include <optional>
#include <string>

#include "model/finding.h"
#include "report/run_notes.h"

namespace photofinish {

// The finding with loads and stores of shared memory as the runtime's reads and writes.
Finding as_accesses_of_upc(Finding finding, RunNotes& notes);

class UpcWords {
 public:
  UpcWords(const Finding& finding, RunNotes& notes) : finding_(finding), notes_(notes) {}

  // Whether the memory is shared memory of UPC, or a private buffer of one of its calls.
  static bool apply_to(const Finding& finding, RunNotes& notes);
  bool is_shared() const { return is_shared(finding_, notes_); }  // the memory

  std::string access(int side) const;
  std::string headline(int side) const;
  std::string memory() const;
  std::string why() const;
  std::string advice() const;

 private:
  static bool is_shared(const Finding& finding, RunNotes& notes);
  const FindingSide& side(int index) const { return finding_.sides[index]; }
  const WindowNotes& window() const;
  std::string object() const;  // "`table[5]`", "block of upc_alloc +0x40..0x44"
  std::string variable() const;
  std::string element(std::uint64_t index) const;
  std::string whose(const FindingSide& side) const;

  const Finding& finding_;
  RunNotes& notes_;
};

}  // namespace photofinish

// Describes the memory of a finding in an OpenSHMEM program, and gives advice.
#pragma once

#include <string>

#include "model/finding.h"
#include "report/run_notes.h"

namespace photofinish {

class ShmemWords {
 public:
  ShmemWords(const Finding& finding, RunNotes& notes) : finding_(finding), notes_(notes) {}

  std::string object() const;  // "`grid` +0x40..0x48", "symmetric heap block +0x40..0x48"
  std::string memory() const;  // and where it is from
  std::string advice() const;

 private:
  const FindingSide& side(int index) const { return finding_.sides[index]; }
  const std::string& segment() const;
  std::string order() const;

  const Finding& finding_;
  RunNotes& notes_;
};

}  // namespace photofinish

// Findings that were there before: those of another run, or of a report that was kept as JSON or
// SARIF.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace photofinish {

struct KnownFinding {
  std::string fingerprint;
  std::string title;  // for people
  bool suppressed = false;
};

// A run directory, or a file. Suppressed ones are among them: what was hidden is not new.
// `options`: for a directory. `complete`, if not null: false if something of the run was lost, so
// that a finding that is not there need not be gone.
Result<std::vector<KnownFinding>> read_baseline(const std::string& path,
                                                const DocumentOptions& options,
                                                bool* complete = nullptr);
// Each finding that the baseline has is marked, and taken out of the baseline; what is left there
// is gone. Where several findings have one identity, as many are known as the baseline has.
void mark_known(std::vector<KnownFinding>& baseline, std::vector<FindingDocument>& findings);

}  // namespace photofinish

// A baseline: the findings of an earlier run, read from its directory or from a JSON or SARIF
// report.
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

// Reads a run directory or a report file. The result includes suppressed findings: a finding that
// was hidden is not new. `options`: for a directory. `complete`, if not null: set to false if data
// of the run was lost, so that a missing finding need not be fixed.
Result<std::vector<KnownFinding>> read_baseline(const std::string& path,
                                                const DocumentOptions& options,
                                                bool* complete = nullptr);
// Marks each finding that the baseline has, and removes it from the baseline; those that remain are
// gone. If several findings have one identity, as many are marked as the baseline has.
void mark_known(std::vector<KnownFinding>& baseline, std::vector<FindingDocument>& findings);

}  // namespace photofinish

// Collects every limitation of a run from its traces and findings files.
//
// A report without findings is not a proof: unchecked accesses cannot produce findings. So a report
// that says "no findings" says in the same line what was not checked.
#pragma once

#include <string>
#include <vector>

#include "model/limitation.h"
#include "trace/findings_file.h"

namespace photofinish {

std::vector<Limitation> collect_limitations(const std::string& directory,
                                            const RunFindings& findings);

// The text that follows the counts of a summary: " up to the crash of rank 1 in MPI_Put
// solver.c:31", ", but not everything was checked: …", " (… not checked)". Empty if everything was
// checked.
std::string coverage_text(const std::vector<Limitation>& limitations);

// The texts for a program that is not completely instrumented. Both are empty if it is, or if that
// is unknown. `openshmem`, `coarrays`: their wrappers are others.
struct NotInstrumented {
  std::string brief, text;
};
NotInstrumented not_instrumented(const std::string& program, bool openshmem = false,
                                 bool coarrays = false);

}  // namespace photofinish

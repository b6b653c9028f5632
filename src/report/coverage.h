// How much of a run was seen: collects every limitation of it, from its traces and findings files.
//
// A finding that nobody could have made is not a finding that is not there: a report that says "no
// findings" says in the same line what was not checked.
#pragma once

#include <string>
#include <vector>

#include "model/limitation.h"
#include "trace/findings_file.h"

namespace photofinish {

std::vector<Limitation> collect_limitations(const std::string& directory,
                                            const RunFindings& findings);

// " up to the crash of rank 1 in MPI_Put solver.c:31", ", but not everything was checked: …", " (…
// not checked)": what follows the counts of a summary. Empty if everything was checked.
std::string coverage_text(const std::vector<Limitation>& limitations);

// What is said of a program of which not all was built with the compiler pass; both empty if all
// was, or nothing is known.
struct NotInstrumented {
  std::string brief, text;
};
NotInstrumented not_instrumented(const std::string& program);

}  // namespace photofinish

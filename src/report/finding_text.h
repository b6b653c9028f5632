// The text report, in the format of ThreadSanitizer: a block for each finding, then a summary line.
#pragma once

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/confirmation.h"
#include "model/finding.h"
#include "report/document.h"
#include "report/run_notes.h"

namespace photofinish {

enum class GroupBy { None, Kind, File, Window, State, Rank };
Result<GroupBy> group_by_of(std::string_view text);  // "kind"

struct ReportOptions {
  std::size_t max_findings = 0;  // 0: all
  GroupBy group_by = GroupBy::None;
  bool gen_suppressions = false;  // prints a suppression for each finding
  bool verdicts = true;           // prints the verdicts about messages
  bool colors = false;
  // Prints only these findings, by number, suppressed or not, and nothing else. Empty: all.
  std::set<std::size_t> only = {};
};

// Whether the file is a terminal and NO_COLOR is not set.
bool wants_colors(std::FILE* file);

// One block with its number; ends with a newline. `confirmation`: the result of `confirm`, or null.
std::string finding_block(const Finding& finding, std::size_t number, RunNotes& notes, bool colors,
                          const Confirmation* confirmation = nullptr);
std::string finding_block(const FindingDocument& finding, bool colors);
std::string deadlock_block(const DeadlockDocument& deadlock, bool colors);
// "2 one-sided races, 1 message race"; "no findings"
std::string counts_text(const RunDocument& run);
// The same, with what was not checked: "no findings up to the crash of rank 1"
std::string result_text(const RunDocument& run);
// "SUMMARY: photofinish: 2 one-sided races · run photofinish.run"
std::string summary_line(const RunDocument& run, std::size_t shown);

// Prints the whole report, each block in one write. An Error if writing fails.
Result<bool> print_report(std::FILE* file, const RunDocument& run, const ReportOptions& options);

}  // namespace photofinish

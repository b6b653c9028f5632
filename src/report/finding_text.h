// Findings as a report for people, in the shape that ThreadSanitizer made familiar: a block for
// each, then one line that sums up.
#pragma once

#include <cstdio>
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
  bool gen_suppressions = false;  // a line for each finding, ready to be copied
  bool verdicts = true;           // what the run says about messages, beside its findings
  bool colors = false;
};

// Whether the file is a terminal, and nobody has said NO_COLOR.
bool wants_colors(std::FILE* file);

// One block, with its number; ends with a newline. `confirmation`: what is known of it beyond the
// prediction, or null.
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

// The whole report, each block in one write. An Error if it cannot be written.
Result<bool> print_report(std::FILE* file, const RunDocument& run, const ReportOptions& options);

}  // namespace photofinish

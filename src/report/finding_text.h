// Findings as a report for people, in the shape that ThreadSanitizer made familiar: a block for each, then one line that sums up.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
#include "model/confirmation.h"
#include "report/run_notes.h"
#include "trace/findings_file.h"

namespace photofinish {

struct ReportOptions {
  std::string name;              // what the run is called in the report; empty: as its directory
  std::size_t max_findings = 0;  // 0: all
  bool colours = false;
};

// Whether the file is a terminal, and nobody has said NO_COLOR.
bool wants_colours(std::FILE* file);

// The findings in the order of their numbers, message races behind the others: those that read alike are one, and intended ones are left out.
struct NumberedFindings {
  std::vector<Finding> in_memory;
  std::vector<MessageFinding> messages;
  std::string intended;  // a line that tells of those that were left out; empty if none were
  std::size_t races_with_intended = 0;  // in memory
  MessageFindings all_messages;
  std::size_t size() const { return in_memory.size() + messages.size(); }
};
NumberedFindings number_findings(RunFindings run, RunNotes& notes);

// One block, with its number; ends with a newline. `confirmation`: what is known of it beyond the prediction, or null.
std::string finding_block(const Finding& finding, std::size_t number, RunNotes& notes, bool colours, const Confirmation* confirmation = nullptr);
// "SUMMARY: photofinish: 2 one-sided races · run photofinish.run"
std::string summary_line(const std::vector<Finding>& findings, std::size_t message_races, std::size_t deadlocks, const std::string& name, std::size_t shown);

// The whole report of a run that was analysed, each block in one write. Whether there are findings; an Error if it is no run, was
// never analysed, or its findings are damaged: then nothing is printed.
Result<bool> print_report(std::FILE* file, const std::string& directory, const ReportOptions& options);

}  // namespace photofinish

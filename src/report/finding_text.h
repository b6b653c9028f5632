// Findings as a report for people, in the shape that ThreadSanitizer made familiar: a block for each, then one line that sums up.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
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

// One block, with its number; ends with a newline.
std::string finding_block(const Finding& finding, std::size_t number, RunNotes& notes, bool colours);
// "SUMMARY: photofinish: 2 one-sided races · run photofinish.run"
std::string summary_line(const std::vector<Finding>& findings, std::size_t message_races, std::size_t deadlocks, const std::string& name, std::size_t shown);

// The whole report of a run that was analysed, each block in one write. Whether there are findings; an Error if it is no run, was
// never analysed, or its findings are damaged: then nothing is printed.
Result<bool> print_report(std::FILE* file, const std::string& directory, const ReportOptions& options);

}  // namespace photofinish

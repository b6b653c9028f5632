// Which finding is F1: the same for the report, in every format, and for confirm.
#pragma once

#include <string>
#include <vector>

#include "report/run_notes.h"
#include "trace/findings_file.h"

namespace photofinish {

// The findings in the order of their numbers, message races behind the others: those that read
// alike are one, and intended ones are left out.
struct NumberedFindings {
  std::vector<Finding> in_memory;
  std::vector<MessageFinding> messages;
  std::string intended;  // a sentence that tells of those that were left out; empty if none were
  std::size_t races_with_intended = 0;  // in memory
  MessageFindings all_messages;
  std::size_t size() const { return in_memory.size() + messages.size(); }
};
NumberedFindings number_findings(RunFindings run, RunNotes& notes);

}  // namespace photofinish

// Numbers the findings (F1, F2, …): the same in every format of the report and for confirm.
#pragma once

#include <string>
#include <vector>

#include "report/run_notes.h"
#include "trace/findings_file.h"

namespace photofinish {

// The findings in the order of their numbers, message races last. Findings that read the same are
// merged, and intended ones are removed.
struct NumberedFindings {
  std::vector<Finding> in_memory;
  std::vector<MessageFinding> messages;
  std::string intended;  // a sentence about the removed ones; empty if there are none
  std::size_t races_with_intended = 0;  // races in memory
  MessageFindings all_messages;
  std::size_t size() const { return in_memory.size() + messages.size(); }
};
// A finding as reports describe it: access sites with the same text have the same site key.
Finding as_read(Finding finding, RunNotes& notes);

NumberedFindings number_findings(RunFindings run, RunNotes& notes);

}  // namespace photofinish

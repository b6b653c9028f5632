// The verdicts about the messages of a run, as text. (Message races and buffering dependences:
// describe.h.)
#pragma once

#include <string>
#include <vector>

#include "model/message_finding.h"
#include "report/run_notes.h"

namespace photofinish {

// Two lines; none if the run had no messages and no call depended on timing. `races`: the number of
// races in memory. `complete`: no data of the run is missing.
std::string verdicts(const MessageFindings& messages, std::size_t races, bool complete,
                     RunNotes& notes);

// Merges findings that read the same: a compiler may turn one line into several calls.
std::vector<MessageFinding> merge_by_where(std::vector<MessageFinding> findings, RunNotes& notes);

}  // namespace photofinish

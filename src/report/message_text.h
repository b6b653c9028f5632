// What was found about a run's messages, for people: the verdicts. (The races and the places that
// need buffers: describe.h.)
#pragma once

#include <string>
#include <vector>

#include "model/message_finding.h"
#include "report/run_notes.h"

namespace photofinish {

// Two lines; none if the run had no messages and nothing hung on timing. `races` are those of
// memory; `complete`: nothing of the run is missing.
std::string verdicts(const MessageFindings& messages, std::size_t races, bool complete,
                     RunNotes& notes);

// Findings that the reader cannot tell apart become one: a compiler makes several calls of one
// line.
std::vector<MessageFinding> merge_by_where(std::vector<MessageFinding> findings, RunNotes& notes);

}  // namespace photofinish

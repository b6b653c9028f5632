// Builds the document of a finding: resolves its call sites, windows and buffers in the run.
#pragma once

#include "model/finding.h"
#include "model/message_finding.h"
#include "report/document.h"
#include "report/run_notes.h"

namespace photofinish {

// `confirmation`: the result of `confirm`, or null.
FindingDocument describe_finding(const Finding& finding, std::size_t number, RunNotes& notes,
                                 const Confirmation* confirmation);
FindingDocument describe_message(const MessageFinding& finding, std::size_t number, RunNotes& notes,
                                 const Confirmation* confirmation);
DeadlockDocument describe_deadlock(const Deadlock& deadlock, RunNotes& notes);

}  // namespace photofinish

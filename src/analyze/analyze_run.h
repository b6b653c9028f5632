// A recorded run: its traces are read, its findings are written. By one process, or by several that
// each look after a share of the ranks.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "detect/transport.h"
#include "model/message_finding.h"
#include "options/options.h"
#include "trace/findings_file.h"

namespace photofinish {

// `say` is told what the traces lack; each thing once, by one process. An Error without a message:
// another process tells. Findings that cannot be written are an Error, or go to `unwritten`.
Result<bool> analyze_run(const std::string& directory, const Options& options, Transport& transport,
                         const std::function<void(const std::string&)>& release,
                         UnwrittenFindings* unwritten = nullptr);

// Whether a rank stopped recording before it ended. Such a rank also stops the analysis during the
// run, with accesses that were recorded and not yet checked: the traces have to be analyzed.
Result<bool> any_stopped_early(const std::string& directory);

// The deadlocks of a run that may still be going on: only those of which it is certain that they
// cannot end. `stop` is asked again and again; true: nobody wants to know any more.
Result<MessageFindings> find_deadlocks(const std::string& directory,
                                       const std::function<bool()>& stop);

// The messages alone, by this process.
Result<bool> analyze_messages_of(const std::string& directory, const Options& options,
                                 const std::function<void(const std::string&)>& release,
                                 UnwrittenFindings* unwritten = nullptr);
Result<bool> leave_out_messages(const std::string& directory,
                                const std::function<void(const std::string&)>& release,
                                UnwrittenFindings* unwritten = nullptr);

}  // namespace photofinish

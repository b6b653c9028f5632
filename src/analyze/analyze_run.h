// Analyzes a recorded run: reads its traces and writes its findings. One process does it, or
// several with a share of the ranks each.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "detect/transport.h"
#include "model/message_finding.h"
#include "options/options.h"
#include "trace/findings_file.h"

namespace photofinish {

// `warn` receives messages about what the traces lack; each once, in one process. An Error
// without text: another process reports it. Findings that cannot be written are an Error, or go to
// `unwritten`.
Result<bool> analyze_run(const std::string& directory, const Options& options, Transport& transport,
                         const std::function<void(const std::string&)>& warn,
                         UnwrittenFindings* unwritten = nullptr);

// Whether a rank stopped recording before it ended. This also stops the online analysis, with
// unchecked accesses, so the traces have to be analyzed.
Result<bool> any_stopped_early(const std::string& directory);

// The deadlocks of a run that may still be running: only those that certainly cannot resolve.
// `stop` is polled; true cancels the search.
Result<MessageFindings> find_deadlocks(const std::string& directory,
                                       const std::function<bool()>& stop);

// Analyzes the messages only, in this process.
Result<bool> analyze_messages_of(const std::string& directory, const Options& options,
                                 const std::function<void(const std::string&)>& warn,
                                 UnwrittenFindings* unwritten = nullptr);
Result<bool> leave_out_messages(const std::string& directory,
                                const std::function<void(const std::string&)>& warn,
                                UnwrittenFindings* unwritten = nullptr);

}  // namespace photofinish

// The whole run as a trace for ui.perfetto.dev and chrome://tracing (the JSON that both read): a
// process for each rank, a thread for each task, a slice for each call, an arrow for each message,
// and the ends of each finding with an arrow between them.
//
// It is written as the traces are read, so that a large run needs little memory.
#pragma once

#include <cstdio>

#include "base/result.h"
#include "report/document.h"

namespace photofinish {

Result<bool> write_perfetto(std::FILE* file, const RunDocument& run);

}  // namespace photofinish

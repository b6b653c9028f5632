// The whole run as a Perfetto trace, for ui.perfetto.dev: a process for each rank, a thread for
// each task, a slice for each call, an arrow for each message. Each finding has marks at its ends
// and an arrow between them.
//
// The format is Perfetto's protobuf (perfetto_packets.h). The trace is written while the run's
// traces are read, so that a large run needs little memory.
#pragma once

#include <cstdio>

#include "base/result.h"
#include "report/document.h"

namespace photofinish {

Result<bool> write_perfetto(std::FILE* file, const RunDocument& run);

}  // namespace photofinish

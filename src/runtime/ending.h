// How the process ends: noted in the trace, and nothing else changed about it.
#pragma once

namespace photofinish {

class TraceWriter;

// From here on an exit() completes the trace, and a fatal signal is noted in it before it takes its
// usual course. `writer` must outlive the process.
void watch_ending(TraceWriter& writer);

}  // namespace photofinish

// Records in the trace how the process ends, without changing how it ends.
#pragma once

namespace photofinish {

class TraceWriter;

// From here on exit() completes the trace, and a fatal signal is noted before it takes effect.
// `writer` must outlive the process.
void watch_ending(TraceWriter& writer);

}  // namespace photofinish

// Records in the trace how the process ends, without changing how it ends.
#pragma once

namespace photofinish {

class TraceWriter;

// From here on exit() completes the trace, and a fatal signal is noted before it takes effect.
// `writer` must outlive the process.
void watch_ending(TraceWriter& writer);

// Called once a fault of the program's own is noted, in the thread that caused it and before the
// fault takes effect. If `act` faults itself, the process ends at once, with the same signal.
void on_fault(void (*act)() noexcept) noexcept;

}  // namespace photofinish

// The interface between the two libraries of a recorded or replayed rank. The one that intercepts
// libc's clocks and similar functions (external_input.cpp) calls the one that intercepts MPI, which
// has the journal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/journal.h"

namespace photofinish {

enum class ExternalInput : std::uint32_t {
  kBefore = kOtherQueries,
  Time,
  Clock,
  TimeOfDay,
  ProcessorTime,
  Random,
  Entropy,
  Process,
  Wtime,
  Terminal,
  OpenMpTime
};

// `ask` fills in `bytes` bytes of data and returns a result. True: data and *result are set, from
// `ask` or from the journal. False: this input is not journaled; for example, `caller` belongs to
// MPI or to the OpenMP runtime.
using ExternalInputFunction = bool (*)(const void* caller, ExternalInput what,
                                       std::int64_t (*ask)(void* data, std::size_t bytes),
                                       void* data, std::size_t bytes, std::int64_t* result);
inline constexpr char kExternalInputFunction[] = "photofinish_external_input";
// bool (): whether this thread runs code of the program, not of MPI or the tool (heap.cpp).
inline constexpr char kProgramFunction[] = "photofinish_is_program";
// bool (const void* code): whether the code there belongs to a runtime.
inline constexpr char kRuntimeFunction[] = "photofinish_is_runtime";
// Call before main: output leaves the process at the same points as recorded.
void set_output_buffer();

}  // namespace photofinish

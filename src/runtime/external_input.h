// Between the two libraries of a recorded or replayed rank: the one that stands in front of libc's
// clocks and its like (outside.cpp) asks the one that stands in front of MPI, which has the
// journal.
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
  Terminal
};

// `ask` fills in so many bytes of data. True: they are, and *result is what it returned, now or
// when it was recorded. False: this is nothing to be kept.
using ExternalInputFunction = bool (*)(ExternalInput what,
                                       std::int64_t (*ask)(void* data, std::size_t bytes),
                                       void* data, std::size_t bytes, std::int64_t* result);
inline constexpr char kExternalInputFunction[] = "photofinish_external_input";
// bool (): whether this thread runs the program's own code, not MPI's or ours (heap.cpp).
inline constexpr char kProgramFunction[] = "photofinish_is_program";
// Before main: what the program prints leaves it when it did.
void set_output_buffer();

}  // namespace photofinish

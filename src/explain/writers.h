// Finds the origin of each value that a rank of a group read: a write of the group, or an external
// one.
//
// Rule: a value comes from the last possible write of these contents to those bytes. A write is
// possible if it could have begun before the read ended, and was not certainly overwritten before
// the read began. Writes and reads last from issue to completion; those that overlap in time may
// have happened in either order. An update with a known operand only (an accumulate) may have
// produced any value, and is named if no write fits.
//
// A value for which only impossible writes exist (certainly overwritten, or begun later) is
// external, or memory is not sequentially consistent: it is marked. Limit: external writes of the
// same contents are not recognized.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// Nanoseconds of a common clock.
struct TimeSpan {
  std::uint64_t start = 0, end = 0;
};

// Bytes of one memory: which memory, where, and their values.
struct Contents {
  std::uint32_t memory = 0;
  std::uint64_t begin = 0;
  std::string content = {};
};

struct Writing {
  TimeSpan when;
  std::vector<Contents> pieces;
  bool is_update = false;  // the contents are an operand
};
struct Reading {
  TimeSpan when;
  std::vector<Contents> pieces;
  // Index of the writing of the same operation, if it also writes.
  std::size_t own = ~std::size_t{0};
};

// The origin of some bytes of a reading.
struct Origin {
  static constexpr std::size_t kElsewhere = ~std::size_t{0};
  std::size_t writing = kElsewhere;  // index
  std::uint64_t bytes = 0;
  // Elsewhere, although an impossible writing has these contents.
  bool unexplained = false;
  bool operator==(const Origin&) const = default;
};

// One list per reading, by writing; external origins come last.
std::vector<std::vector<Origin>> find_origins(const std::vector<Reading>& readings,
                                              const std::vector<Writing>& writings);

}  // namespace photofinish

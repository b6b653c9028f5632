// Who wrote what was found: for each value that a rank of a group read, the write of the group that
// it came from, or that it came from elsewhere.
//
// Rule: a value comes from the last write of those bytes that has these contents, could have begun
// before the read was over, and was not surely overwritten before it began. A write is from its
// issue to its completion, a read likewise; what overlaps in time may have happened in either
// order. Updates of which only the operand is known (accumulates) may have made any value, and are
// named where no write fits. A value that only writes have which cannot have been it (surely
// overwritten, or begun later) came from elsewhere, or memory is not sequentially consistent: it is
// marked. Cannot see: writes of the same contents by others than the group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// Nanoseconds of a clock that all share.
struct TimeSpan {
  std::uint64_t start = 0, end = 0;
};

// Bytes of one memory: which, where, and what is or was there.
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
  std::size_t own =
      ~std::size_t{0};  // what the same operation writes, having read; the index of a writing
};

// Where some bytes of a reading came from.
struct Origin {
  static constexpr std::size_t kElsewhere = ~std::size_t{0};
  std::size_t writing = kElsewhere;  // index
  std::uint64_t bytes = 0;
  bool unexplained =
      false;  // elsewhere, though a writing that cannot have been it has these contents
  bool operator==(const Origin&) const = default;
};

// One list for each reading, by writing; those from elsewhere come last.
std::vector<std::vector<Origin>> find_origins(const std::vector<Reading>& readings,
                                              const std::vector<Writing>& writings);

}  // namespace photofinish

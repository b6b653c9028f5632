// The buffer of a steered operation, with the same layout. A send that goes first sends the copy,
// whatever the program stores afterwards. A receive that goes second receives into the copy, and
// its buffer is written later. A deferred put or accumulate is issued from the copy:
//
// The origin data of a deferred put or accumulate, as it was when the program made the call.
//
// After local completion (MPI_Win_flush_local) the program may overwrite or free its buffer, while
// the operation may still be pending at the target. An operation that is issued later must send the
// data that the call named: it is issued from a copy with the same layout, so that its datatype
// fits. Bytes that the datatype skips are neither read nor backed by memory.
#pragma once

#include <cstddef>
#include <memory>

#include "model/data_map.h"

namespace photofinish::mpi {

class OriginCopy {
 public:
  // `count` elements of a type with this data map. Null if the address range that they span is too
  // large to be mapped a second time: absolute addresses (MPI_BOTTOM) of distant objects.
  static std::shared_ptr<const OriginCopy> of(const void* origin, const DataMap& map,
                                              std::int64_t count);
  ~OriginCopy();
  OriginCopy(const OriginCopy&) = delete;
  OriginCopy& operator=(const OriginCopy&) = delete;

  // Whether the address range is small enough.
  static bool fits(const DataMap& map, std::int64_t count);

  // To be passed to MPI in place of the program's address.
  const void* origin() const { return origin_; }
  // Writes the first `bytes` of a message that the copy received to the program's buffer; -1: all.
  // Of an element that arrived in part, the other bytes are written as they were at the call.
  void write_back(void* buffer, const DataMap& map, std::int64_t count, std::int64_t bytes) const;

 private:
  OriginCopy(void* memory, std::size_t size, const void* origin)
      : memory_(memory), size_(size), origin_(origin) {}

  void* memory_;
  std::size_t size_;
  const void* origin_;
};

}  // namespace photofinish::mpi

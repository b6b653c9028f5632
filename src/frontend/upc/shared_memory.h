// The shared memory of the threads: each shared variable is a region (WinDefinition), and so is
// each heap. An object has the same offset in the segments of all threads, and its region the same
// uid. An event describes the layout of each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/upc/positions.h"
#include "model/definitions.h"
#include "upc_runtime/position.h"

namespace photofinish::upc {

class SharedMemory final : public Positions {
 public:
  static SharedMemory& get();

  // How a region is distributed over the threads: in turn, by blocks.
  struct Layout {
    WinId region;
    std::uint64_t element = 0;          // bytes; 0: a heap
    std::uint64_t block = 0;            // bytes; 0: all elements are on thread 0
    std::vector<std::int64_t> extents;  // of its dimensions
  };

  // When the runtime has started: defines the regions, and marks what the pass has to check.
  std::vector<Layout> start();

  std::uint64_t threads() const { return threads_; }
  std::uint64_t own_thread() const { return own_thread_; }
  bool is_own(const Position& at) const { return at.thread == own_thread_; }
  // In this thread's segment.
  const void* local(std::uint64_t offset) const {
    return reinterpret_cast<const void*>(segment_ + offset);
  }

  // A region, and the displacement of an offset in it. No region: nothing is there.
  struct Place {
    WinId region;
    std::uint64_t displacement = 0;
  };
  Place find(std::uint64_t offset) const;
  // Offsets in the segments.
  std::optional<std::uint64_t> position_of(std::uint64_t address) const override;
  std::uint64_t position_in(WinId region, std::uint64_t displacement) const override;

 private:
  SharedMemory() = default;
  WinId add(const std::string& name, std::uint64_t offset, std::uint64_t bytes);

  struct Object {
    std::uint64_t begin, end;  // offsets
    WinId region;
  };
  std::vector<Object> objects_;       // by offset
  std::map<std::string, int> names_;  // how many objects have it
  std::uint64_t segment_ = 0;         // its address
  std::uint64_t end_ = 0;             // offset behind the last object
  std::uint64_t threads_ = 1, own_thread_ = 0;
};

}  // namespace photofinish::upc

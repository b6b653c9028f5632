// Symmetric memory: the symmetric heap, and the static data of the program and its libraries. Each
// is a region (WinDefinition) with the same uid on all PEs.
//
// The heap is the mapping that contains an allocation. Static data is the writable part of a
// module: its addresses differ from PE to PE, its displacements do not. Limits: modules that are
// loaded after shmem_init, and libraries of the system, are no regions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/definitions.h"

namespace photofinish {
struct Task;
}

namespace photofinish::shmem {

class SymmetricMemory {
 public:
  static SymmetricMemory& get();

  // Before other PEs can write to the static data of a recorded rank: keeps its contents, since a
  // replayed rank computes them itself.
  void keep_static_data();
  // After shmem_init: defines the regions of static data, and marks what the pass has to check.
  void start();

  // A region, and the displacement of an address in it. No region: the address is not symmetric.
  struct Place {
    WinId region;
    std::uint64_t displacement = 0;
  };
  Place find(const void* address) const;

  // The same address for all PEs, whoever asks: static data is elsewhere in each process.
  std::int64_t common_address(WinId region, std::uint64_t displacement) const;
  // The PE whose memory this address is, and the common address. Also behind shmem_ptr.
  struct Shared {
    WorldRank owner;
    std::int64_t common;
  };
  std::optional<Shared> shared(std::int64_t address, WorldRank own) const;
  // Whether the program has pointers to the memory of other PEs.
  bool has_segments() const;

  // A block of the heap: reachable from now on. The first one finds the heap. On replay, the block
  // is mapped at its recorded address.
  void allocated(Task& task, void* block, std::size_t bytes);
  // Returns its size; 0 if it is no block.
  std::size_t freed(const void* block);

  // shmem_ptr: another PE's memory at `here` is that of the symmetric address.
  void mapped(Task& task, const void* symmetric, int pe, const void* here);

 private:
  SymmetricMemory() = default;
  static constexpr std::size_t kMaxRegions = 64;
  const WinDefinition* region_of(const void* address) const;
  void add(const std::string& name, std::uint64_t begin, std::uint64_t end);
  void watch_static_data(std::uint64_t begin, std::uint64_t end);
  void watch_block(Task& task, std::uint64_t block, std::size_t bytes, const WinSegment& segment);

  // Only added to: others read it meanwhile.
  std::array<WinDefinition, kMaxRegions> regions_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::map<std::uint64_t, std::size_t> blocks_;                     // sizes
  std::map<std::uint64_t, std::vector<std::uint8_t>> static_data_;  // by address
  std::size_t heaps_ = 0;
};

}  // namespace photofinish::shmem

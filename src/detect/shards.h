// Address shards: if an owner's accesses need too much memory at once, it checks one address range
// after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace photofinish {

// Addresses [begin, end). Default: all of them.
struct Shard {
  std::int64_t begin = std::numeric_limits<std::int64_t>::min(),
               end = std::numeric_limits<std::int64_t>::max();
  bool contains(std::int64_t address) const { return begin <= address && address < end; }
  bool touches(std::int64_t first, std::int64_t last) const { return first < end && begin < last; }
  bool operator==(const Shard&) const = default;
};

// Computes shard borders so that all shards have the same number of accesses. Samples every second,
// fourth … access if there are many.
class ShardBorders {
 public:
  void add(std::int64_t begin);  // address at which an access begins
  // At most `count` shards in ascending order that cover all addresses; fewer if many accesses
  // begin at one address.
  std::vector<Shard> shards(std::size_t count);

 private:
  static constexpr std::size_t kEnough = 1 << 17;

  std::vector<std::int64_t> begins_;
  std::uint64_t seen_ = 0, step_ = 1;
};

}  // namespace photofinish

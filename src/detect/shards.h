// Bands of addresses: what is too much to be looked at at once is looked at one band after the
// other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace photofinish {

// Addresses [begin, end); all of them.
struct Shard {
  std::int64_t begin = std::numeric_limits<std::int64_t>::min(),
               end = std::numeric_limits<std::int64_t>::max();
  bool contains(std::int64_t address) const { return begin <= address && address < end; }
  bool touches(std::int64_t first, std::int64_t last) const { return first < end && begin < last; }
  bool operator==(const Shard&) const = default;
};

// Where bands should end for all to have as many accesses: of all that are added, or of every
// second, fourth … if there are many.
class ShardBorders {
 public:
  void add(std::int64_t begin);  // where an access begins
  // At most so many, in their order, all of memory together; fewer if many begin at one place.
  std::vector<Shard> shards(std::size_t count);

 private:
  static constexpr std::size_t kEnough = 1 << 17;

  std::vector<std::int64_t> begins_;
  std::uint64_t seen_ = 0, step_ = 1;
};

}  // namespace photofinish

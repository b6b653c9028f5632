#include "detect/shards.h"

#include <algorithm>

namespace photofinish {

void ShardBorders::add(std::int64_t begin) {
  if (seen_++ % step_ != 0) return;
  begins_.push_back(begin);
  if (begins_.size() < kEnough) return;
  for (std::size_t i = 0; i < kEnough / 2; ++i) begins_[i] = begins_[2 * i];
  begins_.resize(kEnough / 2);
  step_ *= 2;
}

std::vector<Shard> ShardBorders::shards(std::size_t count) {
  std::sort(begins_.begin(), begins_.end());
  count = std::min(count, begins_.size());
  std::vector<Shard> shards{{}};
  for (std::size_t i = 1; i < count; ++i) {
    const std::int64_t border = begins_[i * begins_.size() / count];
    if (border <= shards.back().begin || border == begins_.front()) continue;
    shards.back().end = border;
    shards.push_back({.begin = border});
  }
  return shards;
}

}  // namespace photofinish

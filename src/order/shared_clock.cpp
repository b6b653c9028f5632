#include "order/shared_clock.h"

#include <algorithm>
#include <cstring>

namespace photofinish {

ClockPool::ClockPool(std::size_t ranks) {
  for (std::size_t reach = 16; reach < ranks; reach *= 16) ++height_;
  make();         // the zeros
  counts_[0] = 1;  // never freed
}

ClockPool::Node ClockPool::make() {
  ++used_;
  if (!free_.empty()) {
    const Node node = free_.back();
    free_.pop_back();
    counts_[node] = 1;
    return node;
  }
  const auto node = static_cast<Node>(counts_.size());
  if (node % kBlock == 0) blocks_.push_back(std::make_unique<Words[]>(kBlock));
  counts_.push_back(1);
  return node;
}

void ClockPool::free_tree(Node node, int level) {
  if (level > 0)
    for (int i = 0; i < 16; ++i) drop_at(words(node)[i], level - 1);
  free_.push_back(node);
  --used_;
}

ClockPool::Node ClockPool::join(Node one, Node other, int level) {
  if (one == other || other == 0) {
    hold(one);
    return one;
  }
  if (one == 0) {
    hold(other);
    return other;
  }
  alignas(64) std::uint32_t sum[16];
  const std::uint32_t* a = words(one);
  const std::uint32_t* b = words(other);
  if (level == 0) {
    for (int i = 0; i < 16; ++i) sum[i] = std::max(a[i], b[i]);
    if (std::memcmp(sum, a, sizeof sum) == 0) {
      hold(one);
      return one;
    }
    if (std::memcmp(sum, b, sizeof sum) == 0) {
      hold(other);
      return other;
    }
  } else {
    bool is_one = true, is_other = true;
    for (int i = 0; i < 16; ++i) {
      sum[i] = join(a[i], b[i], level - 1);  // blocks stay where they are when others are added
      is_one = is_one && sum[i] == a[i];
      is_other = is_other && sum[i] == b[i];
    }
    if (is_one || is_other) {
      for (int i = 0; i < 16; ++i) drop_at(sum[i], level - 1);
      hold(is_one ? one : other);
      return is_one ? one : other;
    }
  }
  const Node node = make();
  std::memcpy(words(node), sum, sizeof sum);
  return node;
}

ClockPool::Node ClockPool::raise(Node clock, std::size_t rank, Time time, int level) {
  if (clock == 0 || counts_[clock] > 1) {
    const Node copy = make();
    std::memcpy(words(copy), words(clock), sizeof(Words));
    if (level > 0)
      for (int i = 0; i < 16; ++i) hold(words(copy)[i]);
    --counts_[clock];  // others hold it
    clock = copy;
  }
  std::uint32_t& word = words(clock)[rank >> (4 * level) & 15];
  word = level == 0 ? std::max(word, time) : raise(word, rank, time, level - 1);
  return clock;
}

}  // namespace photofinish

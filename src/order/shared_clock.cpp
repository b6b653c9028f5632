#include "order/shared_clock.h"

#include <algorithm>
#include <cstring>

namespace photofinish {

ClockPool::ClockPool(std::size_t ranks) {
  for (std::size_t reach = kLeaf; reach < ranks; reach *= kInner) ++top_;
}

template <std::size_t kWidth>
ClockPool::Node ClockPool::Store<kWidth>::add() {
  if (!free_.empty()) {
    const Node node = free_.back();
    free_.pop_back();
    counts_[node] = 1;
    return node;
  }
  const auto node = static_cast<Node>(counts_.size());
  if (node % kBlock == 0) blocks_.push_back(std::make_unique<std::uint32_t[]>(kBlock * kWidth));
  counts_.push_back(1);
  return node;
}

void ClockPool::drop_tree(Node node, int level) {
  for (std::size_t i = 0; i < kInner; ++i) drop(inner_[node][i], level - 1);
  inner_.remove(node);
}

ClockPool::Node ClockPool::join_leaves(Node one, Node other) {
  const std::uint32_t* const a = leaves_[one];
  const std::uint32_t* const b = leaves_[other];
  std::uint32_t below = 0, above = 0;
  for (std::size_t i = 0; i < kLeaf; ++i) {
    below |= a[i] < b[i] ? 1u : 0u;
    above |= a[i] > b[i] ? 1u : 0u;
  }
  if (below == 0 || above == 0) {
    const Node covers = below == 0 ? one : other;
    hold(covers, 0);
    return covers;
  }
  const Node node = leaves_.add();
  std::uint32_t* const sum = leaves_[node];
  for (std::size_t i = 0; i < kLeaf; ++i) sum[i] = std::max(a[i], b[i]);
  return node;
}

ClockPool::Node ClockPool::join(Node one, Node other, int level) {
  if (one == other || one == 0 || other == 0) {
    const Node covers = one == 0 ? other : one;
    hold(covers, level);
    return covers;
  }
  if (level == 0) return join_leaves(one, other);
  const std::uint32_t* const a = inner_[one];
  const std::uint32_t* const b = inner_[other];
  std::uint32_t sum[kInner];
  bool is_one = true, is_other = true;
  for (std::size_t i = 0; i < kInner; ++i) {
    sum[i] = a[i];
    if (a[i] == b[i]) continue;
    sum[i] = join(a[i], b[i], level - 1);
    is_one = is_one && sum[i] == a[i];
    is_other = is_other && sum[i] == b[i];
  }
  if (is_one || is_other) {
    for (std::size_t i = 0; i < kInner; ++i)
      if (a[i] != b[i]) drop(sum[i], level - 1);
    const Node covers = is_one ? one : other;
    hold(covers, level);
    return covers;
  }
  for (std::size_t i = 0; i < kInner; ++i)
    if (a[i] == b[i]) hold(a[i], level - 1);
  const Node node = inner_.add();
  std::memcpy(inner_[node], sum, sizeof sum);
  return node;
}

ClockPool::Node ClockPool::raise(Node clock, std::size_t rank, Time time, int level) {
  if (level == 0) {
    if (clock == 0 || leaves_.count(clock) > 1) {
      const Node copy = leaves_.add();
      std::memcpy(leaves_[copy], leaves_[clock], kLeaf * sizeof(Time));
      drop(clock, 0);
      clock = copy;
    }
    Time& component = leaves_[clock][rank % kLeaf];
    component = std::max(component, time);
    return clock;
  }
  if (clock == 0 || inner_.count(clock) > 1) {
    const Node copy = inner_.add();
    std::memcpy(inner_[copy], inner_[clock], kInner * sizeof(Node));
    for (std::size_t i = 0; i < kInner; ++i) hold(inner_[copy][i], level - 1);
    drop(clock, level);
    clock = copy;
  }
  Node& below = inner_[clock][child(rank, level)];
  below = raise(below, rank, time, level - 1);
  return clock;
}

}  // namespace photofinish

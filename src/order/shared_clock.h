// Vector clocks that share what they have in common.
//
// Rule: a clock is a tree of nodes of sixteen, counted and never changed while more than one holds them. Joining skips what both
// sides share and gives back a side that covers the other, so the cost is in what differs: two ranks that left one barrier
// share everything but the few components that moved since, however many ranks there are.
// Invariant: node 0 is the tree of zeros, at every height.
// Misses: components have 32 bits; one that is full stays where it is, so that order is claimed where there may be none.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish {

class ClockPool {
 public:
  using Node = std::uint32_t;
  using Time = std::uint32_t;
  static constexpr Time kLast = ~Time{0} - 1;

  explicit ClockPool(std::size_t ranks);
  ClockPool(const ClockPool&) = delete;
  ClockPool& operator=(const ClockPool&) = delete;

  Time get(Node clock, std::size_t rank) const {
    for (int level = height_ - 1; level > 0 && clock != 0; --level) clock = words(clock)[rank >> (4 * level) & 15];
    return clock == 0 ? 0 : words(clock)[rank & 15];
  }
  void hold(Node clock) { ++counts_[clock]; }
  void drop(Node clock) {
    if (--counts_[clock] == 0 && clock != 0) [[unlikely]]
      free_tree(clock, height_ - 1);
  }
  // Both give a node that is held for the caller.
  Node join(Node one, Node other) { return join(one, other, height_ - 1); }
  Node raise(Node clock, std::size_t rank, Time time) { return raise(clock, rank, time, height_ - 1); }  // takes over `clock`

  std::size_t nodes() const { return used_; }
  static constexpr std::size_t kNodeBytes = 64;

 private:
  struct alignas(64) Words {
    std::uint32_t at[16];
  };
  static constexpr std::size_t kBlock = 1024;

  std::uint32_t* words(Node node) { return blocks_[node / kBlock][node % kBlock].at; }
  const std::uint32_t* words(Node node) const { return blocks_[node / kBlock][node % kBlock].at; }
  Node make();
  void free_tree(Node node, int level);
  void drop_at(Node node, int level) {
    if (--counts_[node] == 0 && node != 0) free_tree(node, level);
  }
  Node join(Node one, Node other, int level);
  Node raise(Node clock, std::size_t rank, Time time, int level);

  int height_ = 1;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Words[]>> blocks_;
  std::vector<std::uint32_t> counts_;
  std::vector<Node> free_;
};

// One clock, held as long as this lives.
class SharedClock {
 public:
  SharedClock() = default;
  explicit SharedClock(ClockPool& pool) : pool_(&pool) { pool_->hold(node_); }
  SharedClock(const SharedClock& other) : pool_(other.pool_), node_(other.node_) {
    if (pool_ != nullptr) pool_->hold(node_);
  }
  SharedClock(SharedClock&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), node_(std::exchange(other.node_, 0)) {}
  SharedClock& operator=(SharedClock other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(node_, other.node_);
    return *this;
  }
  ~SharedClock() { reset(); }

  void reset() {
    if (pool_ != nullptr) pool_->drop(node_);
    pool_ = nullptr;
    node_ = 0;
  }
  ClockPool::Time operator[](std::size_t rank) const { return pool_ == nullptr ? 0 : pool_->get(node_, rank); }
  void join(const SharedClock& other) {
    if (other.pool_ == nullptr || other.node_ == node_) return;
    if (pool_ == nullptr) {
      *this = other;
      return;
    }
    const ClockPool::Node joined = pool_->join(node_, other.node_);
    pool_->drop(node_);
    node_ = joined;
  }
  void raise(std::size_t rank, ClockPool::Time time) { node_ = pool_->raise(node_, rank, time); }

 private:
  ClockPool* pool_ = nullptr;
  ClockPool::Node node_ = 0;
};

}  // namespace photofinish

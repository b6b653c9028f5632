// Vector clocks that share common parts.
//
// Rule: a clock is a tree of reference-counted nodes: leaves of 64 components, inner nodes of 16
// children. A node with more than one reference is immutable. A join skips shared nodes, and
// returns one side if it covers the other, so the cost depends on the differences only. Two ranks
// that left one barrier share all but the few leaves that changed since, whatever the number of
// ranks.
//
// Invariant: node 0 is the tree of zeros, at every height; it is not counted. Misses: components
// have 32 bits and saturate; from there on, order is assumed.
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
    for (int level = top_; level > 0 && clock != 0; --level)
      clock = inner_[clock][child(rank, level)];
    return clock == 0 ? 0 : leaves_[clock][rank % kLeaf];
  }
  void hold(Node clock) { hold(clock, top_); }
  void drop(Node clock) { drop(clock, top_); }
  // Both return a node with a reference for the caller. raise() consumes its reference to `clock`.
  Node join(Node one, Node other) { return join(one, other, top_); }
  Node raise(Node clock, std::size_t rank, Time time) { return raise(clock, rank, time, top_); }

  std::size_t bytes() const {
    return leaves_.used() * sizeof(Time) * kLeaf + inner_.used() * sizeof(Node) * kInner;
  }

 private:
  static constexpr std::size_t kLeaf = 64, kInner = 16;

  // Nodes of one kind. Adding nodes does not move existing ones.
  template <std::size_t kWidth>
  class Store {
   public:
    Store() { add(); }  // node 0, the zeros
    std::uint32_t* operator[](Node node) {
      return blocks_[node / kBlock].get() + node % kBlock * kWidth;
    }
    const std::uint32_t* operator[](Node node) const {
      return blocks_[node / kBlock].get() + node % kBlock * kWidth;
    }
    std::uint32_t& count(Node node) { return counts_[node]; }
    Node add();  // with one reference, uninitialized
    void remove(Node node) { free_.push_back(node); }
    std::size_t used() const { return counts_.size() - free_.size(); }

   private:
    static constexpr std::size_t kBlock = 256;
    std::vector<std::unique_ptr<std::uint32_t[]>> blocks_;
    std::vector<std::uint32_t> counts_;
    std::vector<Node> free_;
  };

  static std::size_t child(std::size_t rank, int level) {
    return rank / kLeaf >> (4 * (level - 1)) & (kInner - 1);
  }
  void hold(Node node, int level) {
    if (node != 0) ++(level == 0 ? leaves_.count(node) : inner_.count(node));
  }
  void drop(Node node, int level) {
    if (node == 0 || --(level == 0 ? leaves_.count(node) : inner_.count(node)) != 0) return;
    if (level == 0)
      leaves_.remove(node);
    else
      drop_tree(node, level);
  }
  void drop_tree(Node node, int level);
  Node join(Node one, Node other, int level);
  Node join_leaves(Node one, Node other);
  Node raise(Node clock, std::size_t rank, Time time, int level);

  int top_ = 0;
  Store<kLeaf> leaves_;
  Store<kInner> inner_;
};

// A counted reference to a clock.
class SharedClock {
 public:
  SharedClock() = default;
  explicit SharedClock(ClockPool& pool) : pool_(&pool) {}
  SharedClock(const SharedClock& other) : pool_(other.pool_), node_(other.node_) {
    if (pool_ != nullptr) pool_->hold(node_);
  }
  SharedClock(SharedClock&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), node_(std::exchange(other.node_, 0)) {}
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
  ClockPool::Time operator[](std::size_t rank) const {
    return pool_ == nullptr ? 0 : pool_->get(node_, rank);
  }
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

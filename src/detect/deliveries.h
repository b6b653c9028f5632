// When an operation was delivered, as shown by a later one that some rank observed.
//
//   rank 0:  put X to 1   fence   put flag to 1
//   rank 1:                                       sees flag   load X
//
// Rule: of the operations of one rank on this owner in one lane, those of a stage are delivered
// after those of lower stages (Delivery). So whoever observes one of them knows that those of lower
// stages are delivered. An operation that has data and a signal delivers the data first: both begin
// at the same timestamp.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "detect/atomics.h"
#include "model/access.h"

namespace photofinish {

class Deliveries {
 public:
  // Adds the instants at which ranks observed the operation that began then, at this address.
  using Observed = std::function<void(std::uint64_t address, WorldRank rank, Timestamp begin,
                                      std::vector<Instant>& instants)>;

  // An operation with a value at a location that some rank reads.
  void add(const AtomicOp& op, std::uint64_t address) {
    if (op.delivery.stage == 0 || op.op == ReduceOp::NoOp) return;
    operations_[{op.rank, op.begin}].push_back({op.delivery, address});
  }
  bool empty() const { return operations_.empty(); }
  // Adds the instants at which ranks knew that the access was delivered: the first of each task.
  void add_instants(const Access& access, const Observed& observed, std::vector<Instant>& instants);
  void clear() { operations_.clear(), lanes_.clear(), first_seen_.clear(); }

 private:
  struct Operation {
    Delivery delivery;
    std::uint64_t address = 0;
  };
  // By rank and begin.
  std::map<std::pair<WorldRank, Timestamp>, std::vector<Operation>> operations_;
  // For each task that observed some: from each stage on, the first instant. By stage, descending.
  struct Seen {
    std::uint32_t stage = 0;
    Instant first;
  };
  using Task = std::pair<WorldRank, std::uint32_t>;
  using Lane = std::pair<WorldRank, std::uint32_t>;
  std::map<Lane, std::map<Task, std::vector<Seen>>> lanes_;  // created on demand
  std::map<std::pair<WorldRank, Timestamp>, std::vector<Instant>> first_seen_;

  void follow(WorldRank rank, const Observed& observed);
};

}  // namespace photofinish

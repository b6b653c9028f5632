// Partitions accesses into groups that conflict with the same other accesses. Groups without
// conflicts are never swept.
#pragma once

#include <vector>

#include "detect/rules.h"
#include "memory/sweep.h"
#include "model/access.h"

namespace photofinish {

class Groups {
 public:
  enum Fixed : std::uint32_t {
    OwnLoad,
    OwnLoadInFlight,
    OwnStore,
    OwnStoreInFlight,
    OtherLoad,
    OtherStore,
    Get,
    Put,
    AnyUpdate,
    kFixed
  };

  Groups(WorldRank owner, const RuleOptions& options)
      : owner_(owner), options_(options), weights_(kFixed, 0) {}

  // The group of one strided block, with `base` added to its addresses.
  std::uint32_t of(const Access& access, std::size_t strided, std::int64_t base);
  // `weight` must be positive. The weights of a group are summed.
  void add(std::uint32_t group, std::size_t weight) { weights_[group] += weight; }

  // Some of the accesses are to a region with this model. Groups conflict if any model says so.
  void add(const MemoryModel& model);
  // Call after all add() calls: computes which groups conflict with each other, and which conflict
  // with any.
  void settle(bool any_same_op_region);
  const GroupConflicts& conflicts() const { return conflicts_; }
  bool has_conflict(std::uint32_t group) const { return has_conflict_[group]; }
  bool any_conflict() const { return conflicting_weight_ > 0; }
  std::size_t conflicting_weight() const {
    return conflicting_weight_;
  }  // of all groups with a conflict

 private:
  // A class of accumulates.
  struct Family {
    ReduceOp op{};
    Element element;
    std::int64_t residue = 0;
    bool operator==(const Family&) const = default;
  };
  bool conflict(const Family& a, const Family& b, bool any_same_op_region) const;
  bool conflict(AccessKind a, AccessKind b) const { return model_.of(a, b) != Conflict::Never; }

  const WorldRank owner_;
  const RuleOptions& options_;
  MemoryModel model_ = kProcessMemory;  // all models together
  const MemoryModel* added_ = nullptr;  // the last one
  std::vector<Family> families_;
  std::vector<std::size_t> weights_;  // by group
  std::vector<bool> has_conflict_;
  std::size_t conflicting_weight_ = 0;
  GroupConflicts conflicts_{0};
};

}  // namespace photofinish

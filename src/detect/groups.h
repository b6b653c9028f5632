// Accesses that behave alike towards all others form a group: what never clashes never meets in the
// sweep.
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

  // That of one box, which begins `base` bytes behind where the access says.
  std::uint32_t of(const Access& access, std::size_t strided, std::int64_t base);
  // `weight`: more than nothing; they are added up for whoever wants to know.
  void add(std::uint32_t group, std::size_t weight) { weights_[group] += weight; }

  // Once all have been added: which of them clash, and whether a group has any that it clashes
  // with.
  void settle(bool any_same_op_window);
  const GroupConflicts& conflicts() const { return conflicts_; }
  bool clashes(std::uint32_t group) const { return clashes_[group]; }
  bool any_clash() const { return clashing_weight_ > 0; }
  std::size_t clashing_weight() const { return clashing_weight_; }  // of all groups that have

 private:
  // Of accumulates.
  struct Family {
    ReduceOp op{};
    Element element;
    std::int64_t residue = 0;
    bool operator==(const Family&) const = default;
  };
  bool clash(const Family& a, const Family& b, bool any_same_op_window) const;

  const WorldRank owner_;
  const RuleOptions& options_;
  std::vector<Family> families_;
  std::vector<std::size_t> weights_;  // by group
  std::vector<bool> clashes_;
  std::size_t clashing_weight_ = 0;
  GroupConflicts conflicts_{0};
};

}  // namespace photofinish

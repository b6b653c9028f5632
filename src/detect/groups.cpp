#include "detect/groups.h"

#include <algorithm>

namespace photofinish {
namespace {

// Offset of a strided block relative to a grid of elements; -1 if not all blocks lie on one grid.
// Elements of two footprints coincide if both have the same offset.
std::int64_t residue(const Strided& strided, std::int64_t size) {
  if (size <= 0) return -1;
  bool regular = strided.length % size == 0;
  for (const Dimension& dimension : strided.dimensions)
    regular = regular && dimension.stride % size == 0;
  return regular ? strided.offset % size : -1;
}

}  // namespace

std::uint32_t Groups::of(const Access& access, std::size_t strided, std::int64_t base) {
  switch (access.kind) {
    case AccessKind::Load:
      if (access.rank != owner_) return OtherLoad;
      return access.pending ? OwnLoadInFlight : OwnLoad;
    case AccessKind::Store:
      if (access.rank != owner_) return OtherStore;
      return access.pending ? OwnStoreInFlight : OwnStore;
    case AccessKind::Get:
      return Get;
    case AccessKind::Put:
      return Put;
    case AccessKind::Accumulate:
      break;
  }
  Strided bytes = access.footprint[strided];
  bytes.offset += base;
  const Family family{access.op, access.element, residue(bytes, access.element.size)};
  const auto known = std::find(families_.begin(), families_.end(), family);
  const auto group = kFixed + static_cast<std::uint32_t>(known - families_.begin());
  if (known == families_.end()) {
    families_.push_back(family);
    weights_.push_back(0);
  }
  return group;
}

void Groups::add(const MemoryModel& model) {
  if (&model == added_) return;
  added_ = &model;
  for (std::size_t a = 0; a < kAccessKinds; ++a)
    for (std::size_t b = 0; b < kAccessKinds; ++b)
      model_.conflicts[a][b] = std::max(model_.conflicts[a][b], model.conflicts[a][b]);
}

void Groups::settle(bool any_same_op_region) {
  const auto count = static_cast<std::uint32_t>(weights_.size());
  conflicts_ = GroupConflicts(count);
  struct Kind {
    Fixed group;
    AccessKind kind;
    bool in_order = false;  // accesses that the order of the owner's tasks decides
  };
  constexpr Kind kKinds[] = {{OwnLoad, AccessKind::Load, true},
                             {OwnLoadInFlight, AccessKind::Load},
                             {OwnStore, AccessKind::Store, true},
                             {OwnStoreInFlight, AccessKind::Store},
                             {OtherLoad, AccessKind::Load},
                             {OtherStore, AccessKind::Store},
                             {Get, AccessKind::Get},
                             {Put, AccessKind::Put}};
  for (const Kind& a : kKinds)
    for (const Kind& b : kKinds)
      if (a.group <= b.group && !(a.in_order && b.in_order) && conflict(a.kind, b.kind))
        conflicts_.add(a.group, b.group);
  for (const Fixed stores : {OwnStore, OwnStoreInFlight, OtherStore})
    conflicts_.add(AnyUpdate, stores);
  for (std::uint32_t i = 0; i < families_.size(); ++i) {
    const std::uint32_t group = kFixed + i;
    const AccessKind kind =
        families_[i].op == ReduceOp::NoOp ? AccessKind::Get : AccessKind::Accumulate;
    for (const Kind& other : kKinds)
      if (conflict(kind, other.kind)) conflicts_.add(group, other.group);
    for (std::uint32_t j = 0; j <= i; ++j)
      if (conflict(families_[i], families_[j], any_same_op_region))
        conflicts_.add(group, kFixed + j);
  }

  has_conflict_.assign(count, false);
  conflicting_weight_ = 0;
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = 0; b < count && !has_conflict_[a]; ++b)
      has_conflict_[a] = weights_[a] > 0 && weights_[b] > 0 && conflicts_.conflict(a, b);
    if (has_conflict_[a]) conflicting_weight_ += weights_[a];
  }
}

bool Groups::conflict(const Family& a, const Family& b, bool any_same_op_region) const {
  if (a.op == ReduceOp::NoOp && b.op == ReduceOp::NoOp) return false;
  const Conflict conflict = model_.of(AccessKind::Accumulate, AccessKind::Accumulate);
  if (conflict != Conflict::ByElement) return conflict == Conflict::Always;
  if (a.element != b.element || a.residue != b.residue || a.residue < 0) return true;
  return a.op != b.op && (options_.strict_accumulate_ops || any_same_op_region);
}

}  // namespace photofinish

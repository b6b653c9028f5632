#include "detect/rules.h"

namespace photofinish {
namespace {

std::optional<Reason> accumulates(const Access& a, const Access& b, bool elements_coincide,
                                  const AccumulateRules& rules, const RuleOptions& options) {
  if (a.element != b.element || !elements_coincide) return Reason::MixedElements;
  if (a.op == b.op) return std::nullopt;
  const bool reads = a.op == ReduceOp::NoOp || b.op == ReduceOp::NoOp;
  const bool allowed = rules.same_op_only ? false : reads || !options.strict_accumulate_ops;
  if (allowed) return std::nullopt;
  if (a.rank == b.rank && a.win == b.win && rules.ordered) return std::nullopt;
  return Reason::MixedOperations;
}

}  // namespace

bool reads_only(const Access& access) {
  return access.kind == AccessKind::Load || access.kind == AccessKind::Get ||
         (access.kind == AccessKind::Accumulate && access.op == ReduceOp::NoOp);
}

Conflict conflict_of(const Access& a, const Access& b, const MemoryModel& model) {
  const bool accumulates = a.kind == AccessKind::Accumulate && b.kind == AccessKind::Accumulate;
  if (accumulates && !(reads_only(a) && reads_only(b))) return model.of(a.kind, b.kind);
  const auto kind = [](const Access& access) {
    return access.kind == AccessKind::Accumulate && reads_only(access) ? AccessKind::Get
                                                                       : access.kind;
  };
  return model.of(kind(a), kind(b));
}

std::optional<Reason> conflict(const Access& a, const Access& b, bool elements_coincide,
                               const MemoryModel& model, const AccumulateRules& rules,
                               const RuleOptions& options) {
  switch (conflict_of(a, b, model)) {
    case Conflict::Never:
      return std::nullopt;
    case Conflict::ByElement:
      return accumulates(a, b, elements_coincide, rules, options);
    case Conflict::Always:
      break;
  }
  const bool one_task = a.rank == b.rank && task_of(a.begin) == task_of(b.begin);
  return one_task ? Reason::NotComplete : Reason::NoOrder;
}

bool protected_by_common_lock(const Access& a, const Access& b) {
  if (a.locks == nullptr || b.locks == nullptr) return false;
  for (const Lock& one : *a.locks)
    for (const Lock& other : *b.locks) {
      if (one.win != other.win || (!one.exclusive && !other.exclusive)) continue;
      if (one.target != other.target && one.target != kAnySource && other.target != kAnySource)
        continue;
      if (a.rank == b.rank && one.since == other.since)
        continue;  // the same lock: it excludes only other ranks
      return true;
    }
  return false;
}

}  // namespace photofinish

// Conflicting kinds (docs/internals/one-sided-races.md, "Conflicting kinds"), without order and
// locks.
#pragma once

#include <optional>

#include "model/access.h"
#include "model/finding.h"
#include "model/memory_model.h"

namespace photofinish {

struct RuleOptions {
  bool strict_accumulate_ops = false;
};

// Whether an access leaves the memory as it is.
bool reads_only(const Access& access);
// What the table says about the kinds of two accesses. A read-only accumulate conflicts like a get,
// except with other accumulates.
Conflict conflict_of(const Access& a, const Access& b, const MemoryModel& model);
// Why two accesses to common bytes conflict; nullopt if they do not. `elements_coincide` is
// evaluated for accumulates only.
std::optional<Reason> conflict(const Access& a, const Access& b, bool elements_coincide,
                               const MemoryModel& model, const AccumulateRules& accumulates,
                               const RuleOptions& options);
// Whether the accesses are protected by a common lock.
bool protected_by_common_lock(const Access& a, const Access& b);

}  // namespace photofinish

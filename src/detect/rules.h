// Conflicting kinds (docs/internals/one-sided-races.md, "Conflicting kinds"), without order and
// locks.
#pragma once

#include <optional>

#include "model/access.h"
#include "model/definitions.h"
#include "model/finding.h"

namespace photofinish {

struct RuleOptions {
  bool strict_accumulate_ops = false;
};

// Properties of the window of an accumulate, known to the owner.
struct AccumulateRules {
  bool same_op_only = false;  // accumulate_ops=same_op
  bool ordered = true;        // accumulate_ordering keeps the accumulates of one origin ordered
};

// Why two accesses to common bytes conflict; nullopt if they do not. `elements_coincide` is
// evaluated for accumulates only.
std::optional<Reason> conflict(const Access& a, const Access& b, bool elements_coincide,
                               const AccumulateRules& window, const RuleOptions& options);
// Whether the accesses are protected by a common lock.
bool protected_by_common_lock(const Access& a, const Access& b);

}  // namespace photofinish

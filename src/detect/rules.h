// What may meet (docs/internals/one-sided-races.md, "Conflicting kinds"), apart from order and
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

// What the owner knows of the window that an accumulate went to.
struct AccumulateRules {
  bool same_op_only = false;  // accumulate_ops=same_op
  bool ordered = true;        // accumulate_ordering does not take the order of one origin's away
};

// Why two accesses to common bytes may not meet; nothing if they may. `elements_coincide` is asked
// of accumulates only.
std::optional<Reason> clash(const Access& a, const Access& b, bool elements_coincide,
                            const AccumulateRules& window, const RuleOptions& options);
// Whether their ranks held locks that keep them apart.
bool kept_apart(const Access& a, const Access& b);

}  // namespace photofinish

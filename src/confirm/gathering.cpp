#include "confirm/gathering.h"

#include <algorithm>

namespace photofinish {
namespace {

class Gathering {
 public:
  Gathering(Evidence& evidence, std::size_t repetitions, double tolerance, TrialRuns& runs)
      : evidence_(evidence), repetitions_(repetitions), tolerance_(tolerance), runs_(runs) {}

  Result<bool> gather() {
    for (std::size_t order = 0; order < evidence_.orders;) {
      const auto seen = observe(order, Scope::One);
      if (!seen) return seen;
      order = set_aside_ ? 0 : order + 1;
    }
    const auto one = decides(Scope::One);
    if (!one || *one) return one;
    if (std::none_of(evidence_.trials.begin(), evidence_.trials.end(),
                     [](const Trial& trial) { return trial.seen; }))
      return false;
    const Instances instances = runs_.instances();
    evidence_.instances_untried = instances == Instances::OneOfSeveral;
    const bool every = instances == Instances::All;
    for (std::size_t order = 0; order < evidence_.orders && every; ++order)
      if (const auto seen = observe(order, Scope::Every); !seen) return seen;
    const auto all = every ? decides(Scope::Every) : Result<bool>(false);
    if (!all || *all) return all;
    // Repetitions may show a difference that one run of each order did not.
    for (const Scope scope : {Scope::One, Scope::Every}) {
      if (const auto done = repeat(scope, repetitions_); !done) return done;
      if (const auto found = decides(scope); !found || *found) return found;
    }
    return false;
  }

 private:
  Result<bool> run(std::size_t order, Scope scope, std::uint32_t attempt) {
    auto trial = runs_.run(order, scope, attempt);
    if (!trial) return trial.error();
    evidence_.trials.push_back(std::move(*trial));
    return evidence_.trials.back().seen;
  }

  // Until the order is seen for the first time, or a finding cannot be held: then all runs so far
  // are set aside.
  Result<bool> observe(std::size_t order, Scope scope) {
    const std::size_t attempts = evidence_.optional.contains(order) ? 1 : repetitions_;
    set_aside_ = false;
    for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
      const auto seen = run(order, scope, attempt);
      if (seen && runs_.drop_lost()) {
        for (Trial& trial : evidence_.trials) trial.compared = false;
        set_aside_ = true;
        return seen;
      }
      if (!seen || *seen) return seen;
    }
    return false;
  }

  // Until each order that was seen was seen so often. A repetition in vain is tried once more.
  Result<bool> repeat(Scope scope, std::size_t repetitions) {
    for (std::size_t order = 0; order < evidence_.orders; ++order) {
      const bool seen =
          std::any_of(evidence_.trials.begin(), evidence_.trials.end(), [&](const Trial& trial) {
            return trial.seen && trial.order == order && trial.scope == scope;
          });
      const std::size_t before = outcomes_of(evidence_, order, scope).size();
      std::size_t attempts = !seen || before >= repetitions ? 0 : 2 * (repetitions - before);
      while (attempts-- > 0 && outcomes_of(evidence_, order, scope).size() < repetitions)
        if (const auto done = run(order, scope, 0); !done) return done;
    }
    return true;
  }

  // Whether two orders differ in as many runs as that needs.
  Result<bool> decides(Scope scope) {
    if (differing_runs(evidence_, scope, tolerance_) == 0) return false;
    for (std::size_t needed = repetitions_;;) {
      if (const auto done = repeat(scope, needed); !done) return done;
      if (differing_runs(evidence_, scope, tolerance_) < needed) return false;
      // A repetition may have shown that something else varies.
      const std::size_t now = needed_runs(evidence_, scope, repetitions_, tolerance_);
      if (now <= needed) return true;
      needed = now;
    }
  }

  Evidence& evidence_;
  const std::size_t repetitions_;
  const double tolerance_;
  TrialRuns& runs_;
  bool set_aside_ = false;  // by the last observation
};

}  // namespace

Result<bool> gather_evidence(Evidence& evidence, std::size_t repetitions, double tolerance,
                             TrialRuns& runs) {
  return Gathering(evidence, repetitions, tolerance, runs).gather();
}

}  // namespace photofinish

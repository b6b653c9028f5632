// Which run of a finding comes next, until the evidence is complete (confirm/evidence.h).
//
// Each order of one instance, until it is seen; if the race has several instances, each order of
// all of them; then repetitions. A difference between orders is repeated first: it decides.
//
// Other findings are held in the directed runs of one instance. If one cannot be held together with
// this finding, it is dropped in the first runs of the orders, and these are made again without it:
// runs with different findings held are not compared.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "confirm/evidence.h"

namespace photofinish {

// The dynamic instances of a race that a run can steer.
enum class Instances : std::uint8_t {
  Single,  // there is one
  All,
  OneOfSeveral,  // the ranks are on different nodes
};

// Makes the runs of one finding.
class TrialRuns {
 public:
  virtual ~TrialRuns() = default;
  // One run. `attempt` 0 is directed at the known instance and holds other findings; later ones
  // pause at random.
  virtual Result<Trial> run(std::size_t order, Scope scope, std::uint32_t attempt) = 0;
  // Holds no longer what could not be held in the last run. False if there is no such finding.
  virtual bool drop_lost() = 0;
  // As far as the runs so far show.
  virtual Instances instances() const = 0;
};

// Adds runs to the evidence; true if two orders differ. The Error is that of a run.
Result<bool> gather_evidence(Evidence& evidence, std::size_t repetitions, double tolerance,
                             TrialRuns& runs);

}  // namespace photofinish

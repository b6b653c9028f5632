// Hand-made executions with an evident verdict: each row of the tables in
// docs/internals/one-sided-races.md, with and without a race.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "execution.h"
#include "oracle.h"

namespace photofinish::testing {

struct Case {
  std::string name;
  Execution execution;
  std::set<std::tuple<Ref, Ref, Reason>> races;  // the smaller event first
};

std::vector<Case> hand_made_cases();

// The events and the reason of each race, as a case gives them.
std::set<std::tuple<Ref, Ref, Reason>> events_of(const std::set<RacingPair>& pairs);

}  // namespace photofinish::testing

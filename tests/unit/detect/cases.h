// Executions made by hand whose verdict is evident: each row of the page's tables, on both sides of
// the line.
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

// What a case says of a verdict: events and reason.
std::set<std::tuple<Ref, Ref, Reason>> events_of(const std::set<RacingPair>& pairs);

}  // namespace photofinish::testing

#include "cases.h"

#include <algorithm>
#include <utility>

#include "cases_made.h"

namespace photofinish::testing {

Case made::finish(const char* name, Script& script, const Races& races) {
  Case one{name, std::move(script.execution()), {}};
  for (const Race& race : races)
    one.races.insert({std::min(race.one, race.other), std::max(race.one, race.other), race.reason});
  return one;
}

std::vector<Case> hand_made_cases() {
  std::vector<Case> cases;
  made::add_access_cases(cases);
  made::add_lock_cases(cases);
  made::add_kind_cases(cases);
  made::add_order_cases(cases);
  made::add_atomic_cases(cases);
  return cases;
}

std::set<std::tuple<Ref, Ref, Reason>> events_of(const std::set<RacingPair>& pairs) {
  std::set<std::tuple<Ref, Ref, Reason>> events;
  for (const RacingPair& pair : pairs) {
    const Ref one{pair.one.rank, pair.one.site.value - 1},
        other{pair.other.rank, pair.other.site.value - 1};
    events.insert({std::min(one, other), std::max(one, other), pair.reason});
  }
  return events;
}

}  // namespace photofinish::testing

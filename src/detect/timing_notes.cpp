#include "detect/timing_notes.h"

#include <algorithm>

namespace photofinish {

bool depends_on_time(const Event& event) {
  const auto [name, action, when] = traits(event.call);
  const bool asked_in_vain = event.fields.has(Field::flag) && event.fields[Field::flag] == 0;
  switch (action) {
    case Action::Probe:
    case Action::MatchedProbe:
    case Action::RequestStatus:
    case Action::Wait:
    case Action::WaitAll:
      return asked_in_vain;
    case Action::WaitAny:
    case Action::WaitSome:
      return asked_in_vain || std::count_if(event.requests.begin(), event.requests.end(),
                                            [](RequestId id) { return id != RequestId(0); }) > 1;
    case Action::ReadClock:
      return true;
    case Action::Lock:
      return event.fields[Field::lock] == kExclusiveLock &&
             (event.fields[Field::assertion] & kNoCheck) == 0;  // who has it first
    default:
      return is_fetch(action);  // what others had done by then
  }
}

void TimingNotes::note(WorldRank rank, SiteId site, std::uint64_t site_key) {
  if (last_ == nullptr || last_key_ != site_key) {
    last_ = &by_place_[site_key];
    last_key_ = site_key;
  }
  TimingDependence& known = *last_;
  if (known.ranks.empty()) known.times = 0;
  if (known.ranks.empty() || rank < known.at.rank) known.at = {rank, 0, site, site_key};
  known.ranks.insert(rank);
  ++known.times;
}

std::vector<TimingDependence> TimingNotes::all() const {
  std::vector<TimingDependence> all;
  for (const auto& [place, timing] : by_place_) all.push_back(timing);
  return all;
}

}  // namespace photofinish

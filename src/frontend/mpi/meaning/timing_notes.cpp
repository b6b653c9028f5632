#include "frontend/mpi/meaning/timing_notes.h"

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
      // The rank that acquires the lock first may differ.
      return event.fields[Field::lock] == kExclusiveLock &&
             (event.fields[Field::assertion] & kNoCheck) == 0;
    default:
      return is_fetch(action);  // the result depends on operations of other ranks
  }
}

void TimingNotes::follow(WorldRank rank, const Event& event) {
  const Action action = traits(event.call).action;
  if (action != Action::GeneralRequest && general_.empty()) return;
  const auto find = [&](RequestId id) { return general_.find({rank, id}); };
  const auto named = [&] {
    return RequestId(static_cast<std::uint64_t>(
        event.fields.has(Field::request) ? event.fields[Field::request] : 0));
  };
  switch (action) {
    case Action::GeneralRequest:
      if (named() != RequestId(0)) general_[{rank, named()}] = {};
      return;
    case Action::GeneralRequestDone:
      if (const auto found = find(named()); found != general_.end())
        found->second.completed_by = event.task;
      return;
    case Action::Cancel:
      for (const RequestId id : event.requests)
        if (const auto found = find(id); found != general_.end())
          found->second.cancelled_by = event.task;
      return;
    default:
      return;
  }
}

void TimingNotes::finish(WorldRank rank, const Event& event) {
  const auto is_over = [&](RequestId id) {
    const auto found = general_.find({rank, id});
    if (found == general_.end()) return;
    settle(rank, found->second, counts_);
    general_.erase(found);
  };
  if (traits(event.call).action == Action::RequestFree)
    for (const RequestId id : event.requests) is_over(id);
  for (const Completion& completion : event.completions)
    if (completion.index < event.requests.size()) is_over(event.requests[completion.index]);
}

// MPI_Testall returns false as long as one of its requests is incomplete, so one generalized
// request is enough. The other calls choose among requests, so all of theirs must be generalized.
bool TimingNotes::is_about_general(WorldRank rank, const Event& event) const {
  const auto is_general = [&](RequestId id) { return general_.contains({rank, id}); };
  const Action action = traits(event.call).action;
  if (action == Action::RequestStatus)
    return event.fields.has(Field::request) &&
           is_general(RequestId(static_cast<std::uint64_t>(event.fields[Field::request])));
  const auto is_null_or_general = [&](RequestId id) {
    return id == RequestId(0) || is_general(id);
  };
  if (action == Action::WaitAll)
    return std::any_of(event.requests.begin(), event.requests.end(), is_general);
  return !event.requests.empty() &&
         std::all_of(event.requests.begin(), event.requests.end(), is_null_or_general);
}

// Adds the test to the first generalized request of the call. Misses: a call other than MPI_Testall
// with several of them, if the same thread completes the first, and another thread another one.
void TimingNotes::hold(WorldRank rank, const Event& event, std::uint64_t key) {
  std::vector<RequestId> ids = event.requests;
  if (traits(event.call).action == Action::RequestStatus)
    ids = {RequestId(static_cast<std::uint64_t>(event.fields[Field::request]))};
  for (const RequestId id : ids) {
    const auto found = general_.find({rank, id});
    if (found == general_.end()) continue;
    std::vector<General::Test>& tests = found->second.tests;
    const auto same = std::find_if(tests.begin(), tests.end(), [&](const General::Test& test) {
      return test.task == event.task && test.key == key;
    });
    if (same != tests.end())
      ++same->times;
    else
      tests.push_back({event.task, event.site, key, 1});
    return;
  }
}

// The callback that MPI_Cancel calls completes a cancelled request; that call is not recorded.
void TimingNotes::settle(WorldRank rank, const General& general, TimingCounts& counts) {
  const std::optional<TaskId> by =
      general.completed_by ? general.completed_by : general.cancelled_by;
  for (const General::Test& test : general.tests)
    if (test.task != by) counts.note(rank, test.site, test.key, test.times);
}

std::vector<TimingDependence> TimingNotes::all() const {
  TimingCounts settled = counts_;
  for (const auto& [key, general] : general_) settle(key.first, general, settled);
  return settled.all();
}

}  // namespace photofinish

// Notes calls with a timing-dependent outcome: polling calls, and calls that choose among several
// requests.
//
// A generalized request is the exception: the program completes it. If the thread that tests it is
// the one that completes it, program order decides every outcome. Which thread completes it is
// known only after the test, so the note is deferred until then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "effects/timing_counts.h"
#include "model/event.h"
#include "model/message_finding.h"

namespace photofinish {

// Whether the call could have had another outcome at a slightly different time. Considers only the
// call itself.
bool depends_on_time(const Event& event);

// Notes by call site, of one or several ranks.
class TimingNotes {
 public:
  // `key()` returns the key of the event's call site.
  template <class Key>
  void add(WorldRank rank, const Event& event, Key key) {
    follow(rank, event);
    if (event.returned && depends_on_time(event)) {
      SiteId& last_held = last_held_[{rank, event.task}];
      // A repeated failed test does not list its requests again.
      if (event.fields.has(Field::repeated) && event.site == last_held) return;
      if (!general_.empty() && is_about_general(rank, event))
        last_held = event.site, hold(rank, event, key());
      else
        counts_.note(rank, event.site, key());
    }
    if (!general_.empty()) finish(rank, event);
  }
  std::vector<TimingDependence> all() const;

 private:
  // A generalized request, and the tests that found it incomplete.
  struct General {
    std::optional<TaskId> completed_by, cancelled_by;
    struct Test {
      TaskId task;
      SiteId site;
      std::uint64_t key = 0;
      std::uint64_t times = 0;
    };
    std::vector<Test> tests;
  };
  using GeneralKey = std::pair<WorldRank, RequestId>;

  void follow(WorldRank rank, const Event& event);
  void finish(WorldRank rank, const Event& event);  // requests that the event completes or frees
  bool is_about_general(WorldRank rank, const Event& event) const;
  void hold(WorldRank rank, const Event& event, std::uint64_t key);
  static void settle(WorldRank rank, const General& general, TimingCounts& counts);

  std::map<GeneralKey, General> general_;  // active ones
  TimingCounts counts_;
  // Call site of the last test of each task.
  std::map<std::pair<WorldRank, TaskId>, SiteId> last_held_;
};

}  // namespace photofinish

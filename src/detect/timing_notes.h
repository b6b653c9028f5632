// Calls that tell what has happened so far, or choose among several: another run may be told
// otherwise.
//
// A generalized request is the exception: it is complete when the program says so. If the thread
// that tests it is the one that completes it, program order decides every outcome. Who completes it
// is known later than the test, so that the note waits until then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/message_finding.h"

namespace photofinish {

// Whether the call could have come back with something else, had it been made a little earlier or
// later, as far as the call alone says.
bool depends_on_time(const Event& event);

// By call site, of one rank or of several.
class TimingNotes {
 public:
  // `key`: of its call site.
  template <class Key>
  void add(WorldRank rank, const Event& event, Key key) {
    follow(rank, event);
    if (event.returned && depends_on_time(event)) {
      SiteId& last_held = last_held_[{rank, event.task}];
      // A repetition in vain does not name its requests once more.
      if (event.fields.has(Field::repeated) && event.site == last_held) return;
      if (!general_.empty() && is_about_general(rank, event))
        last_held = event.site, hold(rank, event, key());
      else
        note(rank, event.site, key());
    }
    if (!general_.empty()) finish(rank, event);
  }
  void note(WorldRank rank, SiteId site, std::uint64_t site_key, std::uint64_t times = 1);
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
  void finish(WorldRank rank, const Event& event);  // those that it completes, or frees
  bool is_about_general(WorldRank rank, const Event& event) const;
  void hold(WorldRank rank, const Event& event, std::uint64_t key);
  void settle(WorldRank rank, const General& general);

  std::map<GeneralKey, General> general_;  // those that are active
  std::map<std::uint64_t, TimingDependence> by_position_;
  TimingDependence* last_ = nullptr;  // programs stay at a place
  std::uint64_t last_key_ = 0;
  std::map<std::pair<WorldRank, TaskId>, SiteId> last_held_;  // by the last test of each task
};

}  // namespace photofinish

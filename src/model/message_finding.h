// What was found about a run's messages: receives that could have taken others, places where it
// needs buffers, and calls whose outcome hangs on time.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "model/message.h"
#include "model/scopes.h"

namespace photofinish {

// A receive that could have got another message, at one place; the sends that it could have got, by
// theirs.
struct MessageFinding {
  Taker taker = Taker::Receive;
  Uid comm;
  Wanted wanted;
  MessageEnd receive;
  MessageEnd got;  // rank kProcNull: nothing, it was cancelled
  struct Other {
    MessageEnd send;
    bool unmatched = false;  // nobody ever took it
    std::uint64_t times = 1;
    MessageEnd
        receive;     // that could have got it: the finding's own, or another one at the same place
    MessageEnd got;  // by that one
    bool operator==(const Other&) const = default;
  };
  std::vector<Other> others;
  std::uint64_t times = 1;
  std::set<WorldRank> ranks;  // of all ends
  bool operator==(const MessageFinding&) const = default;
};

inline bool is_intended(const MessageFinding& finding) {
  return is_intended(finding.receive.site_key);
}

// Ranks that wait for each other; or that would, or for what never comes, if no send were buffered.
struct Deadlock {
  struct Waits {
    WorldRank rank;
    SiteId site;    // where it waits
    SiteId posted;  // what it waits for was posted there; null: it is in a collective or probe
    WorldRank on = kProcNull;    // kAnySource: for a message from any rank
    std::uint64_t site_key = 0;  // of where it waits, the same on every rank
    bool for_lock = false;       // of a window, which `on` holds
    SiteId finalize;             // of `on`, which has finished: its MPI_Finalize
    bool operator==(const Waits&) const = default;
  };
  std::vector<Waits> waits;
  bool came_about = false;   // in this run
  bool cycle = false;        // the last waits for the first
  bool other_match = false;  // unless a wildcard takes another message than it did
  std::uint64_t times = 1;
  std::uint64_t phase = 0;     // of those that are walked apart
  std::set<WorldRank> behind;  // wait for one of these, directly or not
  bool operator==(const Deadlock&) const = default;
};

// A call that tells what has happened so far, or chooses among several: another run may be told
// otherwise.
struct TimingDependence {
  MessageEnd at;
  std::uint64_t times = 1;
  std::set<WorldRank> ranks;
  bool operator==(const TimingDependence&) const = default;
};

struct MessageFindings {
  std::vector<MessageFinding> races;
  std::vector<Deadlock> deadlocks;
  std::vector<TimingDependence> timing;
  std::vector<TimingDependence>
      answers;  // calls that would have come back otherwise if no send were buffered
  std::uint64_t messages = 0;
  bool checked = true;  // false: nobody wanted to know
  // Given up, for it would have taken more memory than it may: the races that there are, and the
  // deadlocks of this run, are not known; nor whether it needs buffers.
  bool races_given_up = false, buffers_given_up = false;
  bool followed = true;  // false: not all ranks came to their end
  bool threads =
      false;  // some ranks call MPI from several threads: whether it needs buffers is not known
  bool unsure = false;  // whether it needs buffers hangs on what the program does where a call
                        // comes back otherwise
  std::uint64_t unsure_after = ~std::uint64_t{
      0};  // the first phase with such a call, or with a receive that takes another message
  bool operator==(const MessageFindings&) const = default;
};

// Whether it is the finding's own receive that could have got it.
inline bool is_of_example(const MessageFinding& finding, const MessageFinding::Other& other) {
  return other.receive.rank == finding.receive.rank &&
         other.receive.timestamp == finding.receive.timestamp;
}

// What several have found, each in a part of the run: one race for each place of a receive, with
// all that it could have got, one deadlock for each set of places, and all of them sorted.
MessageFindings merge_messages(std::vector<MessageFindings> parts);

}  // namespace photofinish

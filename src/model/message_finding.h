// Findings about the messages of a run: message races, buffering dependence, and calls with a
// timing-dependent outcome.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "model/message.h"
#include "model/scopes.h"

namespace photofinish {

// A receive, by call site, that could have matched other messages; these sends, by their call
// sites.
struct MessageFinding {
  Taker taker = Taker::Receive;
  Uid comm;
  Wanted wanted;
  MessageEnd receive;
  MessageEnd got;  // rank kProcNull: the receive was cancelled
  struct Other {
    MessageEnd send;
    bool unmatched = false;  // no receive ever matched it
    std::uint64_t times = 1;
    // The receive that could have matched it: the finding's own, or another one at the same call
    // site.
    MessageEnd receive;
    MessageEnd got;  // what that receive matched
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

// Ranks that wait for each other, or for something that never happens; or that would without send
// buffering.
struct Deadlock {
  struct Waits {
    WorldRank rank;
    SiteId site;  // of the call that waits
    // Where the operation that it waits for was posted; null: it is in a collective or probe.
    SiteId posted;
    WorldRank on = kProcNull;    // kAnySource: any rank may send the message
    std::uint64_t site_key = 0;  // of the waiting call, equal on every rank
    bool for_lock = false;       // a window lock that `on` holds
    SiteId finalize;             // MPI_Finalize of `on`, if it has finished
    // What it waits for. Send, Receive: the operation that the call posted or completes, with its
    // peer, tag and communicator. Probe: with what it accepts.
    enum class For : std::uint8_t { Other, Send, Receive, Probe };
    For what = For::Other;
    WorldRank peer = kProcNull;
    std::int64_t tag = kAnyTag;
    Uid comm;
    bool operator==(const Waits&) const = default;
  };
  std::vector<Waits> waits;
  bool came_about = false;   // it occurred in this run
  bool cycle = false;        // the last waits for the first
  bool other_match = false;  // unless a wildcard receive matches another message
  std::uint64_t times = 1;
  std::uint64_t phase = 0;     // if phases are analyzed separately
  std::set<WorldRank> behind;  // ranks that wait for one of these, directly or indirectly
  bool operator==(const Deadlock&) const = default;
};

// A call with a timing-dependent outcome: it polls, or chooses among several requests.
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
  // Polling calls that would have returned another result without send buffering.
  std::vector<TimingDependence> answers;
  std::uint64_t messages = 0;
  bool checked = true;  // false: disabled
  // Given up because of the memory limit: the races and the deadlocks of this run; the buffering
  // dependence.
  bool races_given_up = false, buffers_given_up = false;
  bool followed = true;  // false: not all ranks finished
  // Some ranks call MPI from several threads: buffering dependence is unknown.
  bool threads = false;
  // Buffering dependence is unknown, since polling calls would have returned another result.
  bool unsure = false;
  // The first phase with such a call, or with a receive that matches another message.
  std::uint64_t unsure_after = ~std::uint64_t{0};
  bool operator==(const MessageFindings&) const = default;
};

// Whether the finding's own receive could have matched it.
inline bool is_of_example(const MessageFinding& finding, const MessageFinding::Other& other) {
  return other.receive.rank == finding.receive.rank &&
         other.receive.timestamp == finding.receive.timestamp;
}

// Merges the findings of several parts of the run: one race per call site of a receive, with all
// its possible matches, and one deadlock per set of call sites. The result is sorted.
MessageFindings merge_messages(std::vector<MessageFindings> parts);

}  // namespace photofinish

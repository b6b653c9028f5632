// One rank's steps about messages, phase by phase, for whoever walks a phase while the program
// runs.
//
// Rule: a cut at which nothing is on its way (no message sent and not received, no receive open, no
// collective or epoch half done) parts an execution: nothing behind it races with, or waits for,
// anything before it, so that phases are walked one by one, each by another rank. Each rank counts
// what it leaves on its way in a phase, and what it takes away; where all phases before ended with
// nothing left, this one did if the sum over all ranks is zero. Invariant: a rank's steps are
// written as differences from the one before; places, communicators and groups once for a phase.
// Cannot see: threads (events must come one after the other).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "detect/sequence_pair.h"
#include "detect/timeline.h"
#include "detect/timing_notes.h"

namespace photofinish {

// What one rank did in one phase; nothing at all if it is not there.
struct PhaseSteps {
  SyncPoint phase = 0;
  WorldRank rank;
  bool last = false;          // no sync point ends it: the program does
  bool has_messages = false;  // and not only collectives
  bool has_choices = false;   // receives that may have taken another message than they did
  std::int64_t left = 0;
  struct CallSite {
    SiteId site;
    std::uint64_t key = 0;
    bool operator==(const CallSite&) const = default;
  };
  CallSite sync_point;
  Timestamp sync_point_timestamp = 0;
  std::int64_t clock = 0;  // of the ticks below
  // Locks of windows that it gave back, for all to know before the first step.
  struct Unlock {
    Uid win;
    WorldRank target;
    bool exclusive = false;
    std::uint64_t ticks = 0;
    bool operator==(const Unlock&) const = default;
  };
  std::vector<Unlock> unlocks;
  std::vector<CallSite> call_sites;
  std::vector<Uid> comms;
  std::vector<std::vector<WorldRank>> groups;
  std::uint64_t count = 0;
  std::string steps;
};
template <class A>
void describe(A& a, PhaseSteps::CallSite& d) {
  a(d.site, d.key);
}
template <class A>
void describe(A& a, PhaseSteps::Unlock& d) {
  a(d.win, d.target, d.exclusive, d.ticks);
}
template <class A>
void describe(A& a, PhaseSteps& d) {
  a(d.phase, d.rank, d.last, d.has_messages, d.has_choices, d.left, d.sync_point,
    d.sync_point_timestamp, d.clock, d.unlocks, d.call_sites, d.comms, d.groups, d.count, d.steps);
}

class MessageLog final : public MessageSink {
 public:
  explicit MessageLog(WorldRank rank) : rank_(rank) { now_.rank = rank; }

  void step(MessageStep step) override;
  void took(std::uint64_t operation, MessageKey key) override;
  // The timeline has told all about the event: it was a sync point, or not.
  void ended(const Event& event, const Timeline& timeline);
  void end_event();
  void end_phase(SyncPoint sync_points, const PhaseSteps::CallSite& sync_point);

  // Whether any of what is here to be taken is a message.
  bool has_messages() const { return has_messages_ || now_.has_messages; }
  std::size_t pending() const { return pending_ + now_.count; }
  std::size_t phase_steps() const { return now_.count; }
  // Whether any receive of the phase so far takes from anybody, or any tag.
  bool phase_is_wild() const { return is_wild_; }
  std::size_t bytes() const { return bytes_ + now_.steps.size(); }
  // `last`: nothing comes after it.
  std::vector<PhaseSteps> take(bool last);
  // Nobody will walk: from here on nothing is kept.
  void give_up();

  // What needs no other rank: the number of messages, and calls that hang on timing.
  MessageFindings findings() const;

 private:
  void put(const MessageStep& step);
  std::uint64_t call_site_of(const MessageStep& step);
  void lock(MessageStep step);
  void thin_locks();
  void put_locks();
  void close(bool last);
  std::uint64_t group(const std::shared_ptr<const std::vector<WorldRank>>& ranks);

  const WorldRank rank_;
  PhaseSteps now_;
  Timestamp timestamp_ = 0;         // of the last step
  std::uint64_t operation_ = 0;     // the last one that was posted
  std::vector<MessageStep> held_;   // of this event: if it is a sync point, that alone says it all
  std::vector<MessageStep> locks_;  // since the last step of another kind
  std::size_t most_locks_ = 256;
  std::vector<PhaseSteps> done_;
  std::size_t pending_ = 0, bytes_ = 0;
  bool has_messages_ = false, is_wild_ = false;
  bool given_up_ = false;
  SyncPoint sync_points_ = 0;
  struct CallSiteHash {
    std::size_t operator()(const PhaseSteps::CallSite& call_site) const {
      return call_site.key + call_site.site.value;
    }
  };
  std::unordered_map<PhaseSteps::CallSite, std::uint64_t, CallSiteHash> call_sites_;
  struct RecentCallSite {
    PhaseSteps::CallSite call_site;
    std::uint64_t index = ~std::uint64_t{0};
  };
  std::array<RecentCallSite, 16> recent_;
  std::unordered_map<const std::vector<WorldRank>*, std::uint64_t> groups_;

  TimingNotes timing_;
  std::uint64_t messages_ = 0;
  TaskId task_;
  bool threads_ = false;
};

// All that ranks did in one phase; false if something was left on its way at its end, or the steps
// are none.
bool walk_phase(const std::vector<PhaseSteps>& ranks, std::int32_t world_size, SequencePair& walk);

}  // namespace photofinish

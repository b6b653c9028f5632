// The message steps of one rank, phase by phase, for the rank that analyzes the phase while the
// program runs.
//
// Rule: at a quiet sync point no message is under way, no receive is open, and no collective or
// epoch is half done. It splits the execution: nothing after it races with, or waits for, anything
// before it. So each phase is analyzed separately, each by another rank. Each rank counts what it
// leaves open in a phase minus what it closes. If all earlier phases ended quiet, this one does
// exactly if the sum over all ranks is zero.
//
// Invariant: each step is encoded as the difference from the previous one of its rank. Call sites,
// communicators and groups are stored once per phase. Limit: no threads; events must be one
// sequence.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "detect/sequence_pair.h"
#include "effects/timeline.h"

namespace photofinish {

// The steps of one rank in one phase. Absent if the rank has none.
struct PhaseSteps {
  SyncPoint phase = 0;
  WorldRank rank;
  bool last = false;          // ends with the program, not with a sync point
  bool has_messages = false;  // not only collectives
  bool has_choices = false;   // receives that may have matched another message
  std::int64_t left = 0;
  struct CallSite {
    SiteId site;
    std::uint64_t key = 0;
    bool operator==(const CallSite&) const = default;
  };
  CallSite sync_point;
  Timestamp sync_point_timestamp = 0;
  std::int64_t clock = 0;  // of the ticks below
  // Window locks that the rank released. They are announced before the first step.
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
  // The timeline has reported all steps of the event, and whether it was a sync point.
  void ended(SiteId site, const Timeline& timeline);
  void end_event();
  void end_phase(SyncPoint sync_points, const PhaseSteps::CallSite& sync_point);

  // Whether the steps that have not been taken include a message.
  bool has_messages() const { return has_messages_ || now_.has_messages; }
  std::size_t pending() const { return pending_ + now_.count; }
  std::size_t phase_steps() const { return now_.count; }
  // Whether a receive of the current phase has a wildcard source or tag.
  bool phase_is_wild() const { return is_wild_; }
  std::size_t bytes() const { return bytes_ + now_.steps.size(); }
  // `last`: no further steps.
  std::vector<PhaseSteps> take(bool last);
  // Stops recording: the phases will not be analyzed online.
  void give_up();

  // Results that need no other rank: the number of messages.
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
  std::uint64_t operation_ = 0;     // the last one posted
  std::vector<MessageStep> held_;   // of this event; a sync point replaces them
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

  std::uint64_t messages_ = 0;
};

// Analyzes one phase of all ranks. False if something was open at its end, or the steps are
// invalid.
bool walk_phase(const std::vector<PhaseSteps>& ranks, std::int32_t world_size, SequencePair& walk);

}  // namespace photofinish

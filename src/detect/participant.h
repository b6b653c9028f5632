// One rank's part of the analysis: it follows its own events, owns its own memory, and resolves
// every so-many-th phase.
//
// A period ends at a sync point and goes through five stages. Who carries the batches, and when, is
// the driver's business: online each stage of a period goes along with the next exchange
// (frontend/mpi/exchange.h), offline they follow each other at once.
//   1. send      accesses to the owners of the memory
//   2. check     the owner looks at them; some pairs may remain undecided
//   3. ask       if anybody has such pairs: edges to the resolvers, and queries
//   4. resolve   answers back
//   5. conclude  the undecided pairs are findings, or not
// While the program runs its messages go another way (docs/internals/message-races.md):
// where anybody has
// some in a period, all ranks tell their steps to the ranks that walk its phases.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "detect/batch.h"
#include "detect/owner.h"
#include "detect/timeline.h"

namespace photofinish {

using Batches = std::map<WorldRank, Batch>;

class Participant {
 public:
  Participant(WorldRank rank, std::int32_t world_size, const Definitions& definitions,
              const RuleOptions& options)
      : rank_(rank),
        world_size_(world_size),
        definitions_(definitions),
        timeline_(rank, world_size, definitions),
        owner_(rank, timeline_, options, Owner::Pairs::WithOthers),
        own_(rank, timeline_, options, Owner::Pairs::Own) {}

  // Before the first event, on all ranks of a running program.
  void run_along(bool messages);

  WorldRank rank() const { return rank_; }
  void add(const Event& event, const Timeline::Times& times) {
    timeline_.add(event, times);
    if (follows_messages_) log_->ended(event, timeline_);
    if (taken_ + timeline_.pending() >= collect_at_) [[unlikely]]
      collect();
  }
  // How much waits for the end of the period.
  std::size_t pending() const {
    return waiting_ + timeline_.pending() + timeline_.pending_edges() +
           (log_ ? log_->pending() : 0);
  }
  // What of it could wait elsewhere, in bytes, about (footprint).
  std::size_t waiting_bytes() const { return waiting_bytes_ + timeline_.pending_bytes(); }
  // All of the period so far, whether it waits or was handed out.
  std::size_t produced() const {
    return produced_ + timeline_.pending() + timeline_.pending_edges();
  }
  // Hands it out before the period ends, for somebody to keep elsewhere until it is checked; what
  // this rank would have sent itself goes under its own rank.
  Batches unload();
  // From here on nothing is kept: the run will be analyzed from its traces.
  void give_up() {
    given_up_ = true, outgoing_.clear(), to_self_ = {}, kept_.clear(), own_closed_ = {},
    waiting_bytes_ = taken_ = 0;
    timeline_.report_no_edges();
  }
  const Timeline& timeline() const { return timeline_; }
  void report_no_edges() { timeline_.report_no_edges(); }
  const Owner& owner() const { return owner_; }

  Batches send(std::uint64_t period, SyncPoint until);  // kNoSyncPoint: the last
  // `each` hands over all that came from others (and what this rank unloaded), `memory` is as
  // Owner::check has it.
  bool check(std::uint64_t period, SyncPoint until, const Owner::Each& each, std::size_t memory);
  Batches ask(std::uint64_t period);
  // Nobody has a query about it.
  void forget(std::uint64_t period) {
    begin_period();
    edges_.erase(period);
    owner_.forget(period);
  }
  static Batches resolve_for(std::map<WorldRank, Batch> received);
  void conclude(std::uint64_t period, std::vector<Batch> received);

  std::vector<Finding> take_findings();

  // --- messages, while the program runs
  const MessageLog* log() const { return log_ ? &*log_ : nullptr; }
  bool has_messages(std::uint64_t period) const;
  Batches report_steps(std::uint64_t period);
  void forget_steps(std::uint64_t period) { steps_.erase(period); }
  // What ranks told; false if these phases cannot be parted from others.
  bool walk(const std::vector<Batch>& received);
  // From here on nothing is kept: the traces will tell.
  void give_up_messages();
  // Of the phases that this rank walked, and its own notes.
  MessageFindings take_messages();

 private:
  static constexpr std::size_t kCollect = 4096;

  void take();     // what is over, from the timeline
  void collect();  // and looks at those that need nobody else
  void add_waiting(AccessList& list, const Access& access);
  void begin_period();  // phases before this one can no longer be asked about
  WorldRank resolver_of(SyncPoint phase) const {
    return WorldRank(static_cast<std::int32_t>(phase % static_cast<SyncPoint>(world_size_)));
  }

  const WorldRank rank_;
  const std::int32_t world_size_;
  const Definitions& definitions_;
  Timeline timeline_;
  Owner owner_;
  Owner own_;  // the rank's accesses to its own memory, among themselves: checked as they come, by
               // program order alone; of tasks that communicate, order may go through other ranks
  std::uint64_t own_checks_ = 0;
  std::vector<std::uint64_t> own_undecided_;  // of these checks, in this period
  std::map<SyncPoint, std::vector<std::pair<Owner*, std::uint64_t>>>
      askers_;  // of each phase, in the order of their queries
  Batches outgoing_;
  Batch to_self_;
  std::map<std::uint64_t, Batch>
      kept_;  // what this rank sent itself, by period, until the others' has come, too
  std::size_t waiting_ = 0, waiting_bytes_ = 0;
  bool given_up_ = false;
  AccessList own_closed_;
  std::vector<Access> unknown_;  // of those that are over, to some tasks of the rank
  std::size_t collect_at_ = kCollect;
  std::size_t taken_ = 0, produced_ = 0;  // since the last look; in this period
  std::map<std::uint64_t, std::vector<PhaseEdges>>
      edges_;  // by period, until it is known whether anybody asks
  std::optional<MessageLog> log_;
  bool follows_messages_ = false;
  std::map<std::uint64_t, std::vector<PhaseSteps>>
      steps_;  // by period, until it is known whether anybody has messages
  std::optional<SequencePair> walk_;
};

}  // namespace photofinish

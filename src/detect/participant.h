// The analysis of one rank: it processes the rank's events, owns the rank's memory, and is the
// resolver of every n-th phase.
//
// A period ends at a sync point and has five stages. The driver transports the batches. Online,
// each stage uses the next exchange (frontend/mpi/online.h); offline, the stages follow each other
// directly.
// 1. send: access records to the owners of the memory
// 2. check: the owner checks them; some pairs may remain undecided
// 3. ask: if any rank has undecided pairs, edges and queries to the resolvers
// 4. resolve: answers to the owners
// 5. conclude: the undecided pairs become findings, or not
//
// Message steps take another path while the program runs (docs/internals/message-races.md). If any
// rank has a message in a period, all ranks send their steps to the ranks that analyze its phases.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "detect/batch.h"
#include "detect/owner.h"
#include "effects/meaning.h"

namespace photofinish {

using Batches = std::map<WorldRank, Batch>;

class Participant {
 public:
  Participant(WorldRank rank, std::int32_t world_size, const Definitions& definitions,
              MakeMeaning meaning, const RuleOptions& options)
      : rank_(rank),
        world_size_(world_size),
        definitions_(definitions),
        timeline_(rank, world_size, definitions),
        meaning_(meaning(timeline_)),
        owner_(rank, timeline_, options, Owner::Pairs::WithOthers),
        own_(rank, timeline_, options, Owner::Pairs::Own) {}

  // Analyzes online. Call before the first event, on all ranks.
  void run_along(bool messages);

  WorldRank rank() const { return rank_; }
  void add(const Event& event, const Times& times) {
    meaning_->add(event, times);
    if (follows_messages_) {
      meaning_->note(event);
      log_->ended(event.site, timeline_);
    }
    if (taken_ + timeline_.pending() >= collect_at_) [[unlikely]]
      collect();
  }
  // Number of records that wait for the end of the period.
  std::size_t pending() const {
    return waiting_ + timeline_.pending() + timeline_.pending_edges() +
           (log_ ? log_->pending() : 0);
  }
  // Approximate size in bytes of those that unload() can move elsewhere.
  std::size_t waiting_bytes() const { return waiting_bytes_ + timeline_.pending_bytes(); }
  // Number of records of the period so far, including those already taken.
  std::size_t produced() const {
    return produced_ + timeline_.pending() + timeline_.pending_edges();
  }
  // Returns the records before the period ends, for storage elsewhere until check(). Those for this
  // rank itself are under its own rank.
  Batches unload();
  // Stops recording: the traces will be analyzed instead.
  void give_up() {
    given_up_ = true, outgoing_.clear(), to_self_ = {}, kept_.clear(), own_closed_ = {},
    waiting_bytes_ = taken_ = 0;
    timeline_.report_no_edges();
    timeline_.report_no_sites();
  }
  const Timeline& timeline() const { return timeline_; }
  void report_no_edges() { timeline_.report_no_edges(); }
  const Owner& owner() const { return owner_; }

  Batches send(std::uint64_t period, SyncPoint until);  // kNoSyncPoint: the last period
  // `each` visits the batches from other ranks, and those that this rank unloaded. `memory`: see
  // Owner::check.
  bool check(std::uint64_t period, SyncPoint until, const Owner::Each& each, std::size_t memory);
  Batches ask(std::uint64_t period);
  // No rank has a query about it.
  void forget(std::uint64_t period) {
    begin_period();
    edges_.erase(period);
    owner_.forget(period);
  }
  static Batches resolve_for(std::map<WorldRank, Batch> received);
  void conclude(std::uint64_t period, std::vector<Batch> received);

  std::vector<Finding> take_findings();

  // --- messages, online
  const MessageLog* log() const { return log_ ? &*log_ : nullptr; }
  bool has_messages(std::uint64_t period) const;
  Batches report_steps(std::uint64_t period);
  void forget_steps(std::uint64_t period) { steps_.erase(period); }
  // Analyzes the received steps. False if a phase cannot be analyzed separately.
  bool walk(const std::vector<Batch>& received);
  // Stops recording messages: the traces will be analyzed instead.
  void give_up_messages();
  // Findings of the phases that this rank analyzed, and its timing-dependent calls.
  MessageFindings take_messages();

 private:
  static constexpr std::size_t kCollect = 4096;

  void take();     // takes closed accesses from the timeline
  void collect();  // also checks pairs that need no other rank
  void add_waiting(AccessList& list, const Access& access);
  void begin_period();  // phases before this one can no longer be asked about
  WorldRank resolver_of(SyncPoint phase) const {
    return WorldRank(static_cast<std::int32_t>(phase % static_cast<SyncPoint>(world_size_)));
  }

  const WorldRank rank_;
  const std::int32_t world_size_;
  const Definitions& definitions_;
  Timeline timeline_;
  const std::unique_ptr<Meaning> meaning_;
  Owner owner_;
  // Pairs of the rank's own accesses to its own memory: checked as they occur, by program order
  // alone. The order of tasks that communicate may depend on other ranks.
  Owner own_;
  std::uint64_t own_checks_ = 0;
  std::vector<std::uint64_t> own_undecided_;  // checks whose queries have not been sent
  // Queries of a period that are not answered yet; several periods may wait at the same time.
  struct Asked {
    std::vector<std::uint64_t> own;  // checks of own_
    // By phase, in the order of their queries.
    std::map<SyncPoint, std::deque<std::pair<Owner*, std::uint64_t>>> askers;
  };
  std::map<std::uint64_t, Asked> asked_;  // by period
  Batches outgoing_;
  Batch to_self_;
  // This rank's batch for itself, by period, until the other ranks' batches have arrived.
  std::map<std::uint64_t, Batch> kept_;
  std::size_t waiting_ = 0, waiting_bytes_ = 0;
  bool given_up_ = false;
  AccessList own_closed_;
  std::vector<Access> unknown_;  // closed accesses that some tasks of the rank do not know yet
  std::size_t collect_at_ = kCollect;
  std::size_t taken_ = 0, produced_ = 0;  // since the last collect(); in this period
  // By period, until it is known whether any rank has queries.
  std::map<std::uint64_t, std::vector<PhaseEdges>> edges_;
  std::optional<MessageLog> log_;
  bool follows_messages_ = false;
  // By period, until it is known whether any rank has messages.
  std::map<std::uint64_t, std::vector<PhaseSteps>> steps_;
  std::optional<SequencePair> walk_;
};

}  // namespace photofinish

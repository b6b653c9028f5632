#include "detect/participant.h"

#include <algorithm>

#include "order/resolve.h"

namespace photofinish {

void Participant::add_waiting(AccessList& list, const Access& access) {
  const std::size_t before = list.memory_bytes();
  list.add(access);
  waiting_bytes_ += list.memory_bytes() - before;
  ++waiting_;
}

void Participant::take() {
  const std::size_t count = timeline_.pending();
  taken_ += count;
  produced_ += count;
  timeline_.take_closed([&](const Access& access, Timeline::Use use) {
    if (use != Timeline::Use::Own && access.owner != rank_)
      return add_waiting(outgoing_[access.owner].accesses, access);
    if (use != Timeline::Use::Own && access.reachable) add_waiting(to_self_.accesses, access);
    if (use != Timeline::Use::Shared && access.win == Uid(0)) own_closed_.add(access);
  });
  for (AtomicOp& atomic : timeline_.take_atomics()) {
    ++waiting_;
    waiting_bytes_ += memory_bytes(atomic);
    (atomic.owner == rank_ ? to_self_ : outgoing_[atomic.owner]).atomics.push_back(atomic);
  }
}

void Participant::collect() {
  if (given_up_) {
    timeline_.take_closed([](const Access&, Timeline::Use) {}), timeline_.take_atomics(),
        timeline_.take_edges(false);
    return;
  }
  take();
  taken_ = 0;
  Batch own;
  own.accesses = std::exchange(own_closed_, {});
  // Accesses that not all tasks know yet may race with later ones.
  if (timeline_.has_tasks()) {
    AccessList kept;
    for (const Access& access : unknown_) kept.add(access);
    for (AccessList::Reader reader(own.accesses); const Access* access = reader.next();) {
      kept.add(*access);
      unknown_.push_back(*access);
    }
    own.accesses = std::move(kept);
    std::erase_if(unknown_,
                  [&](const Access& access) { return timeline_.is_known_to_all(access); });
  }
  std::size_t open = 0;
  timeline_.take_open(Timeline::Open::Own, [&](const Access& access) {
    own.accesses.add(access);
    ++open;
  });
  constexpr std::size_t kMany = 16 * kCollect, kMemory = 16 << 20;
  if (own_.check(
          ++own_checks_, kNoSyncPoint - 1,
          [&](const Owner::Hand& hand) { hand(own); },  // a closed access is complete
          own.accesses.size() > kMany ? kMemory : Owner::kNoLimit))
    own_undecided_.push_back(own_checks_);
  // Less often with many outstanding requests or buffers in use, since each collection visits all
  // of them.
  collect_at_ = std::max({kCollect, 2 * meaning_->outstanding(), 2 * open});
}

Batches Participant::unload() {
  take();
  Batches batches = std::exchange(outgoing_, {});
  if (!to_self_.empty()) batches[rank_] = std::exchange(to_self_, {});
  for (auto& [to, batch] : batches) batch.clock = definitions_.rank.clock;
  waiting_ = waiting_bytes_ = 0;
  return batches;
}

Batches Participant::send(std::uint64_t period, SyncPoint until) {
  collect();
  if (given_up_) return {};
  timeline_.take_open(Timeline::Open::Shared, [&](const Access& access) {
    (access.owner == rank_ ? to_self_ : outgoing_[access.owner]).accesses.add(access);
  });
  to_self_.clock = definitions_.rank.clock;
  for (auto& [to, batch] : outgoing_) batch.clock = definitions_.rank.clock;
  kept_[period] = std::exchange(to_self_, {});
  edges_[period] = timeline_.take_edges(until == kNoSyncPoint);
  if (log_) steps_[period] = log_->take(until == kNoSyncPoint);
  waiting_ = waiting_bytes_ = produced_ = 0;
  return std::exchange(outgoing_, {});
}

bool Participant::check(std::uint64_t period, SyncPoint until, const Owner::Each& each,
                        std::size_t memory) {
  const Batch kept = std::exchange(kept_[period], {});
  kept_.erase(period);
  const auto each_and_kept = [&](const Owner::Hand& hand) {
    each(hand);
    hand(kept);
  };
  const bool undecided = owner_.check(period, until, each_and_kept, memory);
  // Every other time: online, the rank has added epochs of the next period before this one is
  // checked.
  if (period % 2 == 0) timeline_.forget_exposures();
  return undecided || !own_undecided_.empty();
}

void Participant::begin_period() {
  owner_.begin_period(timeline_.sync_points_done());
  own_.begin_period(timeline_.sync_points_done());
}

Batches Participant::ask(std::uint64_t period) {
  begin_period();
  Asked& asked = asked_[period];
  asked.own = std::exchange(own_undecided_, {});
  Batches batches;
  for (PhaseEdges& phase : edges_[period])
    batches[resolver_of(phase.phase)].edges.push_back(std::move(phase));
  edges_.erase(period);
  const auto add = [&](Owner& owner, std::uint64_t check) {
    for (auto& [phase, queries] : owner.queries(check)) {
      batches[resolver_of(phase)].queries.push_back({phase, queries});
      asked.askers[phase].emplace_back(&owner, check);
    }
  };
  add(owner_, period);
  for (const std::uint64_t check : asked.own) add(own_, check);
  for (RankEdge& guess : owner_.atomic_edges(period))
    batches[resolver_of(guess.phase)].guesses.push_back(guess);
  return batches;
}

Batches Participant::resolve_for(std::map<WorldRank, Batch> received) {
  struct Phase {
    std::map<WorldRank, PhaseEdges> ranks;
    std::vector<Query> queries;
    struct Asker {
      WorldRank rank;
      std::size_t first, count;
    };
    std::vector<Asker> askers;
  };
  std::map<SyncPoint, Phase> phases;
  for (auto& [from, batch] : received) {
    for (PhaseEdges& edges : batch.edges) phases[edges.phase].ranks[edges.rank] = std::move(edges);
    for (Batch::Queries& asked : batch.queries) {
      Phase& phase = phases[asked.phase];
      phase.askers.push_back({from, phase.queries.size(), asked.queries.size()});
      phase.queries.insert(phase.queries.end(), asked.queries.begin(), asked.queries.end());
    }
  }
  for (auto& [from, batch] : received)
    for (const RankEdge& guess : batch.guesses) {
      PhaseEdges& edges = phases[guess.phase].ranks[guess.rank];
      edges.phase = guess.phase;
      edges.rank = guess.rank;
      edges.edges.push_back(guess.edge);
    }
  Batches answers;
  for (auto& [number, phase] : phases) {
    if (phase.queries.empty()) continue;
    std::vector<PhaseEdges> ranks;
    for (auto& [rank, edges] : phase.ranks) ranks.push_back(std::move(edges));
    const std::vector<Timestamp> timestamps = resolve(std::move(ranks), phase.queries);
    for (const auto& asker : phase.askers)
      answers[asker.rank].answers.push_back(
          {number,
           {timestamps.begin() + static_cast<std::ptrdiff_t>(asker.first),
            timestamps.begin() + static_cast<std::ptrdiff_t>(asker.first + asker.count)}});
  }
  return answers;
}

std::vector<Finding> Participant::take_findings() {
  collect();
  for (const std::uint64_t check : std::exchange(own_undecided_, {})) own_.conclude(check);
  std::vector<Finding> findings = owner_.take_findings();
  for (Finding& finding : own_.take_findings()) findings.push_back(std::move(finding));
  return merge_findings(std::move(findings));
}

// --- messages

void Participant::run_along(bool messages) {
  timeline_.keep_edges_from_first_region();
  timeline_.take_as_one_sequence();
  if (!messages) return;
  log_.emplace(rank_);
  follows_messages_ = true;
  timeline_.report_messages(&*log_, Timeline::Besides::All);
}

bool Participant::has_messages(std::uint64_t period) const {
  const auto found = steps_.find(period);
  return found != steps_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [](const PhaseSteps& phase) { return phase.has_messages; });
}

Batches Participant::report_steps(std::uint64_t period) {
  Batches batches;
  for (PhaseSteps& phase : steps_[period])
    batches[resolver_of(phase.phase)].steps.push_back(std::move(phase));
  steps_.erase(period);
  return batches;
}

bool Participant::walk(const std::vector<Batch>& received) {
  std::map<SyncPoint, std::vector<PhaseSteps>> phases;
  for (const Batch& batch : received)
    for (const PhaseSteps& phase : batch.steps) phases[phase.phase].push_back(phase);
  for (const auto& [number, ranks] : phases) {
    if (std::none_of(ranks.begin(), ranks.end(),
                     [](const PhaseSteps& phase) { return phase.has_messages; }))
      continue;
    if (!walk_) walk_.emplace(world_size_);
    if (!walk_phase(ranks, world_size_, *walk_)) return false;
  }
  return true;
}

void Participant::give_up_messages() {
  if (log_) log_->give_up();
  follows_messages_ = false;
  timeline_.report_no_messages();
  steps_.clear();
}

MessageFindings Participant::take_messages() {
  std::vector<MessageFindings> parts;
  if (log_) {
    parts.push_back(log_->findings());
    meaning_->add_notes(parts.back());
  }
  if (walk_) {
    parts.push_back(walk_->findings());
    parts.back().followed = walk_->seen_to_the_end();
  }
  walk_.reset();
  return merge_messages(std::move(parts));
}

void Participant::conclude(std::uint64_t period, std::vector<Batch> received) {
  Asked asked = std::exchange(asked_[period], {});
  asked_.erase(period);
  for (const Batch& batch : received)
    for (const Batch::Answers& answers : batch.answers) {
      auto& askers = asked.askers[answers.phase];
      if (askers.empty()) continue;
      const auto [owner, check] = askers.front();
      askers.pop_front();
      owner->answer(check, answers.phase, answers.timestamps);
    }
  owner_.conclude(period);
  for (const std::uint64_t check : asked.own) own_.conclude(check);
}

}  // namespace photofinish

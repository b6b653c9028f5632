#include "detect/participant.h"

#include <algorithm>

#include "order/resolve.h"

namespace photofinish {

void Participant::add_waiting(AccessList& list, const Access& access) {
  const std::size_t before = list.footprint();
  list.add(access);
  waiting_bytes_ += list.footprint() - before;
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
    waiting_bytes_ += footprint(atomic);
    (atomic.owner == rank_ ? to_self_ : outgoing_[atomic.owner]).atomics.push_back(atomic);
  }
}

void Participant::collect() {
  if (given_up_) {
    timeline_.take_closed([](const Access&, Timeline::Use) {}), timeline_.take_atomics(),
        timeline_.take_signals(false);
    return;
  }
  take();
  taken_ = 0;
  Parcel own;
  own.accesses = std::exchange(own_closed_, {});
  // What not all tasks know yet may meet something that is still to come.
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
  timeline_.take_open(Timeline::Open::Own, [&](const Access& access) { own.accesses.add(access); });
  constexpr std::size_t kMany = 16 * kCollect, kMemory = 16 << 20;
  own_.check(
      0, kNoCut - 1, [&](const Owner::Hand& hand) { hand(own); },  // whatever is closed is over
      own.accesses.size() > kMany ? kMemory : Owner::kNoLimit);
  // With many requests outstanding, which are looked at each time, not so often.
  collect_at_ = std::max(kCollect, 2 * timeline_.open_requests());
}

Parcels Participant::unload() {
  take();
  Parcels parcels = std::exchange(outgoing_, {});
  if (!to_self_.empty()) parcels[rank_] = std::exchange(to_self_, {});
  for (auto& [to, parcel] : parcels) parcel.clock = definitions_.rank.clock;
  waiting_ = waiting_bytes_ = 0;
  return parcels;
}

Parcels Participant::send(std::uint64_t period, Cut until) {
  collect();
  if (given_up_) return {};
  timeline_.take_open(Timeline::Open::Shared, [&](const Access& access) {
    (access.owner == rank_ ? to_self_ : outgoing_[access.owner]).accesses.add(access);
  });
  to_self_.clock = definitions_.rank.clock;
  for (auto& [to, parcel] : outgoing_) parcel.clock = definitions_.rank.clock;
  kept_[period] = std::exchange(to_self_, {});
  signals_[period] = timeline_.take_signals(until == kNoCut);
  if (log_) steps_[period] = log_->take(until == kNoCut);
  waiting_ = waiting_bytes_ = produced_ = 0;
  return std::exchange(outgoing_, {});
}

bool Participant::check(std::uint64_t period, Cut until, const Owner::Each& each,
                        std::size_t memory) {
  const Parcel kept = std::exchange(kept_[period], {});
  kept_.erase(period);
  const auto each_and_kept = [&](const Owner::Hand& hand) {
    each(hand);
    hand(kept);
  };
  const bool undecided = owner_.check(period, until, each_and_kept, memory);
  timeline_.forget_exposures();
  return undecided;
}

Parcels Participant::ask(std::uint64_t period) {
  Parcels parcels;
  for (SliceSignals& slice : signals_[period])
    parcels[resolver_of(slice.slice)].signals.push_back(std::move(slice));
  signals_.erase(period);
  for (auto& [slice, questions] : owner_.questions(period))
    parcels[resolver_of(slice)].questions.push_back({slice, questions});
  for (RankSignal& guess : owner_.atomic_signals(period))
    parcels[resolver_of(guess.slice)].guesses.push_back(guess);
  return parcels;
}

Parcels Participant::resolve_for(std::map<WorldRank, Parcel> received) {
  struct Slice {
    std::map<WorldRank, SliceSignals> ranks;
    std::vector<Question> questions;
    struct Asker {
      WorldRank rank;
      std::size_t first, count;
    };
    std::vector<Asker> askers;
  };
  std::map<Cut, Slice> slices;
  for (auto& [from, parcel] : received) {
    for (SliceSignals& signals : parcel.signals)
      slices[signals.slice].ranks[signals.rank] = std::move(signals);
    for (Parcel::Questions& asked : parcel.questions) {
      Slice& slice = slices[asked.slice];
      slice.askers.push_back({from, slice.questions.size(), asked.questions.size()});
      slice.questions.insert(slice.questions.end(), asked.questions.begin(), asked.questions.end());
    }
  }
  for (auto& [from, parcel] : received)
    for (const RankSignal& guess : parcel.guesses) {
      SliceSignals& signals = slices[guess.slice].ranks[guess.rank];
      signals.slice = guess.slice;
      signals.rank = guess.rank;
      signals.signals.push_back(guess.signal);
    }
  Parcels answers;
  for (auto& [number, slice] : slices) {
    if (slice.questions.empty()) continue;
    std::vector<SliceSignals> ranks;
    for (auto& [rank, signals] : slice.ranks) ranks.push_back(std::move(signals));
    const std::vector<Moment> moments = resolve(std::move(ranks), slice.questions);
    for (const auto& asker : slice.askers)
      answers[asker.rank].answers.push_back(
          {number,
           {moments.begin() + static_cast<std::ptrdiff_t>(asker.first),
            moments.begin() + static_cast<std::ptrdiff_t>(asker.first + asker.count)}});
  }
  return answers;
}

std::vector<Finding> Participant::take_findings() {
  collect();
  std::vector<Finding> findings = owner_.take_findings();
  for (Finding& finding : own_.take_findings()) findings.push_back(std::move(finding));
  return merge_findings(std::move(findings));
}

// --- messages

void Participant::run_along(bool messages) {
  timeline_.keep_signals_from_first_window();
  timeline_.take_as_one_sequence();
  if (!messages) return;
  log_.emplace(rank_);
  follows_messages_ = true;
  timeline_.tell_messages(&*log_, Timeline::Besides::All);
}

bool Participant::has_messages(std::uint64_t period) const {
  const auto found = steps_.find(period);
  return found != steps_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [](const SliceSteps& slice) { return slice.has_messages; });
}

Parcels Participant::tell_steps(std::uint64_t period) {
  Parcels parcels;
  for (SliceSteps& slice : steps_[period])
    parcels[resolver_of(slice.slice)].steps.push_back(std::move(slice));
  steps_.erase(period);
  return parcels;
}

bool Participant::walk(const std::vector<Parcel>& received) {
  std::map<Cut, std::vector<SliceSteps>> slices;
  for (const Parcel& parcel : received)
    for (const SliceSteps& slice : parcel.steps) slices[slice.slice].push_back(slice);
  for (const auto& [number, ranks] : slices) {
    if (std::none_of(ranks.begin(), ranks.end(),
                     [](const SliceSteps& slice) { return slice.has_messages; }))
      continue;
    if (!walk_) walk_.emplace(world_size_);
    if (!walk_slice(ranks, world_size_, *walk_)) return false;
  }
  return true;
}

void Participant::give_up_messages() {
  if (log_) log_->give_up();
  follows_messages_ = false;
  timeline_.tell_no_messages();
  steps_.clear();
}

MessageFindings Participant::take_messages() {
  std::vector<MessageFindings> parts;
  if (log_) parts.push_back(log_->findings());
  if (walk_) {
    parts.push_back(walk_->findings());
    parts.back().followed = walk_->seen_to_the_end();
  }
  walk_.reset();
  return merge_messages(std::move(parts));
}

void Participant::conclude(std::uint64_t period, std::vector<Parcel> received) {
  for (const Parcel& parcel : received)
    for (const Parcel::Answers& answers : parcel.answers)
      owner_.answer(period, answers.slice, answers.moments);
  owner_.conclude(period);
}

}  // namespace photofinish

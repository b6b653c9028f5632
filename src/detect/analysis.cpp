#include "detect/analysis.h"

#include <cmath>
#include <memory>

#include "detect/participant.h"

namespace photofinish {
namespace {

// From parcels by sender to parcels by receiver.
std::vector<std::map<WorldRank, Parcel>> deliver(std::vector<Parcels> sent) {
  std::vector<std::map<WorldRank, Parcel>> received(sent.size());
  for (std::size_t from = 0; from < sent.size(); ++from)
    for (auto& [to, parcel] : sent[from])
      if (to.value >= 0 && static_cast<std::size_t>(to.value) < received.size())
        received[static_cast<std::size_t>(to.value)].emplace(WorldRank(static_cast<std::int32_t>(from)), std::move(parcel));
  return received;
}

std::vector<Parcel> without_senders(std::map<WorldRank, Parcel> parcels) {
  std::vector<Parcel> list;
  for (auto& [from, parcel] : parcels) list.push_back(std::move(parcel));
  return list;
}

class Run {
 public:
  Run(std::vector<RankInput> ranks, const RuleOptions& options, std::size_t period) : inputs_(std::move(ranks)), period_(period) {
    for (const RankInput& input : inputs_)
      participants_.push_back(std::make_unique<Participant>(input.rank, static_cast<std::int32_t>(inputs_.size()), *input.definitions, options));
    ended_.assign(inputs_.size(), false);
  }

  std::vector<Finding> run() {
    for (std::uint64_t period = 1; !all_ended(); ++period) {
      const Cut until = next_cut();
      for (std::size_t i = 0; i < participants_.size(); ++i) advance(i, until);
      analyze_period(period, all_ended() ? kNoCut : until);
    }
    std::vector<Finding> findings;
    for (const auto& participant : participants_)
      for (Finding& finding : participant->take_findings()) findings.push_back(std::move(finding));
    return merge_findings(std::move(findings));
  }

 private:
  bool all_ended() const {
    for (const bool ended : ended_)
      if (!ended) return false;
    return true;
  }

  // Lets the first rank run until it has enough, and takes the cut that it has come to.
  Cut next_cut() {
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      if (ended_[i]) continue;
      const Timeline& timeline = participants_[i]->timeline();
      const Cut before = timeline.cuts_done();
      while (true) {
        const Event* event = inputs_[i].next();
        if (event == nullptr) {
          ended_[i] = true;
          return kNoCut;
        }
        const Cut last = timeline.cuts_done();
        add(i, *event);
        if (timeline.cuts_done() != last && timeline.cuts_done() > before && participants_[i]->pending() >= period_) return timeline.cuts_done();
      }
    }
    return kNoCut;
  }

  void add(std::size_t i, const Event& event) {
    // Times on record are rounded down, to units.
    const RankDefinition& rank = inputs_[i].definitions->rank;
    const auto ticks = [&](std::uint64_t ns) {
      return rank.clock.tick + static_cast<std::uint64_t>(std::llround(static_cast<double>(ns) / rank.clock.ns_per_tick));
    };
    participants_[i]->add(event, {ticks(event.start), ticks(event.start + event.duration) + 2 * rank.ticks_per_unit});
  }

  void advance(std::size_t i, Cut until) {
    while (!ended_[i] && participants_[i]->timeline().cuts_done() < until) {
      const Event* event = inputs_[i].next();
      if (event == nullptr) ended_[i] = true;
      else add(i, *event);
    }
  }

  void analyze_period(std::uint64_t period, Cut until) {
    std::vector<Parcels> sent;
    for (const auto& participant : participants_) sent.push_back(participant->send(period, until));
    auto received = deliver(std::move(sent));
    bool undecided = false;
    for (std::size_t i = 0; i < participants_.size(); ++i)
      undecided |= participants_[i]->check(period, until, without_senders(std::move(received[i])));
    if (!undecided) {
      for (const auto& participant : participants_) participant->forget(period);
      return;
    }
    sent.clear();
    for (const auto& participant : participants_) sent.push_back(participant->ask(period));
    received = deliver(std::move(sent));
    sent.clear();
    for (std::size_t i = 0; i < participants_.size(); ++i) sent.push_back(Participant::resolve_for(std::move(received[i])));
    received = deliver(std::move(sent));
    for (std::size_t i = 0; i < participants_.size(); ++i) participants_[i]->conclude(period, without_senders(std::move(received[i])));
  }

  std::vector<RankInput> inputs_;
  const std::size_t period_;
  std::vector<std::unique_ptr<Participant>> participants_;
  std::vector<bool> ended_;
};

}  // namespace

std::vector<Finding> analyze(std::vector<RankInput> ranks, const RuleOptions& options, std::size_t period) {
  return Run(std::move(ranks), options, period).run();
}

}  // namespace photofinish

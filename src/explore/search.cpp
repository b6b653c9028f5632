#include "explore/search.h"

#include <algorithm>

#include "base/check.h"

namespace photofinish {

Search::Search(std::vector<ExploredRun> runs, std::vector<Prescription> pending)
    : runs_(std::move(runs)), pending_(std::move(pending)) {
  for (const Prescription& one : pending_) known_.insert(one.matching);
}

bool Search::is_explored(const Matching& prescribed) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const ExploredRun& run) { return follows(run.matching, prescribed); });
}

std::optional<Prescription> Search::next() {
  std::erase_if(pending_, [&](const Prescription& one) { return is_explored(one.matching); });
  const auto apart = [&](const Prescription& one) {
    return std::all_of(under_way_.begin(), under_way_.end(), [&](const Prescription& other) {
      return exclude_each_other(one.matching, other.matching);
    });
  };
  auto best = pending_.end();
  for (auto one = pending_.begin(); one != pending_.end(); ++one)
    if ((best == pending_.end() || one->changes < best->changes) && apart(*one)) best = one;
  if (best == pending_.end()) return std::nullopt;
  Prescription chosen = std::move(*best);
  pending_.erase(best);
  under_way_.push_back(chosen);
  return chosen;
}

void Search::end(const Prescription& prescription) {
  const auto found =
      std::find_if(under_way_.begin(), under_way_.end(),
                   [&](const Prescription& one) { return one.matching == prescription.matching; });
  CHECK(found != under_way_.end());
  under_way_.erase(found);
}

void Search::add(const Prescription& prescription, const Choices& choices, std::uint64_t outcome) {
  end(prescription);
  runs_.push_back({choices.matching, outcome, choices.estimate});
  for (const Alternative& alternative : choices.alternatives)
    if (!is_explored(alternative.prescribed) && known_.insert(alternative.prescribed).second)
      pending_.push_back({alternative.prescribed, prescription.changes + 1, 0});
}

void Search::failed(Prescription prescription, std::uint32_t most_tries) {
  end(prescription);
  if (++prescription.tries < most_tries)
    pending_.push_back(std::move(prescription));
  else
    given_up_.push_back(std::move(prescription));
}

void Search::give_back(const Prescription& prescription) {
  end(prescription);
  pending_.push_back(prescription);
}

std::vector<Prescription> Search::pending() const {
  std::vector<Prescription> all = pending_;
  all.insert(all.end(), under_way_.begin(), under_way_.end());
  all.insert(all.end(), given_up_.begin(), given_up_.end());
  for (Prescription& one : all) one.tries = 0;
  return all;
}

double Search::estimate() const {
  double sum = 0;
  for (const ExploredRun& run : runs_) sum += run.estimate;
  const std::size_t left = pending_.size() + under_way_.size();
  const auto known = static_cast<double>(runs_.size() + (left > 0 ? 1 : 0));
  return runs_.empty() ? known : std::max(known, sum / static_cast<double>(runs_.size()));
}

namespace {

std::vector<NeededChoice> choices_in(const Matching& matching) {
  std::vector<NeededChoice> all;
  for (const auto& [line, matches] : matching)
    for (std::size_t i = 0; i < matches.size(); ++i)
      if (matches[i].source.value >= 0) all.push_back({line, i, matches[i]});
  return all;
}

bool made(const Matching& matching, const NeededChoice& choice) {
  const auto found = matching.find(choice.line);
  return found != matching.end() && choice.index < found->second.size() &&
         found->second[choice.index] == choice.match;
}

}  // namespace

std::vector<NeededChoice> smallest_choices(const std::vector<ExploredRun>& runs,
                                           std::uint64_t outcome, std::size_t& run) {
  constexpr std::size_t kMostRuns = 200;  // with the outcome: enough to find a small set
  std::optional<std::vector<NeededChoice>> best;
  std::size_t looked_at = 0;
  for (std::size_t r = 0; r < runs.size() && looked_at < kMostRuns; ++r) {
    if (runs[r].outcome != outcome) continue;
    ++looked_at;
    std::vector<const Matching*> others;
    for (const ExploredRun& other : runs)
      if (other.outcome != outcome) others.push_back(&other.matching);
    const std::vector<NeededChoice> all = choices_in(runs[r].matching);
    const auto left_by = [](const std::vector<const Matching*>& from, const NeededChoice& choice) {
      std::vector<const Matching*> left;
      for (const Matching* other : from)
        if (made(*other, choice)) left.push_back(other);
      return left;
    };
    std::vector<NeededChoice> chosen;
    std::vector<std::pair<std::size_t, std::vector<const Matching*>>> alone;
    for (std::size_t i = 0; i < all.size(); ++i) alone.emplace_back(i, left_by(others, all[i]));
    // Two choices, exactly.
    std::optional<std::pair<std::size_t, std::size_t>> pair;
    const auto single = std::find_if(alone.begin(), alone.end(),
                                     [](const auto& one) { return one.second.empty(); });
    if (!others.empty() && single == alone.end() && all.size() <= 200)
      for (std::size_t i = 0; i < alone.size() && !pair; ++i)
        for (std::size_t j = i + 1; j < alone.size() && !pair; ++j)
          if (left_by(alone[i].second, all[j]).empty()) pair = {i, j};
    if (others.empty()) {
    } else if (single != alone.end()) {
      chosen = {all[single->first]};
    } else if (pair) {
      chosen = {all[pair->first], all[pair->second]};
    } else {
      while (!others.empty() && chosen.size() < all.size()) {
        std::size_t choice = 0;
        std::optional<std::vector<const Matching*>> fewest;
        for (std::size_t i = 0; i < all.size(); ++i)
          if (auto left = left_by(others, all[i]); !fewest || left.size() < fewest->size())
            choice = i, fewest = std::move(left);
        if (!fewest || fewest->size() == others.size()) break;
        others = std::move(*fewest);
        chosen.push_back(all[choice]);
      }
    }
    if (!best || chosen.size() < best->size()) {
      best = std::move(chosen);
      run = r;
    }
    if (best->size() <= 1) break;
  }
  return best.value_or(std::vector<NeededChoice>());
}

}  // namespace photofinish

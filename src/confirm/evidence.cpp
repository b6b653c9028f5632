#include "confirm/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace photofinish {
namespace {

constexpr std::size_t kShownLines = 3, kShownBytes = 100;
constexpr double kChance = 0.01;  // of a difference that the order did not cause

using Group = std::vector<std::string>;

std::vector<const Outcome*> all_outcomes(const Evidence& evidence) {
  std::vector<const Outcome*> all = control_of(evidence);
  for (const Trial& trial : evidence.trials) all.push_back(&trial.outcome);
  return all;
}

bool all_equal(const std::vector<const Outcome*>& runs, double tolerance) {
  return std::all_of(runs.begin(), runs.end(), [&](const Outcome* run) {
    return compare(*runs.front(), *run, tolerance).empty();
  });
}

// The lines of one group in each run.
std::vector<Group> group_in(const std::vector<const Outcome*>& runs, const std::string& shape) {
  std::vector<Group> lines;
  for (const Outcome* run : runs) {
    auto groups = grouped_lines(*run);
    lines.push_back(std::move(groups[shape]));
  }
  return lines;
}

bool is_constant(const std::vector<Group>& runs, double tolerance) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const Group& run) { return same_lines(runs.front(), run, tolerance); });
}

std::set<std::string> shapes_of(const std::vector<const Outcome*>& runs) {
  std::set<std::string> shapes;
  for (const Outcome* run : runs)
    for (const auto& [shape, lines] : grouped_lines(*run)) shapes.insert(shape);
  return shapes;
}

bool is_compared(const Trial& trial, std::size_t order, Scope scope) {
  return trial.seen && trial.compared && trial.order == order && trial.scope == scope;
}

// Whether the order was forced in each of at least so many runs, and saw the race in none without.
bool is_forced(const Evidence& evidence, std::size_t order, Scope scope, std::size_t runs) {
  std::size_t forced = 0;
  for (const Trial& trial : evidence.trials) {
    if (!is_compared(trial, order, scope)) continue;
    if (!trial.forced) return false;
    ++forced;
  }
  return forced >= runs && forced > 0;
}

bool was_tried(const Evidence& evidence, Scope scope) {
  return std::any_of(evidence.trials.begin(), evidence.trials.end(),
                     [&](const Trial& trial) { return trial.scope == scope; });
}

// Two orders with this scope that were forced in so many runs and differ alike in all of them.
std::optional<Judgement> find_difference(const Evidence& evidence, Scope scope,
                                         std::size_t repetitions, double tolerance) {
  for (std::size_t one = 0; one < evidence.orders; ++one)
    for (std::size_t other = one + 1; other < evidence.orders; ++other) {
      if (!is_forced(evidence, one, scope, repetitions) ||
          !is_forced(evidence, other, scope, repetitions))
        continue;
      Difference difference =
          differ_alike(outcomes_of(evidence, one, scope), outcomes_of(evidence, other, scope),
                       control_of(evidence), tolerance);
      if (difference.empty()) continue;
      return Judgement{ConfirmState::Harmful, scope, one, other, std::move(difference)};
    }
  return std::nullopt;
}

// A run in words: how it ended if it failed, and its lines of these groups.
std::string in_words(const Outcome& outcome, const std::set<std::string>& shapes) {
  std::vector<std::string> words;
  if (failed(outcome)) words.push_back(outcome.how);
  std::size_t more = 0;
  for (const auto& [shape, lines] : grouped_lines(outcome))
    for (const std::string& line : lines)
      if (shapes.contains(shape)) {
        if (words.size() < kShownLines)
          words.push_back(line.size() > kShownBytes ? line.substr(0, kShownBytes) + "…" : line);
        else
          ++more;
      }
  if (words.empty()) return outcome.how;
  return fmt::format("{}{}", fmt::join(words, " | "),
                     more > 0 ? fmt::format(" | … {} more lines", more) : "");
}

}  // namespace

std::vector<const Outcome*> control_of(const Evidence& evidence) {
  std::vector<const Outcome*> all;
  for (const Outcome& outcome : evidence.control) all.push_back(&outcome);
  return all;
}

std::vector<const Outcome*> outcomes_of(const Evidence& evidence, std::size_t order, Scope scope) {
  std::vector<const Outcome*> found;
  for (const Trial& trial : evidence.trials)
    if (is_compared(trial, order, scope)) found.push_back(&trial.outcome);
  return found;
}

Difference differ_alike(const std::vector<const Outcome*>& one,
                        const std::vector<const Outcome*>& other,
                        const std::vector<const Outcome*>& control, double tolerance) {
  Difference difference;
  if (one.empty() || other.empty()) return difference;
  const auto fails = [](const Outcome* outcome) { return failed(*outcome); };
  const auto ends_like = [](const std::vector<const Outcome*>& runs) {
    return std::all_of(runs.begin(), runs.end(),
                       [&](const Outcome* run) { return ending(*run) == ending(*runs.front()); });
  };
  const auto one_side_fails = [&](const auto& failing, const auto& good) {
    return std::all_of(failing.begin(), failing.end(), fails) &&
           std::none_of(good.begin(), good.end(), fails);
  };
  if (one_side_fails(one, other) || one_side_fails(other, one) ||
      (ends_like(one) && ends_like(other) && ending(*one.front()) != ending(*other.front()))) {
    difference.only_one.push_back(one.front()->how);
    difference.only_other.push_back(other.front()->how);
  }
  std::set<std::string> shapes = shapes_of(one);
  shapes.merge(shapes_of(other));
  for (const std::string& shape : shapes) {
    const std::vector<Group> left = group_in(one, shape), right = group_in(other, shape);
    if (!is_constant(left, tolerance) || !is_constant(right, tolerance)) continue;
    if (same_lines(left.front(), right.front(), tolerance)) continue;
    if (one.size() == 1 && other.size() == 1 && !control.empty()) {
      const auto agrees = [&](const Group& run) {
        return same_lines(left.front(), run, tolerance) ||
               same_lines(right.front(), run, tolerance);
      };
      const std::vector<Group> without = group_in(control, shape);
      if (std::none_of(without.begin(), without.end(), agrees)) continue;
    }
    const Difference lines = compare({.how = {}, .lines = left.front(), .files = {}},
                                     {.how = {}, .lines = right.front(), .files = {}}, tolerance);
    difference.only_one.insert(difference.only_one.end(), lines.only_one.begin(),
                               lines.only_one.end());
    difference.only_other.insert(difference.only_other.end(), lines.only_other.begin(),
                                 lines.only_other.end());
  }
  return difference;
}

std::size_t needed_runs(const Evidence& evidence, Scope scope, std::size_t repetitions,
                        double tolerance) {
  const bool alone = std::all_of(
      evidence.trials.begin(), evidence.trials.end(),
      [&](const Trial& trial) { return trial.alone || !trial.compared || trial.scope != scope; });
  if (alone && !varies_within(evidence, tolerance)) return repetitions;
  const auto orders = static_cast<double>(evidence.orders);
  double chance = 2 * orders * (orders - 1) / 2 * 2;
  for (std::size_t runs = 1;; ++runs)
    if ((chance /= 4) <= kChance) return std::max(repetitions, runs);
}

std::size_t differing_runs(const Evidence& evidence, Scope scope, double tolerance) {
  const auto found = find_difference(evidence, scope, 1, tolerance);
  if (!found) return 0;
  return std::min(outcomes_of(evidence, found->one, scope).size(),
                  outcomes_of(evidence, found->other, scope).size());
}

bool varies(const Evidence& evidence, double tolerance) {
  return !all_equal(all_outcomes(evidence), tolerance);
}

bool varies_within(const Evidence& evidence, double tolerance) {
  if (!all_equal(control_of(evidence), tolerance)) return true;
  for (const Scope scope : {Scope::One, Scope::Every})
    for (std::size_t order = 0; order < evidence.orders; ++order)
      if (!all_equal(outcomes_of(evidence, order, scope), tolerance)) return true;
  return false;
}

bool lacks_output(const Evidence& evidence) {
  const auto all = all_outcomes(evidence);
  return std::none_of(all.begin(), all.end(), [](const auto* run) { return has_output(*run); });
}

Judgement judge(const Evidence& evidence, std::size_t repetitions, double tolerance) {
  if (std::none_of(evidence.trials.begin(), evidence.trials.end(),
                   [](const Trial& trial) { return trial.seen; }))
    return {.state = ConfirmState::NotReproduced, .difference = {}};
  for (const Scope scope : {Scope::One, Scope::Every})
    if (auto harmful = find_difference(
            evidence, scope, needed_runs(evidence, scope, repetitions, tolerance), tolerance))
      return *harmful;
  if (varies(evidence, tolerance)) return {.state = ConfirmState::Unstable, .difference = {}};
  bool all_forced = !evidence.instances_untried;
  for (const Scope scope : {Scope::One, Scope::Every})
    for (std::size_t order = 0; order < evidence.orders && was_tried(evidence, scope); ++order)
      all_forced =
          all_forced &&
          (is_forced(evidence, order, scope, repetitions) ||
           (evidence.optional.contains(order) && outcomes_of(evidence, order, scope).empty()));
  return {.state = all_forced ? ConfirmState::SameOutcome : ConfirmState::EffectUnknown,
          .difference = {}};
}

std::set<std::string> differing_groups(const Evidence& evidence, const Judgement& judgement,
                                       double tolerance) {
  std::set<std::string> groups;
  if (judgement.state == ConfirmState::Harmful) {
    for (const auto* lines : {&judgement.difference.only_one, &judgement.difference.only_other})
      for (const std::string& line : *lines) groups.insert(group_of(line));
    return groups;
  }
  const std::vector<const Outcome*> all = all_outcomes(evidence);
  for (const std::string& group : shapes_of(all))
    if (!is_constant(group_in(all, group), tolerance)) groups.insert(group);
  return groups;
}

std::vector<CountedOutcome> count_outcomes(const std::vector<const Outcome*>& of,
                                           const std::set<std::string>& groups) {
  std::vector<CountedOutcome> counted;
  for (const Outcome* outcome : of) {
    const std::string text = in_words(*outcome, groups);
    const auto found =
        std::find_if(counted.begin(), counted.end(),
                     [&](const CountedOutcome& known) { return known.text == text; });
    if (found != counted.end())
      ++found->times;
    else
      counted.push_back({text, 1});
  }
  std::stable_sort(counted.begin(), counted.end(),
                   [](const auto& a, const auto& b) { return a.times > b.times; });
  return counted;
}

}  // namespace photofinish

#include "cli/confirmer.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/run_directory.h"

namespace photofinish {
namespace {

// In units of --pause-ms:
constexpr std::uint32_t kDirectedPauses = 100;  // it is known which ranks meet, and when
constexpr std::uint32_t kEveryPauses = 20;      // any instance may have a partner, or none
constexpr std::uint32_t kPatiencePauses = 300;  // of a rank, in all
constexpr std::uint32_t kLonger = 4;            // after each run in vain
constexpr std::size_t kDifferenceLines = 5;
constexpr std::size_t kHeldAtMost = 16;  // each has a table in shared memory

// The confirming runs: beside the run, on the file system that all nodes share.
std::string beside(std::string run) {
  while (run.size() > 1 && run.ends_with('/')) run.pop_back();
  return absolute_path(run) + ".confirming";
}

void store_verdict(OrderTried& order, const Verdict& verdict) {
  ++order.observed;
  order.forced += verdict.forced ? 1 : 0;
  order.ranks = verdict.ranks;
  order.arrivals = verdict.arrivals;
}

std::string duration_text(std::chrono::seconds time) {
  const auto s = time.count();
  return s < 120 ? fmt::format("{} s", s) : fmt::format("{} min", (s + 30) / 60);
}

}  // namespace

Confirmer::Confirmer(const Options& options, const ConfirmArguments& arguments, Launch launch,
                     double tolerance, const std::vector<Candidate>& all)
    : options_(options),
      directory_(beside(arguments.run)),
      launch_(std::move(launch)),
      tolerance_(tolerance),
      repetitions_(static_cast<std::size_t>(std::max(1, options.runs))),
      all_(all),
      status_(options.progress && !options.quiet && arguments.order == 0) {
  if (status_.shown()) launch_.tick = [this] { show_status(); };
}

Confirmer::~Confirmer() { remove_confirming_runs(directory_); }

void Confirmer::begin(std::string text, const std::vector<const Candidate*>& following) {
  now_at_ = std::move(text);
  runs_before_ = runs_;
  runs_following_ = 0;
  for (const Candidate* candidate : following) runs_following_ += expected_runs(*candidate);
}

std::size_t Confirmer::expected_runs(const Candidate& candidate) const {
  const bool every = candidate.schedule.kind == RaceKind::Memory && candidate.times > 1;
  return candidate.impossible.empty() ? candidate.orders.size() * repetitions_ * (every ? 2 : 1)
                                      : 0;
}

void Confirmer::show_status() {
  const auto passed = std::chrono::steady_clock::now() - start_;
  const std::size_t done = runs_ - runs_before_, total = std::max(runs_expected_, done);
  std::string left;
  if (runs_ > 1) {
    const auto each = passed / static_cast<double>(runs_);
    const auto rest = each * static_cast<double>(total - done + runs_following_);
    left = ", about " + duration_text(std::chrono::duration_cast<std::chrono::seconds>(rest)) +
           " left";
  }
  status_.show(fmt::format("photofinish: {}, run {} of {}{}", now_at_, done, total, left));
}

// The first run waits for the ranks that raced in the recorded run, or that met in another order;
// later ones pause at random, and longer.
Schedule Confirmer::schedule_for(const Candidate& candidate, std::size_t order, Scope scope,
                                 const OrderTried* known, std::uint32_t run) const {
  Schedule schedule = candidate.schedule;
  const auto pause = static_cast<std::uint32_t>(options_.pause_ms);
  schedule.scope = scope;
  schedule.seed = run + 1;
  schedule.patience_ms = pause * kPatiencePauses;
  schedule.unit_ms = pause;
  if (scope == Scope::Off) {
    // With the instrumentation of a steered run, but no rank takes part.
    schedule.scope = Scope::One;
    schedule.second_window = false;
    schedule.held.clear();
    for (ScheduledSide& side : schedule.sides) side.rank = kProcNull;
    return schedule;
  }
  if (schedule.kind == RaceKind::Message) {
    const Candidate::Alternative& alternative = candidate.alternatives[order];
    schedule.matches = alternative.matches;
    schedule.steered = alternative.steered;
    schedule.sides[0].rank = alternative.receiver;
    // The receive that matched the wanted message matches the other one.
    const Schedule::Match wanted{alternative.send.rank, alternative.send.tag};
    const auto it = schedule.matches.begin() + static_cast<std::ptrdiff_t>(schedule.steered);
    const auto later = std::find_if(it + 1, schedule.matches.end(), [&](const Schedule::Match& m) {
      return m.source == wanted.source && m.tag == wanted.tag;
    });
    if (order > 0 && later != schedule.matches.end()) *later = *it;
    *it = wanted;
    return schedule;
  }
  for (const Candidate& other : all_)
    if (other.key != candidate.key && other.schedule.kind == RaceKind::Memory)
      schedule.other_sites.insert(schedule.other_sites.end(), other.schedule.sides.begin(),
                                  other.schedule.sides.end());
  schedule.first = static_cast<std::uint32_t>(order);
  schedule.pause_ms = pause * kDirectedPauses;
  if (run == 0 && scope == Scope::One) {
    for (std::size_t side = 0; known != nullptr && side < schedule.sides.size(); ++side) {
      schedule.sides[side].rank = known->ranks[side];
      schedule.sides[side].arrival = known->arrivals[side];
    }
    return schedule;
  }
  for (ScheduledSide& side : schedule.sides) side.rank = kAnySource;
  schedule.pause_ms = scope == Scope::Every ? pause * kEveryPauses : pause;
  for (std::uint32_t i = 1; i < run && schedule.pause_ms < pause * kDirectedPauses; ++i)
    schedule.pause_ms *= kLonger;
  return schedule;
}

// Races on memory with one instance between ranks that the candidate does not involve: a rank waits
// for one finding only. Those of messages are held by their receives (Schedule::held).
std::vector<const Candidate*> Confirmer::holdable_with(const Candidate& candidate) const {
  std::vector<const Candidate*> held;
  std::set<WorldRank> taken(candidate.involved.begin(), candidate.involved.end());
  for (const Candidate& other : all_) {
    const std::vector<ScheduledSide>& sides = other.schedule.sides;
    if (other.key == candidate.key || other.schedule.kind != RaceKind::Memory || other.times > 1 ||
        !other.impossible.empty() || unholdable_.contains(other.key) ||
        held.size() == kHeldAtMost ||
        std::any_of(sides.begin(), sides.end(),
                    [&](const auto& side) { return taken.contains(side.rank); }))
      continue;
    for (const ScheduledSide& side : sides) taken.insert(side.rank);
    held.push_back(&other);
  }
  return held;
}

void Confirmer::add_held(std::vector<Schedule>& findings) const {
  for (const Candidate* other : held_) {
    findings.push_back(schedule_for(*other, 0, Scope::One, nullptr, 0));
    findings.back().other_sites.clear();
  }
}

Result<ConfirmingRun> Confirmer::run(std::vector<Schedule> findings) {
  ++runs_;
  auto done =
      run_schedules(directory_, {std::move(findings), options_.message_rendezvous}, launch_);
  if (done && done->interrupted) return Error{"interrupted"};
  return done;
}

Result<Confirmer::Tried> Confirmer::try_order(const Candidate& candidate, std::size_t order,
                                              Scope scope, const OrderTried* known,
                                              WorldRank debugged) {
  Tried tried;
  tried.order.name = candidate.orders[order];
  // A person debugs one run.
  const int runs = debugged == kProcNull ? options_.runs : 1;
  held_ = debugged == kProcNull ? holdable_with(candidate) : std::vector<const Candidate*>();
  for (int run = 0; run < runs && !tried.order.seen(); ++run) {
    Schedule schedule =
        schedule_for(candidate, order, scope, known, static_cast<std::uint32_t>(run));
    schedule.debugged = debugged;
    std::vector<Schedule> findings{std::move(schedule)};
    if (scope == Scope::One && run == 0) add_held(findings);
    auto done = this->run(std::move(findings));
    if (!done) return done.error();
    tried.printed = std::move(done->printed);
    const Verdict& verdict = done->verdicts.front();
    ++tried.order.runs;
    for (const int side : {0, 1}) tried.reached[side] += verdict.reached[side];
    if (!verdict.seen && failed(done->outcome)) tried.order.outcome = done->outcome.how;
    if (!verdict.seen && !done->tool_failure.empty()) tool_failure_ = done->tool_failure;
    if (!verdict.seen) continue;
    store_verdict(tried.order, verdict);
    tried.outcome = done->outcome;
  }
  if (!tried.order.seen() && !tool_failure_.empty()) return tool_stopped(candidate);
  return tried;
}

// Nothing is known of a race that the tool may have missed.
Error Confirmer::tool_stopped(const Candidate& candidate) const {
  return Error{fmt::format("F{} was not confirmed: the tool stopped in a confirming run, {}",
                           candidate.number, tool_failure_)};
}

Result<bool> Confirmer::run_control(const Candidate& candidate) {
  while (control_.size() < repetitions_) {
    auto done = run({schedule_for(candidate, 0, Scope::Off, nullptr, 0)});
    if (!done) return done.error();
    control_.push_back(std::move(done->outcome));
  }
  return true;
}

Result<Trial> Confirmer::run_trial(const Candidate& candidate, std::size_t order, Scope scope,
                                   std::uint32_t run) {
  const OrderTried* known = orders_[order].ranks.empty() ? nullptr : &orders_[order];
  for (const OrderTried& other : orders_)
    if (known == nullptr && !other.ranks.empty()) known = &other;
  std::vector<Schedule> findings{schedule_for(candidate, order, scope, known, run)};
  const bool holds = scope == Scope::One && run == 0;
  if (holds) add_held(findings);
  auto done = this->run(std::move(findings));
  if (!done) return done.error();
  const Verdict& verdict = done->verdicts.front();
  OrderTried& tried = orders_[order];
  ++tried.runs;
  by_messages_ = by_messages_ || verdict.by_messages;
  if (verdict.stopped != kProcNull) stopped_ = verdict.stopped;
  for (const int side : {0, 1}) reached_[side] += verdict.reached[side];
  repeats_ = repeats_ || verdict.reached[0] > 1 || verdict.reached[1] > 1;
  if (!verdict.seen && !done->tool_failure.empty()) tool_failure_ = done->tool_failure;
  // The end of a run that did not see the race may be the reason.
  if (!verdict.seen && failed(done->outcome)) tried.outcome = done->outcome.how;
  if (verdict.seen && scope == Scope::One) {
    tried.ranks = verdict.ranks;
    tried.arrivals = verdict.arrivals;
  }
  if (scope == Scope::Every) meetings_ = std::max(meetings_, verdict.meetings);
  lost_.clear();
  for (std::size_t i = 0; holds && i < held_.size(); ++i)
    if (const Verdict& other = done->verdicts[1 + i]; !other.seen || !other.forced)
      lost_.insert(held_[i]->key);
  if (verdict.seen) unholdable_.insert(lost_.begin(), lost_.end());
  const bool as_held = holds ? lost_.empty() : scope == Scope::Every || held_.empty();
  const std::size_t held = holds ? held_.size() : 0;
  // A finding that is held may keep this one from happening.
  if (holds && !verdict.seen && !tried.optional)
    for (const Candidate* other : held_) lost_.insert(other->key);
  return Trial{.order = order,
               .scope = scope,
               .seen = verdict.seen,
               .forced = verdict.forced,
               .outcome = std::move(done->outcome),
               .alone = held + 1 == all_.size(),
               .compared = as_held};
}

class Confirmer::Trials : public TrialRuns {
 public:
  Trials(Confirmer& confirmer, const Candidate& candidate)
      : confirmer_(confirmer), candidate_(candidate) {}

  Result<Trial> run(std::size_t order, Scope scope, std::uint32_t attempt) override {
    return confirmer_.run_trial(candidate_, order, scope, attempt);
  }
  bool drop_lost() override {
    return std::erase_if(confirmer_.held_, [&](const Candidate* other) {
             return confirmer_.lost_.contains(other->key);
           }) > 0;
  }
  Instances instances() const override {
    const Schedule& schedule = candidate_.schedule;
    if (schedule.kind != RaceKind::Memory || (candidate_.times <= 1 && !confirmer_.repeats_))
      return Instances::Single;
    return confirmer_.by_messages_ && !meets_in_one_rank(schedule) ? Instances::OneOfSeveral
                                                                   : Instances::All;
  }

 private:
  Confirmer& confirmer_;
  const Candidate& candidate_;
};

// Shows the runs that say most: those that differ, else those whose outcomes vary.
Confirmation Confirmer::conclude() const {
  const Judgement judgement = judge(evidence_, repetitions_, tolerance_);
  Confirmation confirmation{.key = key_,
                            .state = judgement.state,
                            .orders = orders_,
                            .meetings = meetings_,
                            .one_of_several = evidence_.instances_untried,
                            .only_exit_codes = lacks_output(evidence_),
                            .control = {},
                            .difference = as_lines(judgement.difference, kDifferenceLines)};
  const std::set<std::string> groups = differing_groups(evidence_, judgement, tolerance_);
  // The outcomes of its orders, or one and a control run.
  const auto varied = [&](Scope scope) {
    std::vector<const Outcome*> all = control_of(evidence_);
    for (std::size_t order = 0; order < evidence_.orders; ++order)
      for (const Outcome* outcome : outcomes_of(evidence_, order, scope)) all.push_back(outcome);
    return count_outcomes(all, groups).size() > 1;
  };
  Scope shown = judgement.scope;
  if (judgement.state == ConfirmState::Unstable && !varied(Scope::One) && meetings_ > 0)
    shown = Scope::Every;
  confirmation.every = shown == Scope::Every;
  for (std::size_t order = 0; order < evidence_.orders; ++order) {
    OrderTried& tried = confirmation.orders[order];
    const auto outcomes = outcomes_of(evidence_, order, shown);
    tried.observed = static_cast<std::uint32_t>(outcomes.size());
    tried.forced = 0;
    for (const Trial& trial : evidence_.trials)
      if (trial.order == order && trial.scope == shown && trial.compared && trial.forced)
        ++tried.forced;
    tried.outcomes = count_outcomes(outcomes, groups);
  }
  for (const int side : {0, 1}) confirmation.reached[side] = reached_[side];
  confirmation.control = count_outcomes(control_of(evidence_), groups);
  return confirmation;
}

Result<Confirmation> Confirmer::confirm(const Candidate& candidate) {
  runs_expected_ = expected_runs(candidate) + (control_.empty() ? repetitions_ : 0);
  key_ = candidate.key;
  evidence_ = {.orders = candidate.orders.size(), .optional = {}, .control = {}, .trials = {}};
  orders_.clear();
  for (const std::string& name : candidate.orders) {
    orders_.emplace_back();
    orders_.back().name = name;
    const std::size_t order = orders_.size() - 1;
    if (order < candidate.alternatives.size() && !candidate.alternatives[order].reported) {
      orders_.back().optional = true;
      evidence_.optional.insert(order);
    }
  }
  reached_[0] = reached_[1] = meetings_ = 0;
  repeats_ = by_messages_ = false;
  tool_failure_.clear();
  stopped_ = kProcNull;
  if (const auto control = run_control(candidate); !control) return control.error();
  evidence_.control = control_;
  held_ = holdable_with(candidate);
  Trials trials(*this, candidate);
  if (const auto done = gather_evidence(evidence_, repetitions_, tolerance_, trials); !done)
    return done.error();
  for (std::size_t order = 0; order < evidence_.orders && !tool_failure_.empty(); ++order)
    if (outcomes_of(evidence_, order, Scope::One).empty() && !evidence_.optional.contains(order))
      return tool_stopped(candidate);
  return conclude();
}

Result<Confirmation> Confirmer::confirm_buffering() {
  key_ = 0;
  runs_expected_ = repetitions_;
  Schedule schedule;
  schedule.kind = RaceKind::Message;
  schedule.scope = Scope::Off;
  schedule.synchronous = true;
  schedule.unit_ms = static_cast<std::uint32_t>(options_.pause_ms);
  schedule.sides.push_back({.site_keys = {}, .lines = {}, .rank = kProcNull});
  Confirmation confirmation{.key = kBufferingKey, .orders = {}, .control = {}, .difference = {}};
  OrderTried tried{
      .name = "no send buffered", .ranks = {}, .arrivals = {}, .outcome = {}, .outcomes = {}};
  Evidence evidence;
  while (tried.runs < repetitions_ && tried.observed == 0) {
    auto done = run({schedule});
    if (!done) return done.error();
    ++tried.runs;
    if (!done->outcome.ended) tried.observed = tried.forced = 1;
    evidence.control.push_back(std::move(done->outcome));
  }
  tried.outcomes = count_outcomes(control_of(evidence), {});
  if (tried.observed > 0) confirmation.state = ConfirmState::Harmful;
  confirmation.orders.push_back(std::move(tried));
  return confirmation;
}

bool Confirmer::has_failed_runs() const {
  const auto is_failed = [](const Trial& trial) { return failed(trial.outcome); };
  return std::any_of(control_.begin(), control_.end(), failed) ||
         std::any_of(evidence_.trials.begin(), evidence_.trials.end(), is_failed);
}

std::optional<Confirmation> Confirmer::interrupted_finding() const {
  if (key_ == 0) return std::nullopt;
  Confirmation known = conclude();
  if (known.state != ConfirmState::Harmful && known.state != ConfirmState::Unstable)
    return std::nullopt;
  return known;
}

// A shared run cannot attribute a difference to one finding, or exclude that one finding blocked
// another: only findings that were forced each time, with one outcome of all runs, are settled.
Result<std::vector<std::optional<Confirmation>>> Confirmer::confirm_together(
    const std::vector<const Candidate*>& candidates) {
  key_ = 0;
  evidence_ = {};
  std::vector<std::optional<Confirmation>> found;
  std::size_t orders = 0;
  for (const Candidate* candidate : candidates) {
    found.push_back(Confirmation{.key = candidate->key,
                                 .state = ConfirmState::SameOutcome,
                                 .orders = {},
                                 .control = {},
                                 .difference = {}});
    for (const std::string& name : candidate->orders) {
      found.back()->orders.emplace_back();
      found.back()->orders.back().name = name;
    }
    orders = std::max(orders, candidate->orders.size());
    // A race with several instances needs runs in which all of them are steered.
    if (candidate->times > 1) found.back().reset();
  }
  runs_expected_ = orders * repetitions_ + (control_.empty() ? repetitions_ : 0);
  if (const auto control = run_control(*candidates.front()); !control) return control.error();
  std::vector<Outcome> outcomes = control_;
  for (std::size_t run = 0; run < orders * repetitions_; ++run) {
    if (std::none_of(found.begin(), found.end(), [](const auto& one) { return one.has_value(); }))
      break;
    const std::size_t order = run % orders;
    std::vector<Schedule> findings;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t own = std::min(order, candidates[i]->orders.size() - 1);
      const OrderTried* known = nullptr;
      for (std::size_t j = 0; found[i] && j < found[i]->orders.size(); ++j)
        if (found[i]->orders[j].seen()) known = &found[i]->orders[j];
      if (found[i] && found[i]->orders[own].seen()) known = &found[i]->orders[own];
      findings.push_back(schedule_for(*candidates[i], own, Scope::One, known, 0));
    }
    const auto done = this->run(std::move(findings));
    if (!done) return done.error();
    outcomes.push_back(done->outcome);
    const bool same = compare(outcomes.front(), done->outcome, tolerance_).empty();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Verdict& verdict = done->verdicts[i];
      if (!same || !verdict.seen || !verdict.forced) found[i].reset();
      if (!found[i] || order >= candidates[i]->orders.size()) continue;
      for (const int side : {0, 1}) found[i]->reached[side] += verdict.reached[side];
      OrderTried& tried = found[i]->orders[order];
      ++tried.runs;
      store_verdict(tried, verdict);
      tried.outcomes = {{done->outcome.how, tried.observed}};
    }
  }
  for (auto& one : found)
    if (one) one->only_exit_codes = std::none_of(outcomes.begin(), outcomes.end(), has_output);
  return found;
}

}  // namespace photofinish

#include "cli/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "analyze/analyze_run.h"
#include "explore/object_order.h"
#include "report/describe.h"
#include "report/run_notes.h"

namespace photofinish {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kFirstTimeout = 60;        // seconds, of a run
constexpr int kStallSeconds = 5;         // without a proof of a deadlock
constexpr std::uint32_t kMostTries = 2;  // of a prescription
// How long a rank waits for its turn at a shared object: so many milliseconds, and longest runs.
constexpr std::uint32_t kTurnMs = 10'000, kTurnRuns = 5;
constexpr auto kStoreInterval = 1s;

// The schedule that makes the ranks take these choices.
Schedules schedules_of(const Matching& prescribed, const Options& options,
                       std::uint32_t longest_run) {
  Schedule schedule;
  schedule.kind = RaceKind::Message;
  schedule.explores = true;
  schedule.unit_ms = static_cast<std::uint32_t>(options.pause_ms);
  schedule.pause_ms = kTurnMs + kTurnRuns * longest_run;
  for (const auto& [line, matches] : prescribed) {
    std::vector<Schedule::Match> wanted;
    for (const Match& match : matches) wanted.push_back({match.source, match.tag});
    if (!is_object(line))
      schedule.held.push_back({WorldRank(static_cast<std::int32_t>(line)), std::move(wanted)});
  }
  Schedules schedules;
  schedules.findings.push_back(std::move(schedule));
  return schedules;
}

std::vector<std::string> deadlock_lines(const std::string& directory) {
  std::vector<std::string> lines;
  const auto found = find_deadlocks(directory, [] { return false; });
  if (!found || found->deadlocks.empty()) return lines;
  RunNotes notes(directory, {}, *found);
  for (const Deadlock& one : found->deadlocks)
    for (const DeadlockDocument::Wait& wait : describe_deadlock(one, notes).waits)
      lines.push_back(wait.line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

Explorer::Explorer(const Options& options, const ExploreArguments& arguments, std::string run,
                   Launch launch, ExploreState state, double tolerance)
    : options_(options),
      arguments_(arguments),
      run_(std::move(run)),
      directory_(run_ + ".explore"),
      tolerance_(tolerance),
      launch_(std::move(launch)),
      state_(std::move(state)),
      search_(state_.runs.empty() && state_.pending.empty() ? Search()
                                                            : Search(state_.runs, state_.pending)),
      status_(options.progress),
      text_(launch_.process) {
  launch_.is_deadlocked = [this](const std::string& directory) {
    return !deadlock(directory).empty();
  };
  set_limits();
}

Explorer::~Explorer() { remove_confirming_runs(directory_); }

void Explorer::set_limits() {
  const int seconds = static_cast<int>(state_.milliseconds / 1000);
  launch_.world_size = static_cast<int>(state_.ranks);
  launch_.timeout_s = options_.timeout > 0 ? options_.timeout : kFirstTimeout + 10 * seconds;
  launch_.stall_s = state_.ranks > 0 ? std::max(kStallSeconds, 2 * seconds) : 0;
}

// Who waits for what; empty: no deadlock is proven.
std::vector<std::string> Explorer::deadlock(const std::string& directory) {
  std::vector<std::string> lines = deadlock_lines(directory);
  if (!lines.empty()) return lines;
  const auto traced = read_execution(directory);
  return traced ? text_.lock_deadlock(*traced) : lines;
}

Explorer::Inspected Explorer::inspect(const std::string& directory) {
  Inspected inspected;
  const auto traced = read_execution(directory);
  if (!traced) {
    inspected.error = traced.error();
    return inspected;
  }
  inspected.choices = choices_of(traced->execution);
  inspected.whole = traced->whole;
  inspected.in_turn = traced->in_turn;
  inspected.ranks = traced->traces.size();
  for (const auto& [line, place] : traced->objects)
    inspected.objects[line] = text_.object(*traced, place);
  for (const auto& [line, steps] : inspected.choices.steps)
    for (const Choices::Step& at : steps) {
      const MessageStep& step = traced->execution.processes[at.process].steps[at.step];
      const std::size_t rank = at.process < traced->traces.size()
                                   ? at.process
                                   : traced->served_rank.at({at.process, at.step});
      inspected.locations[line].push_back(
          text_.location(*traced->traces[rank], step.site, step.site_key));
    }
  inspected.untracked = text_.not_explored(*traced);
  return inspected;
}

Result<Explorer::Made> Explorer::make_run(const Matching& prescribed, Launch launch,
                                          std::uint32_t longest_run) {
  Made made;
  launch.prepare = [&](const std::string& directory) -> Result<bool> {
    std::vector<ObjectOrder> orders;
    for (const auto& [line, matches] : prescribed) {
      if (!is_object(line)) continue;
      ObjectOrder& order = orders.emplace_back();
      order.line = line;
      for (const Match& match : matches) order.ranks.push_back(match.source.value);
    }
    return orders.empty() ? Result<bool>(true) : write_object_orders(directory, orders);
  };
  launch.inspect = [&](const std::string& directory) {
    made.inspected = inspect(directory);
    made.inspected.deadlock = deadlock(directory);
  };
  const auto start = Clock::now();
  auto done = run_schedules(directory_, schedules_of(prescribed, options_, longest_run), launch);
  if (!done) return done.error();
  made.run = std::move(*done);
  made.milliseconds = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
  if (made.run.outcome.ended) made.inspected.deadlock.clear();
  return made;
}

// Hung runs are compared by who waits for what: what they printed may not have been flushed.
std::uint64_t Explorer::outcome_of(const Outcome& outcome,
                                   const std::vector<std::string>& deadlock) {
  for (std::size_t i = 0; i < state_.outcomes.size(); ++i) {
    const KnownOutcome& known = state_.outcomes[i];
    if (known.outcome.ended != outcome.ended) continue;
    if (outcome.ended ? compare(known.outcome, outcome, tolerance_).empty()
                      : known.details == deadlock)
      return i;
  }
  state_.outcomes.push_back({outcome, !deadlock.empty(), deadlock});
  return state_.outcomes.size() - 1;
}

// With the mutex held.
void Explorer::add(const Prescription& prescription, Made made) {
  const Inspected& inspected = made.inspected;
  if (!inspected.in_turn || !follows(inspected.choices.matching, prescription.matching) ||
      !made.run.tool_failure.empty()) {
    ++state_.not_followed;
    search_.failed(prescription, kMostTries);
    return;
  }
  const std::uint64_t outcome = outcome_of(made.run.outcome, inspected.deadlock);
  search_.add(prescription, inspected.choices, outcome);
  auto& sites = state_.sites.emplace_back();
  for (const auto& [line, texts] : inspected.locations)
    for (const std::string& text : texts) {
      const auto found = std::find(state_.locations.begin(), state_.locations.end(), text);
      sites[line].push_back(static_cast<std::uint32_t>(found - state_.locations.begin()));
      if (found == state_.locations.end()) state_.locations.push_back(text);
    }
  state_.objects.insert(inspected.objects.begin(), inspected.objects.end());
  for (const std::string& text : inspected.untracked)
    if (std::find(state_.untracked.begin(), state_.untracked.end(), text) == state_.untracked.end())
      state_.untracked.push_back(text);
  if (!inspected.whole && made.run.outcome.ended) ++state_.cut_short;
  if (made.run.outcome.ended)
    state_.milliseconds = std::max(state_.milliseconds, made.milliseconds);
  state_.ranks = std::max<std::uint64_t>(state_.ranks, inspected.ranks);
  set_limits();
}

void Explorer::store() {
  state_.runs = search_.runs();
  state_.pending = search_.pending();
  const auto written = write_explore_state(run_, state_);
  unstored_ = written ? "" : written.error().message;
  stored_ = Clock::now();
}

bool Explorer::may_go_on() const {
  if (error_ || interrupted_) return false;
  if (arguments_.runs > 0 && made_ >= static_cast<std::size_t>(arguments_.runs)) return false;
  return arguments_.seconds == 0 ||
         Clock::now() - start_ < std::chrono::seconds(arguments_.seconds);
}

void Explorer::show_status() {
  if (!status_.shown()) return;
  status_.show(fmt::format(
      "photofinish: {} runs, {} outcomes, {} choices left, estimated total {:.0f}",
      search_.runs().size(), state_.outcomes.size(), search_.pending().size(), search_.estimate()));
}

void Explorer::work() {
  std::unique_lock lock(mutex_);
  while (may_go_on()) {
    const auto prescription = search_.next();
    if (!prescription) {
      if (under_way_ == 0) break;
      changed_.wait_for(lock, 100ms);
      continue;
    }
    ++made_;
    ++under_way_;
    const Launch launch = launch_;
    const auto longest_run = static_cast<std::uint32_t>(state_.milliseconds);
    show_status();
    lock.unlock();
    auto made = make_run(prescription->matching, launch, longest_run);
    lock.lock();
    --under_way_;
    if (!made) {
      error_ = made.error();
      search_.give_back(*prescription);
    } else if (made->run.interrupted) {
      interrupted_ = true;
      search_.give_back(*prescription);
    } else if (made->inspected.error) {
      error_ = *made->inspected.error;
      search_.give_back(*prescription);
    } else {
      add(*prescription, std::move(*made));
    }
    if (Clock::now() - stored_ >= kStoreInterval) store();
    changed_.notify_all();
  }
  changed_.notify_all();
}

// The first run alone: it shows how long a run takes, and how many ranks there are.
Result<bool> Explorer::explore() {
  std::vector<std::thread> workers;
  for (int i = 0; i < std::max(1, arguments_.jobs); ++i) workers.emplace_back([this] { work(); });
  for (std::thread& worker : workers) worker.join();
  status_.clear();
  store();
  if (error_) return *error_;
  return true;
}

Result<Explorer::Again> Explorer::repeat(const Matching& matching) {
  Matching prescribed = matching;
  for (auto& [line, matches] : prescribed)
    for (Match& match : matches)
      if (match.source.value < 0) match = {};
  Launch launch = launch_;
  launch.shows_output = true;
  auto made = make_run(prescribed, launch, static_cast<std::uint32_t>(state_.milliseconds));
  if (!made) return made.error();
  if (made->run.interrupted) return Error{"interrupted"};
  if (made->inspected.error) return *made->inspected.error;
  return Again{made->run.outcome,
               made->inspected.in_turn && follows(made->inspected.choices.matching, prescribed),
               made->inspected.deadlock};
}

}  // namespace photofinish

// photofinish group: finds the ranks that it takes to explain a failure (docs/group.md).
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "cli/accounts.h"
#include "cli/commands.h"
#include "cli/programming_model.h"
#include "cli/replaying.h"
#include "explain/group_text.h"
#include "group/z3_solver.h"
#include "report/coverage.h"
#include "report/event_text.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// A rank that the launcher ended, because another one failed, did not fail itself.
bool failed(const RankEnd& end) {
  switch (end.state) {
    case RankState::Exited:
      return end.code != 0;
    case RankState::Signaled:
      return is_fault(end.code) || end.code == SIGABRT;
    case RankState::Finalized:
      return false;
    default:
      return true;
  }
}

Result<bool> check_failure(const std::string& run, const std::vector<WorldRank>& recorded,
                           WorldRank rank) {
  if (std::find(recorded.begin(), recorded.end(), rank) == recorded.end())
    return Error{fmt::format(
        "cannot explain the failure of rank {}: it was not recorded ({}). Record all ranks with: "
        "photofinish record -n N PROGRAM",
        rank.value,
        recorded.empty() ? fmt::format("{} has no recorded ranks", run)
                         : fmt::format("recorded ranks: {}", rank_ranges(recorded)))};
  if (const auto start = read_start(run, rank); !start) return start.error();
  std::vector<WorldRank> all_failed;
  std::int32_t world_size = 0;
  for (const WorldRank one : recorded) {
    const auto trace = RankTrace::open(run, one);
    if (!trace) return trace.error();
    world_size = (*trace)->world_size();
    if ((*trace)->end().state != RankState::Running && failed((*trace)->end()))
      all_failed.push_back(one);
  }
  const auto trace = RankTrace::open(run, rank);
  if (!trace) return trace.error();
  if (!failed((*trace)->end()))
    return Error{fmt::format(
        "rank {} did not fail ({}); {}", rank.value, end_text((*trace)->end()),
        all_failed.empty() ? std::string("no recorded rank did")
                           : fmt::format("give a rank that did: {}", rank_ranges(all_failed)))};
  if (static_cast<std::int32_t>(recorded.size()) < world_size)
    return Error{
        fmt::format("cannot search for a group: only rank{} {} of {} {} recorded, and any rank may "
                    "have written "
                    "a value. Record all with: photofinish record -n {} PROGRAM",
                    recorded.size() > 1 ? "s" : "", rank_ranges(recorded), world_size,
                    recorded.size() > 1 ? "were" : "was", world_size)};
  return true;
}

void print_group(const GroupArguments& arguments, const GroupExecution& execution,
                 const group::Choice& choice, std::int32_t world_size) {
  const std::vector<WorldRank> ranks = ranks_of(execution, choice);
  const std::string list = rank_ranges(ranks);
  if (ranks.size() == 1)
    fmt::print("Rank {} of {} fails alone: its own events explain every value that it read\n", list,
               world_size);
  else
    fmt::print(
        "Ranks {} of {} explain the failure of rank {}: a schedule of their own events explains "
        "every "
        "value that they read\n",
        list, world_size, arguments.failure);
  if (const std::string reasons = reasons_text(execution, choice); !reasons.empty())
    fmt::print("\nAdded because of\n{}", reasons);
  if (const std::string schedule = schedule_text(execution, choice, arguments.each);
      !schedule.empty())
    fmt::print("\nA schedule that explains all values\n{}", schedule);
  fmt::print("\nReplay the group:\n  photofinish replay {} --ranks {}\n", arguments.run, list);
}

}  // namespace

int run_group(const Options& options, const GroupArguments& arguments) {
  if (const std::string refused = no_openshmem_run("group", arguments.run); !refused.empty())
    return fail(refused, kExitUsage);
  const WorldRank rank(arguments.failure);
  const auto recorded = recorded_ranks(arguments.run);
  if (!recorded) return fail(recorded.error().message, kExitUsage);
  if (const auto checked = check_failure(arguments.run, *recorded, rank); !checked)
    return fail(checked.error().message, kExitUsage);
  const auto solver = group::load_z3();
  if (!solver) return fail(solver.error().message);
  const auto group = read_group(arguments.run, *recorded);
  if (!group) return fail(group.error().message);
  const auto accounts = replay_accounts(arguments.run, *recorded, *group);
  if (!accounts) return fail(accounts.error().message);
  if (std::any_of(group->begin(), group->end(),
                  [](const RecordedRank& one) { return !one.definitions().wins.empty(); }))
    if (const auto start = read_start(arguments.run, rank); start)
      if (const NotInstrumented note = not_instrumented(start->program); !note.text.empty())
        fmt::print(stderr, "photofinish: {}\n", note.text);
  const auto execution = make_execution(*group, collect_accesses(*group, *accounts));
  if (!execution) return fail(execution.error().message);
  // From here on, only the execution matters: no run, no time except to choose between writers.
  const auto failing = static_cast<std::uint32_t>(
      std::find(recorded->begin(), recorded->end(), rank) - recorded->begin());
  const group::Choice choice =
      group::choose_group(execution->execution, failing, *solver, options.time);
  const std::int32_t world_size = group->front().world_size;
  switch (choice.state) {
    case group::Choice::State::Found:
      print_group(arguments, *execution, choice, world_size);
      return kExitOk;
    case group::Choice::State::NoSchedule:
      fmt::print(
          "No schedule explains these values of rank{} {}: another program or "
          "uninstrumented code wrote them, or memory is not sequentially consistent\n{}",
          ranks_of(*execution, choice).size() > 1 ? "s" : "",
          rank_ranges(ranks_of(*execution, choice)), contradiction_text(*execution, choice));
      return kExitIncomplete;
    case group::Choice::State::GaveUp:
      break;
  }
  return fail(
      fmt::format("gave up: {} (--time {}). The group has at least rank{} {}", choice.reason,
                  options.time, ranks_of(*execution, choice).size() > 1 ? "s" : "",
                  rank_ranges(ranks_of(*execution, choice))),
      kExitIncomplete);
}

}  // namespace photofinish

// photofinish dump: prints the events of the ranks, one in each line, rank by rank.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <strings.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/nearest.h"
#include "model/rank_list.h"
#include "record/start_info.h"
#include "report/event_text.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// Windows of other ranks that are targets of operations; read on first use.
class Windows {
 public:
  explicit Windows(std::string run) : run_(std::move(run)) {}
  const WinDefinition* find(WorldRank rank, Uid uid) {
    auto [entry, fresh] = ranks_.try_emplace(rank);
    if (fresh && rank.value >= 0)
      if (auto trace = RankTrace::open(run_, rank))
        for (const auto& [id, window] : (*trace)->definitions().wins)
          entry->second[uid_key(window.uid)] = window;
    const auto found = entry->second.find(uid_key(uid));
    return found == entry->second.end() ? nullptr : &found->second;
  }

 private:
  static std::uint64_t uid_key(Uid uid) { return uid.value; }
  std::string run_;
  std::map<WorldRank, std::map<std::uint64_t, WinDefinition>> ranks_;
};

// Why an MPI function produces no events; empty if it does, or if it is no MPI function.
std::string why_left_out(const std::string& call) {
#define LEFT_OUT(reason, ...)                                          \
  {                                                                    \
    std::istringstream names(#__VA_ARGS__);                            \
    for (std::string name; std::getline(names >> std::ws, name, ',');) \
      if (name == call) return reason;                                 \
  }
#include "frontend/mpi/table/left_out.def"
  return "";
}

// A pattern that no recorded call can match is an error, not an empty result.
Result<bool> check_pattern(const std::string& pattern) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < call_count(); ++i)
    names.emplace_back(traits(static_cast<Call>(i)).name);
  const auto matches = [&](const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  if (std::any_of(names.begin(), names.end(), matches)) return true;
  if (const std::string why = why_left_out(pattern); !why.empty())
    return Error{fmt::format("{} is not recorded. {}", pattern, why)};
  if (pattern.find_first_of("*?[") != std::string::npos)
    return Error{fmt::format("no call matches '{}'; a pattern looks like 'MPI_Win_*'", pattern)};
  const auto same_letters = [&](const std::string& name) {
    return strcasecmp(name.c_str(), pattern.c_str()) == 0 ||
           strcasecmp(name.c_str(), ("MPI_" + pattern).c_str()) == 0;
  };
  if (const auto same = std::find_if(names.begin(), names.end(), same_letters); same != names.end())
    return Error{fmt::format("there is no call '{}'; did you mean {}?", pattern, *same)};
  const std::string similar = did_you_mean(pattern, names);
  return Error{fmt::format(
      "there is no call '{}'{}", pattern,
      similar.empty() ? "; a name looks like MPI_Put, a pattern like 'MPI_Win_*'" : similar)};
}

// Returns the number of events printed.
std::size_t print_rank(RankTrace& trace, Symbolizer& symbolizer, Windows& windows,
                       const DumpArguments& arguments) {
  const RankDefinition& self = trace.definitions().rank;
  fmt::print("== rank {} of {} on {} (pid {}, {}): {}\n", trace.rank().value, trace.world_size(),
             self.host, self.pid, self.library, end_text(trace.end()));
  if (arguments.definitions)
    if (const auto start = read_start(arguments.run, trace.rank());
        start && !start->left_out.empty())
      fmt::print("environment variables left out of the record, for they may be secret: {}\n",
                 fmt::join(start->left_out, ", "));
  EventText text(trace, symbolizer,
                 [&](WorldRank rank, Uid uid) { return windows.find(rank, uid); });
  if (arguments.definitions)
    for (const std::string& line : text.definitions()) fmt::print("{}\n", line);
  const bool several_tasks = trace.definitions().tasks.size() > 1;
  const Event* event = nullptr;
  std::size_t printed = 0;
  while (trace.next(event)) {
    if (!arguments.call.empty() &&
        fnmatch(arguments.call.c_str(), std::string(traits(event->call).name).c_str(), 0) != 0)
      continue;
    ++printed;
    const std::string where = text.where(*event);
    fmt::print(
        "{}{:12.6f} {:9.6f}  {}{}\n", several_tasks ? fmt::format("t{} ", event->task.value) : "",
        static_cast<double>(event->start) * 1e-9, static_cast<double>(event->duration) * 1e-9,
        text.line(*event), where.empty() ? "" : "  @ " + where);
    if (arguments.stacks)
      for (const std::string& frame : text.stack(*event)) fmt::print("    {}\n", frame);
  }
  return printed;
}

}  // namespace

int run_dump(const Options&, const DumpArguments& arguments) {
  const auto recorded = recorded_ranks(arguments.run);
  if (!recorded) return fail(recorded.error().message, kExitUsage);
  if (recorded->empty()) return fail(arguments.run + " has no traces: no rank completed MPI_Init");
  const auto wanted = parse_rank_list(arguments.ranks);
  if (!wanted) return fail(wanted.error().message, kExitUsage);
  if (!arguments.call.empty())
    if (const auto known = check_pattern(arguments.call); !known)
      return fail(known.error().message, kExitUsage);

  Symbolizer symbolizer;
  Windows windows(arguments.run);
  bool any = false;
  std::size_t printed = 0;
  int code = kExitOk;
  for (const WorldRank rank : *recorded) {
    if (!arguments.ranks.empty() && !wanted->contains(rank)) continue;
    any = true;
    auto trace = RankTrace::open(arguments.run, rank);
    if (!trace) {
      code = fail(trace.error().message);
      continue;
    }
    printed += print_rank(**trace, symbolizer, windows, arguments);
    if (!(*trace)->damage().empty()) {
      std::fflush(stdout);
      code = fail((*trace)->damage());
    }
  }
  if (!any)
    return fail(fmt::format("{} has none of the ranks {}: it has {}", arguments.run,
                            arguments.ranks, rank_ranges(*recorded)),
                kExitUsage);
  if (printed == 0 && !arguments.call.empty() && code == kExitOk) {
    std::fflush(stdout);
    fail(fmt::format("no {} on record in {}{}", arguments.call, arguments.run,
                     arguments.ranks.empty() ? "" : ", ranks " + arguments.ranks));
  }
  return code;
}

}  // namespace photofinish

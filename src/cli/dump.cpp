// photofinish dump: what the ranks did, one line an event, rank by rank.
#include <fmt/format.h>
#include <fnmatch.h>

#include <map>

#include "cli/commands.h"
#include "model/rank_list.h"
#include "report/event_text.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// The windows of ranks that others' operations go to, read when they are first named.
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

void print_rank(RankTrace& trace, Symbolizer& symbolizer, Windows& windows,
                const DumpArguments& arguments) {
  const RankDefinition& self = trace.definitions().rank;
  fmt::print("== rank {} of {} on {} (pid {}, {}): {}\n", trace.rank().value, trace.world_size(),
             self.host, self.pid, self.mpi, end_text(trace.end()));
  EventText text(trace, symbolizer,
                 [&](WorldRank rank, Uid uid) { return windows.find(rank, uid); });
  if (arguments.definitions)
    for (const std::string& line : text.definitions()) fmt::print("{}\n", line);
  const bool several_tasks = trace.definitions().tasks.size() > 1;
  const Event* event = nullptr;
  while (trace.next(event)) {
    if (!arguments.call.empty() &&
        fnmatch(arguments.call.c_str(), std::string(traits(event->call).name).c_str(), 0) != 0)
      continue;
    const std::string place = text.place(*event);
    fmt::print(
        "{}{:12.6f} {:9.6f}  {}{}\n", several_tasks ? fmt::format("t{} ", event->task.value) : "",
        static_cast<double>(event->start) * 1e-9, static_cast<double>(event->duration) * 1e-9,
        text.line(*event), place.empty() ? "" : "  @ " + place);
    if (arguments.stacks)
      for (const std::string& frame : text.stack(*event)) fmt::print("    {}\n", frame);
  }
}

}  // namespace

int run_dump(const Options&, const DumpArguments& arguments) {
  const auto recorded = recorded_ranks(arguments.run);
  if (!recorded) return fail(recorded.error().message);
  if (recorded->empty())
    return fail(arguments.run + " holds no rank's trace: no rank got through MPI_Init");
  const auto wanted = parse_rank_list(arguments.ranks);
  if (!wanted) return fail(wanted.error().message, kExitUsage);

  Symbolizer symbolizer;
  Windows windows(arguments.run);
  bool any = false;
  int code = kExitOk;
  for (const WorldRank rank : *recorded) {
    if (!arguments.ranks.empty() && !wanted->contains(rank)) continue;
    any = true;
    auto trace = RankTrace::open(arguments.run, rank);
    if (!trace) {
      code = fail(trace.error().message);
      continue;
    }
    print_rank(**trace, symbolizer, windows, arguments);
    if (!(*trace)->damage().empty()) {
      std::fflush(stdout);
      code = fail((*trace)->damage());
    }
  }
  if (!any)
    return fail(fmt::format("no rank of {} is in {}, which has {}", arguments.ranks, arguments.run,
                            rank_ranges(*recorded)),
                kExitUsage);
  return code;
}

}  // namespace photofinish

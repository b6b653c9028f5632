// photofinish analyze: the findings of a recorded run, from its traces.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/commands.h"
#include "detect/analysis.h"
#include "trace/findings_file.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {

Result<bool> analyze_run(const std::string& directory, const Options& options) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  std::vector<std::unique_ptr<RankTrace>> traces;
  std::int32_t world_size = 0;
  for (const WorldRank rank : *ranks) {
    auto trace = RankTrace::open(directory, rank);
    if (!trace) return trace.error();
    if (!(*trace)->damage().empty()) fail(fmt::format("rank {}: {}; what is before that is analysed", rank.value, (*trace)->damage()));
    world_size = std::max(world_size, (*trace)->world_size());
    traces.push_back(std::move(*trace));
  }
  // A rank without a trace is one that did nothing: what it would have ordered is not.
  static const Definitions nothing;
  std::vector<RankInput> inputs;
  for (std::int32_t rank = 0; rank < world_size; ++rank) inputs.push_back({WorldRank(rank), &nothing, [] { return nullptr; }});
  for (const auto& trace : traces) {
    RankInput& input = inputs.at(static_cast<std::size_t>(trace->rank().value));
    input.definitions = &trace->definitions();
    input.next = [&trace = *trace]() -> const Event* {
      const Event* event = nullptr;
      return trace.next(event) ? event : nullptr;
    };
  }
  if (static_cast<std::size_t>(world_size) != traces.size())
    fail(fmt::format("{} of {} ranks left a trace; order that went through the others is not seen", traces.size(), world_size));
  return write_findings(analysis_path(directory), analyze(std::move(inputs), {.strict_accumulate_ops = options.strict_accumulate_ops}));
}

int run_analyze(const Options& options, const AnalyzeArguments& arguments) {
  if (const auto done = analyze_run(arguments.run, options); !done) return fail(done.error().message);
  return run_report({.run = arguments.run});
}

}  // namespace photofinish

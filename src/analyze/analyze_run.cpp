#include "analyze/analyze_run.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "detect/analysis.h"
#include "detect/message_analysis.h"
#include "trace/findings_file.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

using Traces = std::vector<std::unique_ptr<RankTrace>>;

// Every trace knows how many there should be.
Result<std::int32_t> world_size_of(const std::string& directory,
                                   const std::vector<WorldRank>& ranks) {
  if (ranks.empty()) return 0;
  const auto trace = RankTrace::open(directory, ranks.front());
  if (!trace) return trace.error();
  return std::max((*trace)->world_size(), ranks.back().value + 1);
}

Result<bool> open_traces(const std::string& directory, const std::vector<WorldRank>& ranks,
                         std::int32_t first, std::int32_t last, Traces& traces) {
  for (const WorldRank rank : ranks) {
    if (rank.value < first || rank.value >= last) continue;
    auto trace = RankTrace::open(directory, rank);
    if (!trace) return trace.error();
    traces.push_back(std::move(*trace));
  }
  return true;
}

// A rank without a trace is one that did nothing: what it would have ordered is not.
std::vector<RankInput> inputs_of(const Traces& traces, std::int32_t first, std::int32_t last) {
  static const Definitions nothing;
  std::vector<RankInput> inputs;
  for (std::int32_t rank = first; rank < last; ++rank)
    inputs.push_back({WorldRank(rank), &nothing, [] { return nullptr; }});
  for (const auto& trace : traces) {
    RankInput& input = inputs.at(static_cast<std::size_t>(trace->rank().value - first));
    input.definitions = &trace->definitions();
    input.next = [&trace = *trace]() -> const Event* {
      const Event* event = nullptr;
      return trace.next(event) ? event : nullptr;
    };
  }
  return inputs;
}

}  // namespace

Result<bool> analyze_messages_of(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  const auto world_size = world_size_of(directory, *ranks);
  if (!world_size) return world_size.error();
  Traces traces;
  if (const auto opened = open_traces(directory, *ranks, 0, *world_size, traces); !opened)
    return opened;
  MessageFindings findings = analyze_messages(inputs_of(traces, 0, *world_size));
  findings.followed &= traces.size() == static_cast<std::size_t>(*world_size) &&
                       std::all_of(traces.begin(), traces.end(), [](const auto& trace) {
                         return trace->end().state == RankState::Exited &&
                                !trace->end().incomplete && trace->damage().empty();
                       });
  return write_messages(messages_path(directory), findings);
}

Result<bool> leave_out_messages(const std::string& directory) {
  MessageFindings nothing;
  nothing.looked = false;
  return write_messages(messages_path(directory), nothing);
}

Result<bool> analyze_run(const std::string& directory, const Options& options, Transport& transport,
                         const std::function<void(const std::string&)>& say) {
  const bool speaks = transport.process() == 0;
  const auto ranks = recorded_ranks(directory);
  if (const auto fine = agree(transport, ranks ? Result<bool>(true) : ranks.error()); !fine)
    return fine;
  const auto world_size = world_size_of(directory, *ranks);
  if (const auto fine = agree(transport, world_size ? Result<bool>(true) : world_size.error());
      !fine)
    return fine;
  const auto [first, last] = share_of(transport.process(), transport.processes(), *world_size);
  Traces traces;
  if (const auto fine = agree(transport, open_traces(directory, *ranks, first, last, traces));
      !fine)
    return fine;

  for (const auto& trace : traces)
    if (!trace->damage().empty())
      say("rank " + std::to_string(trace->rank().value) + ": " + trace->damage() +
          "; what is before that is analysed");
  if (speaks && static_cast<std::size_t>(*world_size) != ranks->size())
    say(std::to_string(ranks->size()) + " of " + std::to_string(*world_size) +
        " ranks left a trace; order that went through the others is not seen");

  const auto findings = analyze(inputs_of(traces, first, last), *world_size, transport,
                                {.rules = {.strict_accumulate_ops = options.strict_accumulate_ops},
                                 .memory = static_cast<std::size_t>(options.memory) << 20,
                                 .directory = directory});
  if (!findings) return findings.error();
  if (const auto written =
          agree(transport, speaks ? write_findings(analysis_path(directory), *findings) : true);
      !written)
    return written;
  traces.clear();
  if (!speaks) return agree(transport, true);
  return agree(transport,
               options.messages ? analyze_messages_of(directory) : leave_out_messages(directory));
}

}  // namespace photofinish

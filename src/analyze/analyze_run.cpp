#include "analyze/analyze_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "detect/analysis.h"
#include "detect/message_analysis.h"
#include "frontend/front_ends.h"
#include "trace/findings_file.h"
#include "trace/interruption.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

constexpr std::size_t kLiveMemory = 256 << 20;  // for the search in a hung run
constexpr std::int64_t kThreadMultiple = 3;     // the value in both MPIs

using Traces = std::vector<std::unique_ptr<RankTrace>>;

// Every trace stores the number of ranks.
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

// A rank that died inside a call does not wait in it: after a crash, MPI_Abort or an exit. Nor does
// a rank without a recorded end, as after an MPI error, unless the run was interrupted: then all
// ranks were alive.
bool was_alive(const RankEnd& end, bool interrupted) {
  return interrupted || (end.state == RankState::Signaled && !is_fault(end.code));
}

// Counts the sync points of a rank as its events are read.
class SyncPointCounter {
 public:
  SyncPointCounter(const RankTrace& trace, std::int32_t world_size)
      : timeline_(trace.rank(), world_size, trace.definitions()), meaning_(meaning_of(timeline_)) {
    timeline_.report_no_edges();
  }
  SyncPoint add(const Event& event) {
    meaning_->add(event, {});
    timeline_.take_closed([](const Access&, Timeline::Use) {});
    timeline_.take_atomics();
    return timeline_.sync_points_done();
  }

 private:
  Timeline timeline_;
  const std::unique_ptr<Meaning> meaning_;
};

// If events of a rank are missing, order through them is unknown: it stopped recording before it
// ended, or its trace is damaged or missing. So nothing is analyzed after the last sync point that
// all such ranks have on record. kNoSyncPoint: everything is analyzed. `ranks`: that should have
// traces.
SyncPoint last_whole_sync_point(const Traces& traces, std::int32_t ranks, std::int32_t world_size) {
  if (traces.size() < static_cast<std::size_t>(ranks)) return 0;
  SyncPoint last = kNoSyncPoint;
  for (const auto& trace : traces) {
    trace->verify();
    const bool damaged = !trace->damage().empty() || trace->is_truncated();
    if (!trace->end().incomplete && !damaged) continue;
    SyncPointCounter counter(*trace, world_size);
    SyncPoint sync_point = 0;
    std::optional<TaskId> task;
    bool threads = false;
    for (const Event* event = nullptr; trace->next(event);) {
      sync_point = counter.add(*event);
      threads |= task.value_or(event->task) != event->task;
      task = event->task;
    }
    trace->rewind();
    // Which thread's events are missing is not known.
    last = std::min(last, damaged && threads ? 0 : sync_point);
  }
  return last;
}

// A rank without a trace counts as having no events: order through it is missing.
std::vector<RankInput> inputs_of(const Traces& traces, std::int32_t first, std::int32_t last,
                                 bool interrupted, std::int32_t world_size,
                                 SyncPoint last_sync_point) {
  static const Definitions nothing;
  std::vector<RankInput> inputs;
  for (std::int32_t rank = first; rank < last; ++rank)
    inputs.push_back({WorldRank(rank), &nothing, meaning_of, [] { return nullptr; }});
  for (const auto& trace : traces) {
    RankInput& input = inputs.at(static_cast<std::size_t>(trace->rank().value - first));
    input.definitions = &trace->definitions();
    input.was_alive = was_alive(trace->end(), interrupted) && !trace->end().incomplete;
    if (last_sync_point == kNoSyncPoint) {
      input.next = [&trace = *trace]() -> const Event* {
        const Event* event = nullptr;
        return trace.next(event) ? event : nullptr;
      };
      continue;
    }
    input.next = [&trace = *trace, last_sync_point, sync_point = SyncPoint(0),
                  counter = std::make_shared<SyncPointCounter>(
                      *trace, world_size)]() mutable -> const Event* {
      const Event* event = nullptr;
      if (sync_point >= last_sync_point || !trace.next(event)) return nullptr;
      sync_point = counter->add(*event);
      return event;
    };
  }
  return inputs;
}

// Findings that cannot be written are passed to the caller for the report, if it accepts them.
template <class T>
Result<bool> keep_unwritten(const Result<bool>& written, T& findings, std::optional<T>* kept,
                            const std::function<void(const std::string&)>& warn) {
  if (written || kept == nullptr) return written;
  warn(written.error().message + "; the report below is complete, but it is not stored");
  *kept = std::move(findings);
  return true;
}

}  // namespace

Result<bool> any_stopped_early(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  for (const WorldRank rank : *ranks)
    if (const auto trace = RankTrace::open(directory, rank); trace && (*trace)->end().incomplete)
      return true;
  return false;
}

Result<bool> analyze_messages_of(const std::string& directory, const Options& options,
                                 const std::function<void(const std::string&)>& warn,
                                 UnwrittenFindings* unwritten) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  const auto world_size = world_size_of(directory, *ranks);
  if (!world_size) return world_size.error();
  Traces traces;
  if (const auto opened = open_traces(directory, *ranks, 0, *world_size, traces); !opened)
    return opened;
  const SyncPoint last_sync_point = last_whole_sync_point(traces, *world_size, *world_size);
  MessageFindings findings = analyze_messages(
      inputs_of(traces, 0, *world_size, was_interrupted(directory), *world_size, last_sync_point),
      static_cast<std::size_t>(options.memory) << 20);
  findings.followed &= traces.size() == static_cast<std::size_t>(*world_size) &&
                       std::all_of(traces.begin(), traces.end(), [](const auto& trace) {
                         return trace->end().state == RankState::Exited &&
                                !trace->end().incomplete && trace->damage().empty();
                       });
  return keep_unwritten(write_messages(messages_path(directory), findings), findings,
                        unwritten != nullptr ? &unwritten->messages : nullptr, warn);
}

Result<MessageFindings> find_deadlocks(const std::string& directory,
                                       const std::function<bool()>& stop) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  const auto world_size = world_size_of(directory, *ranks);
  if (!world_size) return world_size.error();
  Traces traces;
  if (const auto opened = open_traces(directory, *ranks, 0, *world_size, traces); !opened)
    return opened.error();
  bool certain = traces.size() == static_cast<std::size_t>(*world_size);
  std::vector<RankInput> inputs =
      inputs_of(traces, 0, *world_size, true, *world_size, kNoSyncPoint);
  for (RankInput& input : inputs)
    input.next = [&certain, &stop, next = std::move(input.next)]() -> const Event* {
      const Event* const event = stop() ? nullptr : next();
      // Another thread may make a call that ends a wait at any time.
      if (event != nullptr && event->fields.has(Field::thread_level) &&
          event->fields[Field::thread_level] >= kThreadMultiple)
        certain = false;
      return event;
    };
  MessageFindings findings = analyze_messages(std::move(inputs), kLiveMemory);
  certain &= !stop() && !findings.threads &&
             std::all_of(traces.begin(), traces.end(), [](const auto& trace) {
               return trace->damage().empty() && !trace->end().incomplete;
             });
  std::erase_if(findings.deadlocks,
                [&](const Deadlock& one) { return !certain || !one.came_about; });
  return findings;
}

Result<bool> leave_out_messages(const std::string& directory,
                                const std::function<void(const std::string&)>& warn,
                                UnwrittenFindings* unwritten) {
  MessageFindings nothing;
  nothing.checked = false;
  return keep_unwritten(write_messages(messages_path(directory), nothing), nothing,
                        unwritten != nullptr ? &unwritten->messages : nullptr, warn);
}

Result<bool> analyze_run(const std::string& directory, const Options& options, Transport& transport,
                         const std::function<void(const std::string&)>& warn,
                         UnwrittenFindings* unwritten) {
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
      warn("rank " + std::to_string(trace->rank().value) + ": " + trace->damage() +
           "; events before that can be read");
  if (speaks && static_cast<std::size_t>(*world_size) != ranks->size())
    warn(std::to_string(ranks->size()) + " of " + std::to_string(*world_size) +
         " ranks left a trace; synchronization through the others is not visible");

  std::uint64_t beyond[] = {kNoSyncPoint -
                            last_whole_sync_point(traces, last - first, *world_size)};
  transport.max(beyond);
  const SyncPoint last_sync_point = kNoSyncPoint - beyond[0];
  if (speaks && last_sync_point != kNoSyncPoint)
    warn("events of some ranks are missing; the run is analyzed as far as all ranks are on record");
  auto findings = analyze(inputs_of(traces, first, last, false, *world_size, last_sync_point),
                          *world_size, transport,
                          {.rules = {.strict_accumulate_ops = options.strict_accumulate_ops},
                           .memory = static_cast<std::size_t>(options.memory) << 20,
                           .directory = directory});
  if (!findings) return findings.error();
  if (const auto written = agree(
          transport,
          speaks ? keep_unwritten(write_findings(analysis_path(directory), *findings), *findings,
                                  unwritten != nullptr ? &unwritten->findings : nullptr, warn)
                 : true);
      !written)
    return written;
  traces.clear();
  if (!speaks) return agree(transport, true);
  return agree(transport, options.messages
                              ? analyze_messages_of(directory, options, warn, unwritten)
                              : leave_out_messages(directory, warn, unwritten));
}

}  // namespace photofinish

#include "explore/trace_execution.h"

#include <unordered_map>

#include "detect/sequence_pair.h"
#include "detect/timeline.h"
#include "detect/timing_notes.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// The steps of one rank. A receive learns its message when it is complete.
class StepList final : public MessageSink {
 public:
  explicit StepList(std::vector<MessageStep>& steps) : steps_(steps) {}

  void step(MessageStep step) override {
    if (take_halves(step)) return;
    if (step.kind == MessageStep::Kind::Receive || step.kind == MessageStep::Kind::Probe)
      posted_[step.operation] = steps_.size();
    steps_.push_back(std::move(step));
  }
  void took(std::uint64_t operation, MessageKey key) override {
    if (const auto found = posted_.find(operation); found != posted_.end())
      steps_[found->second].key = key;
  }

 private:
  std::vector<MessageStep>& steps_;
  std::unordered_map<std::uint64_t, std::size_t> posted_;
};

}  // namespace

Result<TracedRun> read_execution(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  if (ranks->empty()) return Error{directory + ": no rank was recorded"};
  TracedRun run;
  TimingNotes timing;
  std::int32_t world_size = 0;
  for (const WorldRank rank : *ranks) {
    auto trace = RankTrace::open(directory, rank);
    if (!trace) return trace.error();
    world_size = (*trace)->world_size();
    run.whole &= (*trace)->end().state == RankState::Exited && !(*trace)->end().incomplete &&
                 (*trace)->damage().empty();
    run.traces.push_back(std::move(*trace));
  }
  if (static_cast<std::size_t>(world_size) != run.traces.size())
    return Error{directory + ": some ranks were not recorded"};
  for (const auto& trace : run.traces) {
    Execution::Process& process = run.execution.processes.emplace_back();
    process.line = static_cast<Line>(trace->rank().value);
    StepList steps(process.steps);
    Timeline timeline(trace->rank(), world_size, trace->definitions());
    timeline.report_messages(&steps, Timeline::Besides::Nothing);
    TaskId task;
    for (const Event* event = nullptr; trace->next(event);) {
      const Action action = traits(event->call).action;
      if (concerns_messages(action)) {
        if (task == TaskId()) task = event->task;
        run.threads |= task != event->task;
        timeline.add(*event, {});
      }
      timing.add(trace->rank(), *event, [&] { return timeline.site_key(event->site); });
    }
    timeline.end_messages();
  }
  run.timing = timing.all();
  return run;
}

}  // namespace photofinish

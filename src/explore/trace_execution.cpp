#include "explore/trace_execution.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "detect/sequence_pair.h"
#include "effects/timeline.h"
#include "explore/object_order.h"
#include "frontend/front_ends.h"
#include "model/scopes.h"
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

// Objects as processes: a rank sends its request and receives an answer; the object receives from
// any rank. A lock also receives the unlock, from its holder.
class Objects {
 public:
  Objects(const std::vector<ObjectLogEntry>& log, TracedRun& run) : log_(log), run_(run) {
    for (std::size_t i = 0; i < log_.size(); ++i)
      by_call_[{log_[i].rank, log_[i].ordinal}].push_back(i);
  }
  // The rank's call of this ordinal. False if its order is not among the choices.
  bool add_call(const RankTrace& trace, Timeline& timeline, const Event& event,
                std::uint64_t ordinal, std::vector<MessageStep>& steps) {
    const auto found = by_call_.find({trace.rank().value, ordinal});
    if (found == by_call_.end()) return false;
    for (const std::size_t i : found->second) {
      const ObjectLogEntry& entry = log_[i];
      const std::size_t object = process_of(entry);
      const WorldRank peer(static_cast<std::int32_t>(object));
      const std::uint64_t key = kFirstKey + 4 * request_of(i);
      using Kind = MessageStep::Kind;
      switch (entry.kind) {
        case ObjectLogEntry::Kind::Request:
          add(steps, Kind::Send, entry, peer, 0, key);
          break;
        case ObjectLogEntry::Kind::Serve:
          add(steps, Kind::Receive, entry, peer, 0, key + 1);
          served_[i] = {event.site, timeline.site_key(event.site)};
          break;
        case ObjectLogEntry::Kind::Unlock:
          add(steps, Kind::Send, entry, peer, 1, kFirstKey + 4 * i + 2);
          break;
      }
    }
    return true;
  }
  // After all ranks.
  void add_objects() {
    std::vector<Execution::Process> objects(lines_.size());
    for (std::size_t i = 0; i < log_.size(); ++i) {
      const ObjectLogEntry& entry = log_[i];
      const std::size_t object = process_of(entry);
      Execution::Process& process = objects[object - run_.traces.size()];
      process.line = entry.line;
      using Kind = MessageStep::Kind;
      const WorldRank peer(entry.rank);
      if (entry.kind == ObjectLogEntry::Kind::Serve) {
        const std::uint64_t key = kFirstKey + 4 * request_of(i);
        run_.served_rank[{object, process.steps.size()}] = static_cast<std::size_t>(entry.rank);
        add(process.steps, Kind::Receive, entry, kAnySource, 0, key);
        process.steps[process.steps.size() - 2].site = served_[i].first;
        process.steps[process.steps.size() - 2].site_key = served_[i].second;
        add(process.steps, Kind::Send, entry, peer, 0, key + 1);
      } else if (entry.kind == ObjectLogEntry::Kind::Unlock) {
        add(process.steps, Kind::Receive, entry, peer, 1, kFirstKey + 4 * i + 2);
      }
    }
    for (Execution::Process& process : objects)
      run_.execution.processes.push_back(std::move(process));
  }

 private:
  static constexpr std::uint64_t kFirstKey = std::uint64_t{0x0B7E} << 48;
  static constexpr std::uint64_t kFirstOperation = std::uint64_t{1} << 48;

  std::size_t process_of(const ObjectLogEntry& entry) {
    const auto [found, added] = lines_.try_emplace(entry.line, lines_.size());
    if (added)
      run_.objects[entry.line] = entry.is_lock != 0
                                     ? "the window lock of rank " + std::to_string(entry.target)
                                     : "displacement " + std::to_string(entry.displacement) +
                                           " of the window of rank " + std::to_string(entry.target);
    return run_.traces.size() + found->second;
  }
  // The index of the request that an entry serves: that of the same call.
  std::uint64_t request_of(std::size_t i) const {
    return by_call_.at({log_[i].rank, log_[i].ordinal}).front();
  }
  void add(std::vector<MessageStep>& steps, MessageStep::Kind kind, const ObjectLogEntry& entry,
           WorldRank peer, std::int64_t tag, std::uint64_t key) {
    MessageStep step;
    step.kind = kind;
    step.operation = kFirstOperation + ++operations_;
    step.comm = Uid(entry.line);
    step.peer = peer;
    step.tag = tag;
    step.key = key;
    auto [posted, complete] = halves(step);
    steps.push_back(std::move(posted));
    steps.push_back(std::move(complete));
  }

  const std::vector<ObjectLogEntry>& log_;
  TracedRun& run_;
  std::map<std::pair<std::int32_t, std::uint64_t>, std::vector<std::size_t>> by_call_;
  std::map<Line, std::size_t> lines_;
  std::map<std::size_t, std::pair<SiteId, std::uint64_t>> served_;
  std::uint64_t operations_ = 0;
};

}  // namespace

Result<TracedRun> read_execution(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return ranks.error();
  if (ranks->empty()) return Error{directory + ": no rank was recorded"};
  TracedRun run;
  std::vector<MessageFindings> notes;
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
  const std::vector<ObjectLogEntry> log = read_object_log(directory, run.log_is_full);
  for (const ObjectLogEntry& entry : log)
    if (entry.rank < 0 || entry.rank >= world_size)
      return Error{directory + kObjectLogFile + ": a rank that does not exist"};
  Objects objects(log, run);
  run.execution.processes.reserve(run.traces.size());
  for (const auto& trace : run.traces) {
    Execution::Process& process = run.execution.processes.emplace_back();
    process.line = static_cast<Line>(trace->rank().value);
    StepList steps(process.steps);
    Timeline timeline(trace->rank(), world_size, trace->definitions());
    const std::unique_ptr<Meaning> meaning = meaning_of(timeline);
    timeline.report_messages(&steps, Timeline::Besides::Nothing);
    std::uint64_t ordinal = 0;
    int exclusive = 0;
    for (const Event* event = nullptr; trace->next(event);) {
      const Action action = traits(event->call).action;
      if (meaning->concern(*event) == Meaning::Concern::Messages) meaning->add(*event, {});
      if (action == Action::Lock && event->fields[Field::lock] == kExclusiveLock) ++exclusive;
      if (action == Action::Unlock && exclusive > 0) --exclusive;
      run.puts_or_gets |= (action == Action::Put || action == Action::Get) && exclusive == 0;
      const bool is_choice = may_use_object(action) &&
                             objects.add_call(*trace, timeline, *event, ++ordinal, process.steps);
      if (!is_choice) meaning->note(*event);
    }
    meaning->end_messages();
    meaning->add_notes(notes.emplace_back());
  }
  objects.add_objects();
  MessageFindings noted = merge_messages(std::move(notes));
  run.timing = std::move(noted.timing);
  run.threads = noted.threads;
  return run;
}

}  // namespace photofinish

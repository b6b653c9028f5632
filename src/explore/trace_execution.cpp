#include "explore/trace_execution.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
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

// What a message of a rank to an object asks for, as its tag.
enum Tag : std::int64_t { kOperate = 0, kUnlock = 1, kAcquire = 2 };

// Objects as processes: a rank sends its request and receives an answer; the object receives from
// any rank. A lock that is held does not receive requests to acquire it. If its release needs no
// turn, it then receives the release, from its holder.
class Objects {
 public:
  Objects(const std::vector<ObjectLogEntry>& log, TracedRun& run) : log_(log), run_(run) {
    for (std::size_t i = 0; i < log_.size(); ++i) {
      const ObjectLogEntry& entry = log_[i];
      by_call_[{entry.rank, entry.ordinal}].push_back(i);
      releases_.insert(entry.follows);
      if (entry.kind == ObjectLogEntry::Kind::Repeat)
        repetitions_[{entry.rank, entry.ordinal}] = entry.value;
    }
  }
  // The rank's call of this ordinal. False if its order is not among the choices.
  bool add_call(const RankTrace& trace, Timeline& timeline, const Event& event,
                std::uint64_t ordinal, std::vector<MessageStep>& steps) {
    const auto found = by_call_.find({trace.rank().value, ordinal});
    if (found == by_call_.end()) return false;
    const CallPlace place{event.site, timeline.site_key(event.site), event.call};
    for (const std::size_t i : found->second) {
      const ObjectLogEntry& entry = log_[i];
      const std::size_t object = process_of(entry);
      const WorldRank peer(static_cast<std::int32_t>(object));
      const std::uint64_t key = kFirstKey + 4 * request_of(i);
      using Kind = MessageStep::Kind;
      if (entry.follows != 0)
        add_order(steps, Kind::Acquire, kFirstKey + 4 * (entry.follows - 1) + 3);
      switch (entry.kind) {
        case ObjectLogEntry::Kind::Request:
          if (entry.follows != 0) run_.polling.push_back({trace.rank(), place});
          add(steps, Kind::Send, entry, peer, tag_of(entry), key);
          waiting_[i] = {object, place};
          break;
        case ObjectLogEntry::Kind::Serve:
          add(steps, Kind::Receive, entry, peer, kOperate, key + 1);
          served_[i] = place;
          waiting_.erase(request_of(i));
          break;
        case ObjectLogEntry::Kind::Unlock:
          add(steps, Kind::Send, entry, peer, kUnlock, kFirstKey + 4 * i + 2);
          break;
        case ObjectLogEntry::Kind::Repeat:
          run_.polling.push_back({trace.rank(), place});
          break;
        case ObjectLogEntry::Kind::Write:
          if (releases_.contains(static_cast<std::uint32_t>(i + 1)))
            add_order(steps, Kind::Release, kFirstKey + 4 * i + 3);
          break;
        case ObjectLogEntry::Kind::Observe:
          break;
      }
    }
    return true;
  }
  // Whether the call repeated an earlier one.
  bool is_repetition(WorldRank rank, std::uint64_t ordinal) const {
    const auto next = repetitions_.upper_bound({rank.value, ordinal});
    if (next == repetitions_.begin()) return false;
    const auto& [first, last] = *std::prev(next);
    return first.first == rank.value && ordinal <= last;
  }
  // After all ranks.
  void add_objects() {
    std::vector<Execution::Process> objects(lines_.size());
    std::map<std::size_t, std::int32_t> holders;  // of locks
    for (std::size_t i = 0; i < log_.size(); ++i) {
      const ObjectLogEntry& entry = log_[i];
      if (entry.kind != ObjectLogEntry::Kind::Serve && entry.kind != ObjectLogEntry::Kind::Unlock)
        continue;
      const std::size_t object = process_of(entry);
      if (object - run_.traces.size() >= objects.size()) continue;  // its calls are not on record
      Execution::Process& process = objects[object - run_.traces.size()];
      process.line = entry.line;
      using Kind = MessageStep::Kind;
      const WorldRank peer(entry.rank);
      if (entry.kind == ObjectLogEntry::Kind::Serve) {
        const std::uint64_t key = kFirstKey + 4 * request_of(i);
        run_.served_rank[{object, process.steps.size()}] = static_cast<std::size_t>(entry.rank);
        add(process.steps, Kind::Receive, entry, kAnySource,
            entry.type == SharedObject::Lock ? std::int64_t{kOperate} : kAnyTag, key);
        MessageStep& receive = process.steps[process.steps.size() - 2];
        receive.site = served_[i].site;
        receive.site_key = served_[i].site_key;
        if (holders.contains(object)) receive.refused = kAcquire;
        add(process.steps, Kind::Send, entry, peer, kOperate, key + 1);
      } else {
        add(process.steps, Kind::Receive, entry, peer, kUnlock, kFirstKey + 4 * i + 2);
      }
      if (releases_.contains(static_cast<std::uint32_t>(i + 1)))
        add_order(process.steps, Kind::Release, kFirstKey + 4 * i + 3);
      if (entry.effect == ObjectLogEntry::Effect::Lock) holders[object] = entry.rank;
      if (entry.effect == ObjectLogEntry::Effect::Unlock) holders.erase(object);
    }
    for (const auto& [request, waiting] : waiting_)
      if (const auto holder = holders.find(waiting.object);
          holder != holders.end() && log_[request].effect == ObjectLogEntry::Effect::Lock)
        run_.lock_waits.push_back({WorldRank(log_[request].rank), WorldRank(holder->second),
                                   log_[request].line, waiting.place});
    for (Execution::Process& process : objects)
      run_.execution.processes.push_back(std::move(process));
  }

 private:
  struct Waiting {
    std::size_t object;
    CallPlace place;
  };
  static constexpr std::uint64_t kFirstKey = std::uint64_t{0x0B7E} << 48;
  static constexpr std::uint64_t kFirstOperation = std::uint64_t{1} << 48;

  static std::int64_t tag_of(const ObjectLogEntry& entry) {
    return entry.type == SharedObject::TestableLock && entry.effect == ObjectLogEntry::Effect::Lock
               ? kAcquire
               : kOperate;
  }
  std::size_t process_of(const ObjectLogEntry& entry) {
    const auto [found, added] = lines_.try_emplace(entry.line, lines_.size());
    if (added)
      run_.objects[entry.line] = {Uid(entry.object), WorldRank(entry.target), entry.displacement,
                                  entry.type};
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
  static void add_order(std::vector<MessageStep>& steps, MessageStep::Kind kind,
                        std::uint64_t key) {
    MessageStep step;
    step.kind = kind;
    step.key = key;
    steps.push_back(std::move(step));
  }

  const std::vector<ObjectLogEntry>& log_;
  TracedRun& run_;
  std::map<std::pair<std::int32_t, std::uint64_t>, std::vector<std::size_t>> by_call_;
  // The last of several repetitions, by rank and ordinal of the first.
  std::map<std::pair<std::int32_t, std::uint64_t>, std::uint64_t> repetitions_;
  std::set<std::uint32_t> releases_;  // 1 + the index of entries that others follow
  std::map<Line, std::size_t> lines_;
  std::map<std::size_t, CallPlace> served_;
  std::map<std::size_t, Waiting> waiting_;  // requests, by index
  std::uint64_t operations_ = 0;
};

bool is_put_or_get(Action action) {
  return action == Action::Put || action == Action::Get || action == Action::PutSignal;
}

// The change in the number of exclusive locks that the rank holds.
int held_locks(const Event& event) {
  const FieldSet& fields = event.fields;
  switch (traits(event.call).action) {
    case Action::Lock:
      return fields[Field::lock] == kExclusiveLock ? 1 : 0;
    case Action::LockAcquire:
      return fields.has(Field::flag) && fields[Field::flag] == 0 ? 0 : 1;
    case Action::Unlock:
    case Action::LockRelease:
      return -1;
    default:
      return 0;
  }
}

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
  const ObjectRecord record = read_object_log(directory);
  const std::vector<ObjectLogEntry>& log = record.entries;
  run.log_is_full = record.full;
  run.in_turn = !record.given_up;
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
    std::set<TaskId> tasks;
    for (const Event* event = nullptr; trace->next(event);) {
      const Action action = traits(event->call).action;
      if (meaning->concern(*event) == Meaning::Concern::Messages) meaning->add(*event, {});
      exclusive = std::max(exclusive + held_locks(*event), 0);
      run.puts_or_gets |= is_put_or_get(action) && exclusive == 0;
      if (may_use_object(event->call)) {
        const bool is_choice = objects.add_call(*trace, timeline, *event, ++ordinal, process.steps);
        if (is_choice) tasks.insert(event->task);
        if (is_choice || objects.is_repetition(trace->rank(), ordinal)) continue;
      }
      meaning->note(*event);
      if (event->returned && meaning->depends_on_others(*event))
        run.uncontrolled.push_back(
            {trace->rank(), {event->site, timeline.site_key(event->site), event->call}});
    }
    run.threads |= tasks.size() > 1;
    meaning->end_messages();
    meaning->add_notes(notes.emplace_back());
  }
  objects.add_objects();
  MessageFindings noted = merge_messages(std::move(notes));
  run.timing = std::move(noted.timing);
  run.threads |= noted.threads;
  return run;
}

}  // namespace photofinish

#include "explain/recorded_group.h"

#include <algorithm>
#include <tuple>

#include "frontend/front_ends.h"

namespace photofinish {
namespace {

bool transfers_data(Action action) {
  return is_data_collective(action) || action == Action::Start || action == Action::PartitionReady;
}

// Collects both ends of the rank's messages, at the event that is being added.
class Ends final : public MessageSink {
 public:
  explicit Ends(RecordedRank& rank) : rank_(rank) {}
  void at(const Event& event, std::uint64_t index) { event_ = &event, index_ = index; }

  void step(MessageStep step) override {
    if (take_halves(step)) return;
    switch (step.kind) {
      case MessageStep::Kind::Send:
        rank_.sent.push_back({step.key, event_->call, step.site, index_, -1});
        return;
      case MessageStep::Kind::Receive:
        posted_[step.operation] = {step.key, event_->call, step.site, index_, -1};
        return;
      case MessageStep::Kind::CompleteReceive:
        if (step.returned) complete(step.operation);
        return;
      case MessageStep::Kind::Release:
        rank_.released.push_back({step.key, event_->call, step.site, index_,
                                  transfers_data(traits(event_->call).action)});
        return;
      case MessageStep::Kind::Acquire:
        if (step.returned)
          rank_.acquired.push_back({step.key, event_->call, step.site, index_, false});
        return;
      default:
        return;
    }
  }
  void took(std::uint64_t operation, MessageKey key) override {
    const auto posted = posted_.find(operation);
    if (posted == posted_.end()) return;
    posted->second.key = key;
    if (complete_.erase(operation) != 0) receive(posted->first);
  }

 private:
  void complete(std::uint64_t operation) {
    const auto posted = posted_.find(operation);
    if (posted == posted_.end()) return;
    posted->second.event = index_;
    if (posted->second.key != 0)
      receive(operation);
    else
      complete_[operation] = true;
  }
  void receive(std::uint64_t operation) {
    rank_.received.push_back(posted_[operation]);
    posted_.erase(operation);
  }

  RecordedRank& rank_;
  const Event* event_ = nullptr;
  std::uint64_t index_ = 0;
  std::unordered_map<std::uint64_t, MessagePosition> posted_;
  std::unordered_map<std::uint64_t, bool> complete_;  // operations whose message is not known yet
};

void add_operation(RecordedRank& rank, const Access& access) {
  if (access.win == Uid() || access.rank != rank.rank || access.kind == AccessKind::Load ||
      access.kind == AccessKind::Store)
    return;
  Operation& operation = rank.operations[photofinish::event_of(access.begin)];
  operation.access = access;
  operation.reads =
      access.kind == AccessKind::Get || traits(access.call).action != Action::Accumulate;
  operation.writes = access.kind != AccessKind::Get && access.op != ReduceOp::NoOp;
  if (access.kind == AccessKind::Put) operation.reads = false;
}

Result<RecordedRank> read_rank(const std::string& run, WorldRank rank) {
  auto trace = RankTrace::open(run, rank);
  if (!trace) return trace.error();
  RecordedRank read{.rank = rank,
                    .world_size = (*trace)->world_size(),
                    .trace = std::move(*trace),
                    .times = {},
                    .steps = {},
                    .operations = {},
                    .sent = {},
                    .received = {},
                    .released = {},
                    .acquired = {},
                    .collectives = {}};
  Timeline timeline(rank, read.world_size, read.definitions());
  const std::unique_ptr<Meaning> meaning = meaning_of(timeline);
  Ends ends(read);
  timeline.report_messages(&ends, Timeline::Besides::All);
  std::map<std::tuple<Call, SiteId, CommId>, std::uint64_t> collectives;
  const Event* event = nullptr;
  for (std::uint64_t index = 0; read.trace->next(event); ++index) {
    read.times.push_back({event->start, event->start + event->duration});
    const CallTraits& call = traits(event->call);
    if (is_step(call.action, call.when)) read.steps[event->task].push_back(index);
    if (is_collective(call.action) && event->fields.has(Field::comm) && !event->buffers.empty())
      ++collectives[{event->call, event->site,
                     CommId(static_cast<std::uint32_t>(event->fields[Field::comm]))}];
    ends.at(*event, index);
    meaning->add(*event, {event->start, event->start + event->duration});
    timeline.take_closed([&](const Access& access, Timeline::Use) { add_operation(read, access); });
    timeline.take_atomics();
  }
  timeline.take_open(Timeline::Open::Shared,
                     [&](const Access& access) { add_operation(read, access); });
  for (const auto& [what, times] : collectives) {
    const auto& [call, site, id] = what;
    const auto comm = read.definitions().comms.find(id);
    if (comm == read.definitions().comms.end()) continue;
    std::vector<WorldRank> members;
    for (const GroupId group : {comm->second.group, comm->second.remote_group})
      if (const auto found = read.definitions().groups.find(group);
          found != read.definitions().groups.end())
        members.insert(members.end(), found->second.ranks.begin(), found->second.ranks.end());
    std::sort(members.begin(), members.end());
    read.collectives.push_back({call, site, times, std::move(members)});
  }
  return read;
}

}  // namespace

std::uint64_t RecordedRank::event_of(TaskId task, std::uint64_t step) const {
  const auto found = steps.find(task);
  return step == 0 || found == steps.end() || step > found->second.size() ? 0
                                                                          : found->second[step - 1];
}

std::uint64_t RecordedRank::time_of_tick(std::uint64_t tick) const {
  const HostClock& clock = definitions().rank.clock;
  return time.of(static_cast<std::uint64_t>(std::max(
      0.0, static_cast<double>(static_cast<std::int64_t>(tick - clock.tick)) * clock.ns_per_tick)));
}

Result<std::vector<RecordedRank>> read_group(const std::string& run,
                                             const std::vector<WorldRank>& ranks) {
  std::vector<RecordedRank> group;
  for (const WorldRank rank : ranks) {
    auto read = read_rank(run, rank);
    if (!read) return read.error();
    group.push_back(std::move(*read));
  }
  const CommonTime time = common_time(run, ranks);
  for (RecordedRank& rank : group) {
    rank.time = time.ranks.at(rank.rank);
    // Recorded times are rounded down, start and duration each.
    const RankDefinition& self = rank.definitions().rank;
    const auto rounding = static_cast<std::uint64_t>(2 * static_cast<double>(self.ticks_per_unit) *
                                                     self.clock.ns_per_tick);
    for (TimeSpan& span : rank.times) {
      span.start = rank.time.of(span.start);
      span.end = rank.time.of(span.end + rounding);
    }
  }
  return group;
}

}  // namespace photofinish

#include "report/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "frontend/front_ends.h"
#include "report/event_text.h"
#include "report/perfetto_packets.h"
#include "report/run_notes.h"
#include "trace/common_time.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

using Type = PerfettoEvent::Type;
using Tracks = std::map<std::uint32_t, std::uint64_t>;  // by task of a rank

// Flow ids of findings do not overlap those of messages.
constexpr std::uint64_t kFindingFlow = std::uint64_t{0xf1} << 56;

// The time of an end of a finding, known once its rank was read.
struct EndTime {
  const FindingDocument* finding = nullptr;
  std::size_t end = 0;
  std::uint64_t at = 0;
  std::uint64_t track = 0;
  bool found = false;
};

// The flow arrows of one rank's messages. Both ends compute the same key, so that no rank needs
// another rank's trace. An arrow starts or ends at the current event. If the match of a receive
// becomes known later, the arrow ends in a mark at the end of that event.
class Flows final : public MessageSink {
 public:
  struct Late {
    std::uint64_t key, at, track;
  };
  void at(std::uint64_t end, std::uint64_t track) {
    end_ = end, track_ = track;
    begins.clear();
    ends.clear();
    late.clear();
  }

  void step(MessageStep step) override {
    if (take_halves(step)) return;
    if (step.kind == MessageStep::Kind::Send && step.key != 0) begins.push_back(step.key);
    if (step.kind == MessageStep::Kind::CompleteReceive) completed(step.operation);
  }
  void took(std::uint64_t operation, MessageKey key) override {
    const auto waiting = complete_.find(operation);
    if (waiting == complete_.end()) {
      taken_[operation] = key;
      return;
    }
    if (key != 0) {
      if (waiting->second.at == end_ && waiting->second.track == track_)
        ends.push_back(key);
      else
        late.push_back({key, waiting->second.at, waiting->second.track});
    }
    complete_.erase(waiting);
  }
  std::vector<std::uint64_t> begins, ends;
  std::vector<Late> late;

 private:
  void completed(std::uint64_t operation) {
    const auto key = taken_.find(operation);
    if (key == taken_.end()) {
      complete_[operation] = {0, end_, track_};
      return;
    }
    if (key->second != 0) ends.push_back(key->second);
    taken_.erase(key);
  }

  std::uint64_t end_ = 0, track_ = 0;
  std::unordered_map<std::uint64_t, MessageKey> taken_;
  std::unordered_map<std::uint64_t, Late> complete_;
};

void write_rank(const RunDocument& run, WorldRank rank, const RankTime& time,
                const std::vector<EndTime*>& ends, Symbolizer& symbolizer, std::set<int>& pids,
                PerfettoFile& file) {
  const auto trace = RankTrace::open(run.directory, rank);
  if (!trace) return;
  const Definitions& definitions = (*trace)->definitions();
  // Ranks on different nodes may have the same process id.
  int pid = std::max(1, static_cast<int>(definitions.rank.pid));
  while (!pids.insert(pid).second) ++pid;
  PerfettoSequence sequence(file);
  sequence.process(file.new_track(), pid, fmt::format("rank {}", rank.value));
  Tracks tracks;
  for (const auto& [id, task] : definitions.tasks) {
    tracks[id.value] = file.new_track();
    // The first task is the main thread of the process; the others get ids that no process has.
    constexpr std::uint64_t kNoProcess = 1 << 22;
    sequence.thread(tracks[id.value], pid,
                    id.value == 0 ? static_cast<std::uint64_t>(pid) : kNoProcess + tracks[id.value],
                    fmt::format("thread {}", id.value));
  }

  std::multimap<std::uint64_t, EndTime*> by_index;
  for (EndTime* end : ends) by_index.emplace(end->finding->ends[end->end].begin / 2, end);
  EventText text(**trace, symbolizer,
                 [](WorldRank, Uid) -> const WinDefinition* { return nullptr; });
  Flows flows;
  Timeline timeline(rank, (*trace)->world_size(), definitions);
  const std::unique_ptr<Meaning> meaning = meaning_of(timeline);
  timeline.report_messages(&flows, Timeline::Besides::Nothing);
  std::unordered_map<SiteId, std::string> locations;
  std::uint64_t index = 0;
  const Event* event = nullptr;
  for (; (*trace)->next(event); ++index) {
    const std::uint64_t begin = time.of(event->start),
                        end = time.of(event->start + event->duration);
    const std::uint64_t track = tracks[event->task.value];
    const auto [where, is_new] = locations.try_emplace(event->site);
    if (is_new) where->second = text.where(*event);
    std::string findings;
    for (auto [at, last] = by_index.equal_range(index); at != last; ++at) {
      *at->second = {at->second->finding, at->second->end, begin, track, true};
      findings += fmt::format("{}F{}", findings.empty() ? "" : ", ", at->second->finding->number);
    }
    flows.at(end, track);
    meaning->add(*event, {event->start, event->start + event->duration});

    const std::string call = text.line(*event);
    PerfettoEvent slice{.type = Type::SliceBegin,
                        .at = begin,
                        .track = track,
                        .name = traits(event->call).name,
                        .category = action_name(traits(event->call).action),
                        .arguments = {{"call", call}},
                        .flows = flows.begins,
                        .last_flows = flows.ends};
    if (!where->second.empty()) slice.arguments.push_back({"place", where->second});
    if (!findings.empty()) slice.arguments.push_back({"findings", findings});
    sequence.add(slice);
    sequence.add({.type = Type::SliceEnd, .at = end, .track = track});
    for (const Flows::Late& late : flows.late)
      sequence.add({.type = Type::Instant,
                    .at = late.at,
                    .track = late.track,
                    .name = "received",
                    .category = "message",
                    .last_flows = {late.key}});
  }
}

// A mark at each end, and an arrow from the end that was first in this run.
void write_finding(const FindingDocument& finding, std::vector<const EndTime*> ends,
                   PerfettoSequence& sequence) {
  std::erase_if(ends, [](const EndTime* end) { return !end->found; });
  std::stable_sort(ends.begin(), ends.end(),
                   [](const EndTime* a, const EndTime* b) { return a->at < b->at; });
  const std::string name = fmt::format("F{} {}", finding.number, kind_name(finding.kind));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const EndDocument& end = finding.ends[ends[i]->end];
    PerfettoEvent mark{
        .type = Type::Instant,
        .at = ends[i]->at,
        .track = ends[i]->track,
        .name = name,
        .category = "finding",
        .arguments = {{"end", end.headline}, {"why", finding.why}, {"advice", finding.advice}}};
    if (ends.size() > 1)
      (i + 1 < ends.size() ? mark.flows : mark.last_flows).push_back(kFindingFlow | finding.number);
    sequence.add(mark);
  }
}

}  // namespace

Result<bool> write_perfetto(std::FILE* file, const RunDocument& run) {
  std::vector<std::vector<EndTime>> all(run.findings.size());
  std::map<WorldRank, std::vector<EndTime*>> of_rank;
  for (std::size_t i = 0; i < run.findings.size(); ++i) {
    const auto& ends = run.findings[i].ends;
    for (std::size_t end = 0; end < ends.size(); ++end)
      if (!ends[end].nothing) all[i].push_back({&run.findings[i], end});
    for (EndTime& end : all[i]) of_rank[ends[end.end].rank].push_back(&end);
  }
  PerfettoFile output(file);
  Symbolizer symbolizer(saved_symbols(run.directory));
  std::set<int> pids;
  for (const auto& [rank, time] : common_time(run.directory, run.recorded).ranks)
    write_rank(run, rank, time, of_rank[rank], symbolizer, pids, output);
  PerfettoSequence marks(output);
  for (const auto& ends : all) {
    if (ends.empty()) continue;
    std::vector<const EndTime*> list;
    for (const EndTime& end : ends) list.push_back(&end);
    write_finding(*ends.front().finding, list, marks);
  }
  if (!output.end()) return Error{fmt::format("cannot write the trace: {}", std::strerror(errno))};
  return true;
}

}  // namespace photofinish

#include "report/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "detect/timeline.h"
#include "report/event_text.h"
#include "report/json.h"
#include "trace/clock_offsets.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

using json = nlohmann::ordered_json;

// Where an end of a finding is in time, once its rank was read.
struct EndTime {
  const FindingDocument* finding = nullptr;
  std::size_t end = 0;
  double at = 0;
  std::uint32_t task = 0;
  bool found = false;
};

class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {
    std::fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", file_);
  }
  void add(const json& event) {
    std::fputs(first_ ? "" : ",\n", file_);
    first_ = false;
    std::fputs(dumped(event, -1).c_str(), file_);
  }
  bool end() {
    std::fputs("\n]}\n", file_);
    return std::fflush(file_) == 0 && std::ferror(file_) == 0;
  }

 private:
  std::FILE* file_;
  bool first_ = true;
};

// The arrows of one rank's messages. Both ends work out the same key, so that no rank has to wait
// for another's trace.
class Flows final : public MessageSink {
 public:
  Flows(WorldRank rank, Output& output) : rank_(rank), output_(output) {}
  void at(double begin, double end, std::uint32_t task) {
    begin_ = begin, end_ = end, task_ = task;
  }

  void step(MessageStep step) override {
    if (take_halves(step)) return;
    if (step.kind == MessageStep::Kind::Send) add("s", step.key, begin_, task_);
    if (step.kind == MessageStep::Kind::CompleteReceive) completed(step.operation);
  }
  void took(std::uint64_t operation, MessageKey key) override {
    taken_[operation] = key;
    if (const auto waiting = complete_.find(operation); waiting != complete_.end()) {
      add("f", key, waiting->second.first, waiting->second.second);
      complete_.erase(waiting);
      taken_.erase(operation);
    }
  }

 private:
  void completed(std::uint64_t operation) {
    const auto key = taken_.find(operation);
    if (key == taken_.end()) {
      complete_[operation] = {end_, task_};
      return;
    }
    add("f", key->second, end_, task_);
    taken_.erase(key);
  }
  void add(const char* phase, MessageKey key, double at, std::uint32_t task) {
    if (key == 0) return;
    json event{{"ph", phase},
               {"id", fmt::format("0x{:x}", key)},
               {"cat", "message"},
               {"name", "message"},
               {"pid", rank_.value},
               {"tid", task},
               {"ts", at}};
    if (phase[0] == 'f') event["bp"] = "e";
    output_.add(event);
  }

  const WorldRank rank_;
  Output& output_;
  double begin_ = 0, end_ = 0;
  std::uint32_t task_ = 0;
  std::unordered_map<std::uint64_t, MessageKey> taken_;
  std::unordered_map<std::uint64_t, std::pair<double, std::uint32_t>> complete_;
};

void write_rank(const RunDocument& run, WorldRank rank, double offset,
                const std::vector<EndTime*>& ends, Symbolizer& symbolizer, Output& output) {
  const auto trace = RankTrace::open(run.directory, rank);
  if (!trace) return;
  const Definitions& definitions = (*trace)->definitions();
  const auto meta = [&](const char* name, std::uint32_t task, json arguments) {
    output.add({{"ph", "M"},
                {"name", name},
                {"pid", rank.value},
                {"tid", task},
                {"args", std::move(arguments)}});
  };
  meta("process_name", 0, {{"name", fmt::format("rank {}", rank.value)}});
  meta("process_sort_index", 0, {{"sort_index", rank.value}});
  for (const auto& [id, task] : definitions.tasks)
    meta("thread_name", id.value, {{"name", fmt::format("thread {}", id.value)}});

  std::multimap<std::uint64_t, EndTime*> by_index;
  for (EndTime* end : ends) by_index.emplace(end->finding->ends[end->end].begin / 2, end);
  EventText text(**trace, symbolizer,
                 [](WorldRank, Uid) -> const WinDefinition* { return nullptr; });
  Flows flows(rank, output);
  Timeline timeline(rank, (*trace)->world_size(), definitions);
  timeline.tell_messages(&flows, Timeline::Besides::Nothing);
  std::unordered_map<SiteId, std::string> places;
  std::uint64_t index = 0;
  const Event* event = nullptr;
  for (; (*trace)->next(event); ++index) {
    const double begin = offset + static_cast<double>(event->start) * 1e-3,
                 length = static_cast<double>(event->duration) * 1e-3;
    const std::uint32_t task = event->task.value;
    json slice{{"ph", "X"},
               {"name", traits(event->call).name},
               {"cat", action_name(traits(event->call).action)},
               {"pid", rank.value},
               {"tid", task},
               {"ts", begin},
               {"dur", length}};
    json arguments{{"call", text.line(*event)}};
    const auto [place, is_new] = places.try_emplace(event->site);
    if (is_new) place->second = text.place(*event);
    if (!place->second.empty()) arguments["place"] = place->second;
    std::string findings;
    for (auto [at, last] = by_index.equal_range(index); at != last; ++at) {
      *at->second = {at->second->finding, at->second->end, begin, task, true};
      findings += fmt::format("{}F{}", findings.empty() ? "" : ", ", at->second->finding->number);
    }
    if (!findings.empty()) arguments["findings"] = findings;
    slice["args"] = std::move(arguments);
    output.add(slice);
    // An arrow that ends where its slice does is still in it.
    flows.at(begin, begin + length * 0.999, task);
    timeline.add(*event, {event->start, event->start + event->duration});
  }
}

// A mark where each end is, and an arrow from the one that came first in this run.
void write_finding(const FindingDocument& finding, std::vector<const EndTime*> ends,
                   Output& output) {
  std::erase_if(ends, [](const EndTime* end) { return !end->found; });
  std::stable_sort(ends.begin(), ends.end(),
                   [](const EndTime* a, const EndTime* b) { return a->at < b->at; });
  const std::string name = fmt::format("F{} {}", finding.number, kind_name(finding.kind));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const EndDocument& end = finding.ends[ends[i]->end];
    const json where{{"pid", end.rank.value}, {"tid", ends[i]->task}, {"ts", ends[i]->at}};
    json mark{{"ph", "i"},
              {"s", "t"},
              {"name", name},
              {"cat", "finding"},
              {"args", {{"end", end.headline}, {"why", finding.why}, {"advice", finding.advice}}}};
    mark.update(where);
    output.add(mark);
    if (ends.size() < 2) continue;
    json arrow{{"ph", i == 0                 ? "s"
                      : i + 1 == ends.size() ? "f"
                                             : "t"},
               {"id", fmt::format("F{}", finding.number)},
               {"cat", "finding"},
               {"name", name}};
    if (i + 1 == ends.size()) arrow["bp"] = "e";
    arrow.update(where);
    output.add(arrow);
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
  Output output(file);
  Symbolizer symbolizer;
  for (const auto& [rank, offset] : clock_offsets(run.directory, run.recorded).ns)
    write_rank(run, rank, offset * 1e-3, of_rank[rank], symbolizer, output);
  for (const auto& ends : all) {
    if (ends.empty()) continue;
    std::vector<const EndTime*> list;
    for (const EndTime& end : ends) list.push_back(&end);
    write_finding(*ends.front().finding, list, output);
  }
  if (!output.end()) return Error{fmt::format("cannot write the trace: {}", std::strerror(errno))};
  return true;
}

}  // namespace photofinish

#include "confirm/candidates.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/line_key.h"
#include "model/scopes.h"
#include "report/event_text.h"
#include "report/finding_words.h"
#include "symbols/symbolizer.h"
#include "trace/findings_file.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

bool is_access(Call call) {
  return call == Call::load || call == Call::store || call == Call::release;
}

// The definitions of the ranks that findings name, each read once.
class Traces {
 public:
  explicit Traces(std::string directory) : directory_(std::move(directory)) {}
  RankTrace* of(WorldRank rank) {
    auto& trace = traces_[rank];
    if (trace == nullptr) {
      auto opened = RankTrace::open(directory_, rank);
      if (!opened) return nullptr;
      trace = std::move(*opened);
    }
    return trace.get();
  }

 private:
  std::string directory_;
  std::map<WorldRank, std::unique_ptr<RankTrace>> traces_;
};

// As the ranks of a confirming run compute it: of a call by its whole stack, of a load or store by
// its instruction alone.
std::uint64_t key_of_site(const Definitions& definitions, Call call, SiteId site) {
  if (!is_access(call)) return call_site_key(definitions, site);
  Definitions alone;
  const auto found = definitions.sites.find(site);
  if (found == definitions.sites.end() || found->second.frames.empty()) return 0;
  alone.sites[site] = {site, {found->second.frames.front()}};
  alone.modules = definitions.modules;
  return call_site_key(alone, site);
}

// The call at a timestamp.
std::optional<Call> call_at(RankTrace& trace, Timestamp timestamp) {
  const Event* event = nullptr;
  trace.rewind();
  for (std::uint64_t index = 0; trace.next(event); ++index)
    if (index == timestamp / 2) return event->call;
  return std::nullopt;
}

bool is_partitioned(Call call) {
  const Action action = traits(call).action;
  return action == Action::PartitionedSend || action == Action::PartitionedReceive ||
         action == Action::PartitionReady || action == Action::PartitionArrived;
}

// How often the rank had reached the side when the event of this timestamp began, itself included.
// Loads and stores between two calls count once.
std::uint64_t arrival_of(RankTrace& trace, const ScheduledSide& side,
                         const std::set<std::uint64_t>& site_keys, Timestamp timestamp) {
  std::uint64_t arrivals = 0, index = 0;
  bool counted = false;
  const Event* event = nullptr;
  trace.rewind();
  for (; index <= timestamp / 2 && trace.next(event); ++index) {
    if (!is_access(event->call)) counted = false;
    if (!side.is_call(event->call) ||
        !site_keys.contains(key_of_site(trace.definitions(), event->call, event->site)))
      continue;
    if (is_access(event->call) && std::exchange(counted, true)) continue;
    ++arrivals;
  }
  return std::max<std::uint64_t>(arrivals, 1);
}

// What each receive and probe from any source got, in the order in which they were entered;
// kProcNull: nothing. `index` becomes that of the one at the moment: of several that MPI_Startall
// started, the one that got that message.
std::vector<Schedule::Match> matches_of(RankTrace& trace, Timestamp timestamp,
                                        const MessageEnd& got, std::uint64_t& index,
                                        std::vector<SiteId>* sites = nullptr) {
  std::vector<Schedule::Match> matches;
  std::map<std::int64_t, std::size_t> pending;  // by request
  std::set<std::int64_t> prepared;              // persistent ones
  std::size_t first = 0, last = 0;              // of the timestamp's
  const Event* event = nullptr;
  trace.rewind();
  for (std::uint64_t number = 0; trace.next(event); ++number) {
    for (const Completion& done : event->completions)
      if (const auto found =
              pending.find(static_cast<std::int64_t>(event->requests[done.index].value));
          found != pending.end() && done.from.value >= 0) {
        matches[found->second] = {done.from, done.tag};
        pending.erase(found);
      }
    const FieldSet& fields = event->fields;
    if (traits(event->call).action == Action::Start) {
      const std::size_t before = matches.size();
      if (sites != nullptr) sites->resize(before, SiteId(0));
      for (const RequestId id : event->requests) {
        if (!prepared.contains(static_cast<std::int64_t>(id.value))) continue;
        pending[static_cast<std::int64_t>(id.value)] = matches.size();
        matches.push_back({kProcNull, kAnyTag});
        if (sites != nullptr) sites->push_back(event->site);
      }
      if (number <= timestamp / 2 && matches.size() > before)
        index = first = before, last = matches.size();
      continue;
    }
    if (!fields.has(Field::from) || fields[Field::from] != kAnySource.value) continue;
    if (traits(event->call).when == When::Prepares) {
      if (fields.has(Field::request) && traits(event->call).action == Action::Receive)
        prepared.insert(fields[Field::request]);
      continue;
    }
    if (fields.has(Field::flag) && fields[Field::flag] == 0) continue;  // no message
    if (number <= timestamp / 2) index = first = last = matches.size();
    matches.push_back({kProcNull, kAnyTag});
    if (sites != nullptr) sites->push_back(event->site);
    if (fields.has(Field::matched_from))
      matches.back() = {WorldRank(static_cast<std::int32_t>(fields[Field::matched_from])),
                        fields[Field::matched_tag]};
    else if (fields.has(Field::request))
      pending[fields[Field::request]] = matches.size() - 1;
  }
  for (std::size_t i = first; i < last; ++i)
    if (matches[i].source == got.rank && matches[i].tag == got.tag) {
      index = i;
      break;
    }
  return matches;
}

bool same_site(const FindingSide& a, const FindingSide& b) {
  return a.site_key == b.site_key && a.kind == b.kind && a.call == b.call;
}

// As the site was compiled, including frames that a report omits.
std::uint32_t line_of(Symbolizer& symbolizer, const Definitions& definitions, SiteId site) {
  const auto found = definitions.sites.find(site);
  if (found == definitions.sites.end() || found->second.frames.empty()) return 0;
  const SiteFrame& innermost = found->second.frames.front();
  const auto module = definitions.modules.find(innermost.module);
  if (module == definitions.modules.end()) return 0;
  const Frame frame =
      symbolizer.frames(module->second.path, innermost.address, true, module->second.build_id)
          .front();
  return line_key(frame.file, static_cast<std::uint32_t>(frame.line));
}

// A finding as the detector found it. The report merges findings with the same text.
struct Part {
  Finding found, as_read;
};

// The call that made an access of a finding. In some programming models, a report has one word for
// loads and for calls that read.
ScheduledSide::Form form_of(const FindingSide& side, const std::vector<Part>& parts) {
  for (const Part& part : parts)
    for (const int index : {0, 1})
      if (const FindingSide &one = part.as_read.sides[index], &found = part.found.sides[index];
          one.rank == side.rank && one.site == side.site && one.begin == side.begin &&
          same_site(one, side))
        return {found.kind, found.call};
  return {side.kind, side.call};
}

Candidate of_memory(const Finding& finding, const std::vector<Part>& parts, Traces& traces,
                    RunNotes& notes, Symbolizer& symbolizer) {
  Candidate candidate{.key = key_of(finding)};
  candidate.times = finding.times;
  candidate.schedule.kind = RaceKind::Memory;
  const bool one_rank = finding.sides[0].rank == finding.sides[1].rank;
  candidate.schedule.own_operation = one_rank && finding.sides[0].task == finding.sides[1].task;
  candidate.schedule.second_window =
      std::any_of(std::begin(finding.sides), std::end(finding.sides), [](const FindingSide& side) {
        return side.epoch.kind == EpochKind::Fence || side.epoch.kind == EpochKind::Start;
      });
  candidate.schedule.threads = one_rank && !candidate.schedule.own_operation;
  candidate.schedule.win = finding.win;
  candidate.schedule.offset = finding.offset;
  candidate.schedule.bytes = static_cast<std::uint64_t>(finding.where.end - finding.where.begin);
  for (const FindingSide& side : finding.sides) {
    const ScheduledSide::Form form = form_of(side, parts);
    ScheduledSide scheduled{
        .kind = form.kind, .call = form.call, .site_keys = {}, .lines = {}, .rank = side.rank};
    RankTrace* trace = traces.of(side.rank);
    if (trace == nullptr) {
      candidate.impossible = notes.trouble(side.rank);
      continue;
    }
    if (is_partitioned(side.call))
      candidate.impossible = fmt::format(
          "{} is a partitioned operation, which confirm cannot steer", traits(side.call).name);
    // A persistent operation is reported by the call that prepared it, and begins where it is
    // started.
    if (traits(side.call).when == When::Prepares)
      scheduled.call = call_at(*trace, side.begin).value_or(side.call);
    const std::uint64_t own = key_of_site(trace->definitions(), form.call, side.site);
    std::set<std::uint64_t> site_keys{own};
    std::set<std::uint32_t> lines;
    if (is_access(form.call)) lines.insert(line_of(symbolizer, trace->definitions(), side.site));
    // All instructions that the compiler made of this source location.
    for (const Part& part : parts)
      for (const int index : {0, 1})
        if (const FindingSide& other = part.found.sides[index];
            same_site(part.as_read.sides[index], side))
          if (RankTrace* its = traces.of(other.rank)) {
            site_keys.insert(key_of_site(its->definitions(), other.call, other.site));
            if (is_access(other.call))
              lines.insert(line_of(symbolizer, its->definitions(), other.site));
            if (const ScheduledSide::Form more{other.kind, other.call};
                traits(other.call).when != When::Prepares &&
                !scheduled.any_form(
                    [&](const ScheduledSide::Form& known) { return known == more; }))
              scheduled.also.push_back(more);
          }
    scheduled.site_keys.assign(site_keys.begin(), site_keys.end());
    scheduled.lines.assign(lines.begin(), lines.end());
    if (scheduled.also.empty()) site_keys = {own};
    scheduled.arrival = arrival_of(*trace, scheduled, site_keys, side.begin);
    candidate.schedule.sides.push_back(std::move(scheduled));
  }
  const FindingWords words(finding, notes);
  const auto at = [&](int index) {
    const FindingSide& side = finding.sides[index];
    const std::string location = notes.site(side.rank, side.site).location;
    return words.access(index) + (location.empty() ? "" : " " + location);
  };
  candidate.title = fmt::format("{}, {} and {}", race_name(finding), at(0), at(1));
  const bool one_site = same_site(finding.sides[0], finding.sides[1]);
  for (int index = 0; index < 2; ++index)
    candidate.orders.push_back(
        !one_site ? fmt::format("the {} first", at(index))
        : candidate.schedule.own_operation
            ? fmt::format("the {} {} first", index == 0 ? "earlier" : "later", words.access(index))
        : one_rank ? fmt::format("the {} of the {} first", words.access(index),
                                 index == 0 ? "earlier thread" : "later thread")
                   : fmt::format("the {} of the {} {} first", words.access(index),
                                 index == 0 ? "lower" : "higher", words.process()));
  candidate.involved = {finding.sides[0].rank, finding.sides[1].rank, finding.owner};
  candidate.ranks =
      1 + std::max({finding.sides[0].rank.value, finding.sides[1].rank.value, finding.owner.value});
  return candidate;
}

// Further instances of the receive, each with the next message of another sender.
void add_instances(Candidate& candidate, const MessageFinding& finding, RankTrace& trace,
                   int instances) {
  std::uint64_t ignored = 0;
  std::vector<SiteId> sites;
  const std::vector<Schedule::Match> matches =
      matches_of(trace, finding.receive.timestamp, finding.got, ignored, &sites);
  const auto is_tried = [&](std::size_t index) {
    return std::any_of(candidate.alternatives.begin(), candidate.alternatives.end(),
                       [&](const Candidate::Alternative& known) {
                         return known.receiver == finding.receive.rank && known.steered == index;
                       });
  };
  // From the last to the first: the last one often decides.
  for (std::size_t index = matches.size(); index-- > 0 && instances > 0;) {
    if (sites[index] != finding.receive.site || is_tried(index)) continue;
    const auto other =
        std::find_if(matches.begin() + static_cast<std::ptrdiff_t>(index), matches.end(),
                     [&](const Schedule::Match& match) {
                       return match.source != matches[index].source && match.source.value >= 0;
                     });
    if (other == matches.end()) continue;
    MessageEnd send{};
    send.rank = other->source;
    send.tag = other->tag;
    candidate.alternatives.push_back({send, finding.receive.rank, matches, index, false});
    --instances;
  }
}

Candidate of_messages(const MessageFinding& finding, Traces& traces, RunNotes& notes,
                      int instances) {
  Candidate candidate{.key = key_of(finding)};
  candidate.times = finding.times;
  candidate.schedule.kind = RaceKind::Message;
  RankTrace* trace = traces.of(finding.receive.rank);
  const SiteNotes& site = notes.site(finding.receive.rank, finding.receive.site);
  candidate.title = fmt::format("message race, {} {}",
                                site.call ? traits(*site.call).name : "receive", site.location);
  if (trace == nullptr)
    candidate.impossible = notes.trouble(finding.receive.rank);
  else if (finding.taker == Taker::Cancelled)
    candidate.impossible = "confirm does not support canceled receives";
  else if (finding.wanted.source != kAnySource)
    candidate.impossible =
        "it names its source, so only timing decides, which confirm cannot steer";
  else if (!site.call)
    candidate.impossible = "its call was not recorded";
  if (!candidate.impossible.empty()) return candidate;
  const std::uint64_t site_key =
      key_of_site(trace->definitions(), *site.call, finding.receive.site);
  candidate.schedule.sides.push_back({.kind = AccessKind::Store,
                                      .call = *site.call,
                                      .site_keys = {site_key},
                                      .lines = {},
                                      .rank = finding.receive.rank});
  const auto add = [&](const MessageEnd& send, const MessageEnd& receive, const MessageEnd& got) {
    RankTrace* const its = traces.of(receive.rank);
    if (its == nullptr) return;
    Candidate::Alternative alternative{send, receive.rank};
    alternative.matches = matches_of(*its, receive.timestamp, got, alternative.steered);
    if (!alternative.matches.empty()) candidate.alternatives.push_back(std::move(alternative));
  };
  add(finding.got, finding.receive, finding.got);
  if (candidate.alternatives.empty()) candidate.impossible = "its receive was not recorded";
  for (const MessageFinding::Other& other : finding.others)
    add(other.send, other.receive, other.got);
  const std::size_t reported = candidate.alternatives.size();
  add_instances(candidate, finding, *trace, instances);
  candidate.ranks = finding.receive.rank.value + 1;
  candidate.involved = {finding.receive.rank};
  for (std::size_t i = 0; i < candidate.alternatives.size(); ++i) {
    const Candidate::Alternative& alternative = candidate.alternatives[i];
    const MessageEnd& send = alternative.send;
    const std::string location = i < reported ? notes.site(send.rank, send.site).location : "";
    const Candidate::Alternative& example = candidate.alternatives.front();
    const bool same_receive =
        alternative.receiver == example.receiver && alternative.steered == example.steered;
    candidate.orders.push_back(fmt::format(
        "the message of rank {}{} matched{}", send.rank.value,
        location.empty() ? "" : fmt::format(" (sent at {})", location),
        same_receive ? ""
                     : fmt::format(" by wildcard receive {} of rank {}", alternative.steered + 1,
                                   alternative.receiver.value)));
    candidate.ranks =
        std::max({candidate.ranks, send.rank.value + 1, alternative.receiver.value + 1});
    candidate.involved.push_back(send.rank);
    candidate.involved.push_back(alternative.receiver);
  }
  return candidate;
}

// The recorded matches of the ranks that receive in message races, for all other findings.
void hold_others(std::vector<Candidate>& candidates) {
  std::map<WorldRank, std::vector<Schedule::Match>> recorded;
  for (const Candidate& candidate : candidates)
    if (!candidate.alternatives.empty())
      recorded[candidate.alternatives.front().receiver] = candidate.alternatives.front().matches;
  for (Candidate& candidate : candidates)
    for (const auto& [rank, matches] : recorded) candidate.schedule.held.push_back({rank, matches});
}

}  // namespace

bool depends_on_buffering(const std::string& directory) {
  const auto run = read_findings(directory);
  return run && run->messages &&
         std::any_of(run->messages->deadlocks.begin(), run->messages->deadlocks.end(),
                     [](const Deadlock& deadlock) { return !deadlock.came_about; });
}

Result<std::vector<Candidate>> candidates_of(const std::string& directory, int instances) {
  auto run = read_findings(directory);
  if (!run) return run.error();
  if (!run->analysed)
    return Error{
        fmt::format("{} is not analyzed yet: run photofinish analyze {}", directory, directory)};
  RunNotes notes(directory, run->findings, run->messages.value_or(MessageFindings{}));
  std::vector<Part> parts;
  for (const Finding& found : run->findings) parts.push_back({found, as_read(found, notes)});
  const NumberedFindings numbered = number_findings(std::move(*run), notes);
  Traces traces(directory);
  Symbolizer symbolizer;
  std::vector<Candidate> candidates;
  for (const Finding& finding : numbered.in_memory)
    candidates.push_back(of_memory(finding, parts, traces, notes, symbolizer));
  for (const MessageFinding& finding : numbered.messages)
    candidates.push_back(of_messages(finding, traces, notes, instances));
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].number = i + 1;
  hold_others(candidates);
  return candidates;
}

std::string changed_program(const std::string& directory, std::uint64_t started_ns) {
  const auto ranks = recorded_ranks(directory);
  Symbolizer symbolizer;
  std::set<std::string> seen;
  if (!ranks) return ranks.error().message;
  for (const WorldRank rank : *ranks) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) continue;
    for (const auto& [id, module] : (*trace)->definitions().modules) {
      if (!seen.insert(module.path).second || module.path.find('/') == std::string::npos) continue;
      struct stat status;
      if (stat(module.path.c_str(), &status) != 0)
        return fmt::format("{} no longer exists; confirm needs it to find the access sites",
                           module.path);
      const auto modified = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                            static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
      const bool same = module.build_id.empty() ? modified < started_ns
                                                : symbolizer.matches(module.path, module.build_id);
      if (!same)
        return fmt::format("{} has changed since the run, so the access sites may have moved",
                           module.path);
    }
  }
  return "";
}

}  // namespace photofinish

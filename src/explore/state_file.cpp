#include "explore/state_file.h"

#include <unistd.h>

#include <algorithm>

#include "trace/run_directory.h"
#include "trace/sealed_file.h"

namespace photofinish {
namespace {

constexpr char kMagic[8] = {'P', 'H', 'O', 'T', 'O', 'E', 'X', '1'};
std::string path_in(const std::string& directory) {
  return directory + "/" + std::string(kExploredFile);
}

}  // namespace

// Maps are stored as lists.
struct StoredLine {
  std::uint64_t line = 0;
  std::vector<Match> matches;
};
struct StoredRun {
  std::vector<StoredLine> matching;
  std::uint64_t outcome = 0;
  std::uint64_t estimate = 0;
  struct Sites {
    std::uint64_t line = 0;
    std::vector<std::uint32_t> sites;
  };
  std::vector<Sites> sites;
};
struct StoredPrescription {
  std::vector<StoredLine> matching;
  std::uint32_t changes = 0;
};
struct StoredObject {
  std::uint64_t line = 0;
  std::string name;
};
struct Stored {
  std::vector<KnownOutcome> outcomes;
  std::vector<StoredRun> runs;
  std::vector<StoredPrescription> pending;
  std::uint64_t not_followed = 0, cut_short = 0, ranks = 0, milliseconds = 0;
  std::vector<std::string> untracked, locations;
  std::vector<StoredObject> objects;
};

namespace {

std::vector<StoredLine> stored(const Matching& matching) {
  std::vector<StoredLine> lines;
  for (const auto& [line, matches] : matching) lines.push_back({line, matches});
  return lines;
}
Matching restored(const std::vector<StoredLine>& lines) {
  Matching matching;
  for (const StoredLine& one : lines) matching[one.line] = one.matches;
  return matching;
}

}  // namespace

template <class A>
void describe(A& a, Match& d) {
  a(d.source, d.tag);
}
template <class A>
void describe(A& a, StoredLine& d) {
  a(d.line, d.matches);
}
template <class A>
void describe(A& a, StoredRun::Sites& d) {
  a(d.line, d.sites);
}
template <class A>
void describe(A& a, StoredRun& d) {
  a(d.matching, d.outcome, d.estimate, d.sites);
}
template <class A>
void describe(A& a, StoredPrescription& d) {
  a(d.matching, d.changes);
}
template <class A>
void describe(A& a, StoredObject& d) {
  a(d.line, d.name);
}
template <class A>
void describe(A& a, Outcome::File& d) {
  a(d.name, d.there, d.lines);
}
template <class A>
void describe(A& a, KnownOutcome& d) {
  a(d.outcome.code, d.outcome.ended, d.outcome.how, d.outcome.lines, d.outcome.files, d.deadlock,
    d.details);
}
template <class A>
void describe(A& a, Stored& d) {
  a(d.outcomes, d.runs, d.pending, d.not_followed, d.cut_short, d.ranks, d.milliseconds,
    d.untracked, d.locations, d.objects);
}

bool has_explore_state(const std::string& directory) {
  return access(path_in(directory).c_str(), F_OK) == 0;
}

Result<ExploreState> read_explore_state(const std::string& directory) {
  auto read = read_sealed_value<Stored>(path_in(directory), kMagic);
  if (!read) return read.error();
  ExploreState state;
  state.outcomes = std::move(read->outcomes);
  for (const StoredRun& run : read->runs) {
    if (run.outcome >= state.outcomes.size())
      return Error{path_in(directory) + ": a run without an outcome"};
    state.runs.push_back({restored(run.matching), run.outcome, static_cast<double>(run.estimate)});
    auto& sites = state.sites.emplace_back();
    for (const StoredRun::Sites& line : run.sites) sites[line.line] = line.sites;
  }
  for (const StoredPrescription& one : read->pending)
    state.pending.push_back({restored(one.matching), one.changes, 0});
  state.not_followed = read->not_followed;
  state.cut_short = read->cut_short;
  state.ranks = read->ranks;
  state.milliseconds = read->milliseconds;
  state.untracked = std::move(read->untracked);
  state.locations = std::move(read->locations);
  for (const StoredObject& object : read->objects) state.objects[object.line] = object.name;
  return state;
}

Result<bool> write_explore_state(const std::string& directory, const ExploreState& state) {
  Stored out;
  out.outcomes = state.outcomes;
  for (std::size_t i = 0; i < state.runs.size(); ++i) {
    constexpr double kMost = 1e18;
    StoredRun& run = out.runs.emplace_back();
    run.matching = stored(state.runs[i].matching);
    run.outcome = state.runs[i].outcome;
    run.estimate = static_cast<std::uint64_t>(std::min(state.runs[i].estimate, kMost));
    if (i < state.sites.size())
      for (const auto& [line, sites] : state.sites[i]) run.sites.push_back({line, sites});
  }
  for (const Prescription& one : state.pending)
    out.pending.push_back({stored(one.matching), one.changes});
  out.not_followed = state.not_followed;
  out.cut_short = state.cut_short;
  out.ranks = state.ranks;
  out.milliseconds = state.milliseconds;
  out.untracked = state.untracked;
  out.locations = state.locations;
  for (const auto& [line, name] : state.objects) out.objects.push_back({line, name});
  return write_sealed(path_in(directory), kMagic, encoded(out));
}

}  // namespace photofinish

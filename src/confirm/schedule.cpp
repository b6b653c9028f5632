#include "confirm/schedule.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/private_file.h"
#include "base/system_file.h"
#include "confirm/rendezvous_table.h"
#include "trace/sealed_file.h"

namespace photofinish {
namespace {

constexpr std::uint64_t kCoreNs =
    250'000'000;  // with so much CPU time, a rank has tried to progress
constexpr char kScheduleMagic[8] = {'P', 'H', 'O', 'T', 'O', 'S', 'C', 'H'};

}  // namespace

template <class A>
void describe(A& a, ScheduledSide::Form& d) {
  a(d.kind, d.call);
}
template <class A>
void describe(A& a, ScheduledSide& d) {
  a(d.kind, d.call, d.also, d.site_keys, d.lines, d.rank, d.arrival);
}
template <class A>
void describe(A& a, Schedule::Match& d) {
  a(d.source, d.tag);
}
template <class A>
void describe(A& a, Schedule::HeldRank& d) {
  a(d.rank, d.matches);
}
template <class A>
void describe(A& a, Schedule& d) {
  a(d.kind, d.scope, d.own_operation, d.synchronous, d.second_window, d.threads, d.sides, d.first,
    d.unit_ms, d.pause_ms, d.patience_ms, d.seed, d.win, d.offset, d.bytes, d.matches, d.steered,
    d.held, d.explores, d.debugged, d.other_sites);
}

template <class A>
void describe(A& a, Schedules& d) {
  a(d.findings, d.by_messages);
}

// The build that wrote it reads it: calls are stored by number.
Result<bool> write_schedules(const std::string& directory, const Schedules& schedules) {
  return write_sealed(directory + kScheduleFile, kScheduleMagic, encoded(schedules));
}
Result<Schedules> read_schedules(const std::string& directory) {
  auto schedules = read_sealed_value<Schedules>(directory + kScheduleFile, kScheduleMagic);
  if (schedules && schedules->findings.empty())
    return Error{directory + kScheduleFile + ": no finding to steer"};
  return schedules;
}

std::size_t finding_of(const Schedules& schedules, WorldRank rank) {
  for (std::size_t finding = 0; finding < schedules.findings.size(); ++finding)
    for (const ScheduledSide& side : schedules.findings[finding].sides)
      if (side.rank == rank) return finding;
  return 0;
}

Verdict verdict_of(const std::vector<RankResult>& results, std::size_t finding) {
  Verdict verdict;
  const auto agrees = [&](const RankResult& one, std::int32_t rank) {
    return std::any_of(results.begin(), results.end(), [&](const RankResult& other) {
      return other.rank == rank && other.met != 0 &&
             std::equal(one.ranks, one.ranks + 2, other.ranks) &&
             std::equal(one.arrivals, one.arrivals + 2, other.arrivals);
    });
  };
  for (const RankResult& result : results) {
    if (result.finding != finding) continue;
    for (const int side : {0, 1}) verdict.reached[side] += result.reached[side];
    if (result.found_stopped != 0) verdict.stopped = WorldRank(result.found_stopped - 1);
    verdict.by_messages = verdict.by_messages || result.by_messages != 0;
    if (result.met == 0) continue;
    if (result.by_messages != 0 &&
        !(agrees(result, result.ranks[0]) && agrees(result, result.ranks[1])))
      continue;
    const bool forced =
        result.meetings > 0 ? result.forced_meetings == result.meetings : result.forced != 0;
    verdict.forced = forced && (!verdict.seen || verdict.forced);
    verdict.seen = true;
    verdict.meetings = result.meetings > 0 ? verdict.meetings + result.meetings
                                           : std::max<std::uint64_t>(verdict.meetings, 1);
    verdict.ranks = {WorldRank(result.ranks[0]), WorldRank(result.ranks[1])};
    verdict.arrivals = {result.arrivals[0], result.arrivals[1]};
  }
  return verdict;
}

std::string rank_result_path(const std::string& directory, WorldRank rank) {
  char name[40];
  std::snprintf(name, sizeof name, "/rank-%06d.result", rank.value);
  return directory + name;
}

std::vector<RankResult> read_rank_results(const std::string& directory, int ranks) {
  std::vector<RankResult> results;
  for (int rank = 0; rank < ranks; ++rank) {
    RankResult result{};
    const int file =
        open(rank_result_path(directory, WorldRank(rank)).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    if (pread(file, &result, sizeof result, 0) == sizeof result) results.push_back(result);
    close(file);
  }
  return results;
}

int stopped_process(const std::string& directory, WorldRank rank) {
  RankResult result{};
  const int file = open(rank_result_path(directory, rank).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const bool whole = pread(file, &result, sizeof result, 0) == sizeof result;
  close(file);
  return whole && result.released == 0 ? result.stopped : 0;
}

void release_stopped(const std::string& directory, WorldRank rank) {
  const int file = open(rank_result_path(directory, rank).c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  const std::uint32_t released = 1;
  if (pwrite(file, &released, sizeof released, offsetof(RankResult, released)) < 0) {
    // The run is ended by its time limit.
  }
  close(file);
}

std::vector<std::uint64_t> StallWatch::read_row(std::size_t row) const {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(ranks_));
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const std::size_t bytes = words.size() * sizeof words[0];
  const bool whole =
      pread(file, words.data(), bytes, static_cast<off_t>(words_offset(findings_) + row * bytes)) ==
      static_cast<ssize_t>(bytes);
  close(file);
  return whole ? words : std::vector<std::uint64_t>();
}

bool StallWatch::is_stalled() {
  std::vector<std::uint64_t> words = read_row(0);
  const bool all_wait = !words.empty() && std::all_of(words.begin(), words.end(),
                                                      [](std::uint64_t w) { return w % 2 == 1; });
  const bool finalized = std::all_of(
      words.begin(), words.end(), [](std::uint64_t word) { return (word & kFinalizedWord) != 0; });
  const bool same = words == last_;
  last_ = std::move(words);
  if (!all_wait || finalized) return false;
  if (!same) {
    starvations_.clear();
    for (const std::uint64_t process : read_row(1)) starvations_.emplace_back(process);
    return false;
  }
  return !stopped_rank() &&
         std::none_of(starvations_.begin(), starvations_.end(),
                      [](const Starvation& starves) { return starves(kCoreNs); });
}

std::optional<WorldRank> StallWatch::stopped_rank() const {
  const std::vector<std::uint64_t> processes = read_row(1);
  for (std::size_t rank = 0; rank < processes.size(); ++rank)
    if (processes[rank] != 0 && is_stopped_process(processes[rank]))
      return WorldRank(static_cast<std::int32_t>(rank));
  return std::nullopt;
}

void* map_shared_file(const std::string& path, std::size_t bytes) {
  const int file = open_private(path, O_RDWR | O_NOFOLLOW);
  if (file < 0) return nullptr;
  // Space in advance: a full disk must not end the program with SIGBUS.
  void* memory = posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0
                     ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  close(file);
  return memory != MAP_FAILED ? memory : nullptr;
}

}  // namespace photofinish

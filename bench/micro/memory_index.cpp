// The cost of finding the conflicting accesses of a batch (append, sort, sweep), compared with
// Boost.ICL's interval map.
//
//   cmake --build build/release --target memory_index
//   build/release/bin/memory_index [most accesses, 10000000 by default] [ours: no interval map]
//
// Prints nanoseconds of processor time for each access: the median of batches that reuse their
// memory, and the first batch, which allocates it. Half of the accesses are writes, half are reads,
// of 8 bytes each; about 1 in 100 overlaps another one. The sweep appends each access to a batch
// and then sweeps over it. The interval map stores the set of writers of each byte: all writes are
// looked up and added, then all reads are looked up. Both must find the same number of pairs.
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "memory/sweep.h"

using namespace photofinish;

namespace {

constexpr std::uint32_t kWrites = 0, kReads = 1;
constexpr std::uint64_t kBase = 0x7f0000000000, kSize = 8;
constexpr double kMostSeconds = 30;  // the interval map is skipped if one run would take longer

struct Access {
  std::uint64_t begin;
  std::uint32_t group;
};

// Each access has its own address, except that 1 in 100 repeats the preceding one.
template <class Location>
std::vector<Access> stream(std::size_t count, Location location) {
  std::vector<Access> accesses(count);
  for (std::size_t i = 0; i < count; ++i)
    accesses[i] = {kBase + location(i % 100 == 99 ? i - 1 : i), i % 2 == 0 ? kWrites : kReads};
  return accesses;
}

std::vector<Access> make_stream(const std::string& name, std::size_t count) {
  if (name == "sequential") return stream(count, [](std::size_t i) { return i * kSize; });
  if (name == "reverse") return stream(count, [&](std::size_t i) { return (count - i) * kSize; });
  if (name == "strided") {  // column by column through a matrix
    const std::size_t rows = std::min<std::size_t>(1000, count / 10),
                      row_bytes = 10 * kSize * count / rows;
    return stream(count, [=](std::size_t i) { return i % rows * row_bytes + i / rows * kSize; });
  }
  std::mt19937_64 random(1);
  // "random": anywhere in 100 times the accessed memory; "scattered": in 1000 regions of the whole
  // address space.
  const bool scattered = name == "scattered";
  std::vector<std::uint64_t> bases(scattered ? 1000 : 1);
  for (std::uint64_t& base : bases) base = scattered ? random() % kBase / 4096 * 4096 : 0;
  const std::uint64_t slots = 100 * count / bases.size();
  std::vector<std::uint64_t> locations(count);
  for (std::uint64_t& location : locations)
    location = bases[random() % bases.size()] + random() % slots * kSize;
  return stream(count, [&](std::size_t i) { return locations[i]; });
}

// Processor time of this process: others may be running.
double seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Run {
  double seconds = 0;
  std::size_t pairs = 0;
};

Run run_ours(const std::vector<Access>& accesses, std::vector<Span>& spans, Sweeper& sweeper) {
  GroupConflicts conflicts(2);
  conflicts.add(kWrites, kWrites);
  conflicts.add(kWrites, kReads);
  Run run;
  const double start = seconds();
  spans.clear();
  for (std::uint32_t i = 0; i < accesses.size(); ++i)
    spans.push_back({accesses[i].begin, accesses[i].begin + kSize, i, accesses[i].group});
  sweeper.sweep(spans, conflicts, [&](const Span&, const Span&) { ++run.pairs; });
  run.seconds = seconds() - start;
  return run;
}

Run run_interval_map(const std::vector<Access>& accesses) {
  using Writers = boost::icl::interval_map<std::uint64_t, std::set<std::uint32_t>>;
  Run run;
  const double start = seconds();
  {
    Writers writers;
    std::vector<std::uint32_t> met;
    const auto look_up = [&](const Writers::interval_type& where) {
      met.clear();
      const auto [first, last] = writers.equal_range(where);
      for (auto part = first; part != last; ++part)
        met.insert(met.end(), part->second.begin(), part->second.end());
      std::sort(met.begin(), met.end());
      run.pairs += std::unique(met.begin(), met.end()) - met.begin();
    };
    for (std::uint32_t i = 0; i < accesses.size(); ++i) {
      if (accesses[i].group != kWrites) continue;
      const auto where =
          Writers::interval_type::right_open(accesses[i].begin, accesses[i].begin + kSize);
      look_up(where);
      writers.add({where, {i}});
    }
    for (const Access& access : accesses)
      if (access.group == kReads)
        look_up(Writers::interval_type::right_open(access.begin, access.begin + kSize));
  }
  run.seconds = seconds() - start;
  return run;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds of one run of the interval map, or 0 if it was skipped.
double measure(const std::string& name, std::size_t count, bool with_map) {
  const std::vector<Access> accesses = make_stream(name, count);
  const int repetitions = count >= 10000000 ? 5 : count >= 1000000 ? 9 : count >= 100000 ? 25 : 101;
  malloc_trim(0);  // the interval map of the preceding row has left millions of free chunks
  std::vector<Span> spans;
  Sweeper sweeper;
  const auto [first, pairs] = run_ours(accesses, spans, sweeper);
  std::vector<double> ours, map;
  for (int i = 0; i < repetitions; ++i) ours.push_back(run_ours(accesses, spans, sweeper).seconds);
  for (int i = 0; with_map && i < std::max(1, repetitions / 5); ++i) {
    const Run run = run_interval_map(accesses);
    map.push_back(run.seconds);
    if (run.pairs != pairs) {
      std::fprintf(stderr, "%s: %zu pairs, but the interval map finds %zu\n", name.c_str(), pairs,
                   run.pairs);
      std::exit(1);
    }
  }
  const auto nanoseconds = [&](double seconds) {
    return seconds * 1e9 / static_cast<double>(count);
  };
  std::printf("| %s | %zu | %.1f | %.1f | ", name.c_str(), count, nanoseconds(median(ours)),
              nanoseconds(first));
  if (map.empty())
    std::printf("left out");
  else
    std::printf("%.0f", nanoseconds(median(map)));
  std::printf(" | %.2f %% |\n", 100.0 * static_cast<double>(pairs) / static_cast<double>(count));
  std::fflush(stdout);
  return map.empty() ? 0 : median(map);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000000;
  std::puts(
      "| stream | accesses | ours | ours, first batch | Boost.ICL | pairs found "
      "|\n|---|---|---|---|---|---|");
  for (const char* name : {"sequential", "reverse", "strided", "random", "scattered"}) {
    double map_seconds = 0;
    bool with_map = argc <= 2;
    for (std::size_t count = 1000; count <= most; count *= 10) {
      with_map =
          with_map && map_seconds * 15 < kMostSeconds;  // ten times the accesses, in a deeper tree
      map_seconds = measure(name, count, with_map);
    }
  }
}

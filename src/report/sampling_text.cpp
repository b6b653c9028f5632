#include "report/sampling_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/block.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
// The slowdown of a run that spent this share of its time in the tool.
double slowdown(double share) { return 1 / (1 - share); }

}  // namespace

std::vector<RankSampling> read_sampling(const std::string& directory) {
  std::vector<RankSampling> ranks;
  const auto recorded = recorded_ranks(directory);
  if (!recorded) return ranks;
  for (const WorldRank rank : *recorded) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) continue;
    const auto& samplings = (*trace)->definitions().samplings;
    if (samplings.empty() && ranks.empty() && rank == recorded->front())
      return ranks;  // all have the same options
    for (const auto& [id, sampling] : samplings) ranks.push_back({rank, sampling});
  }
  return ranks;
}

std::string sampling_lines(const std::vector<RankSampling>& ranks) {
  if (ranks.empty()) return "";
  SamplingDefinition all;
  const RankSampling *dearest = &ranks.front(), *blindest = &ranks.front();
  std::set<WorldRank> unfinished;
  for (const RankSampling& one : ranks) {
    all.checked += one.sampling.checked;
    all.skipped += one.sampling.skipped;
    all.locations += one.sampling.locations;
    all.thinned += one.sampling.thinned;
    if (one.sampling.wall_ns == 0) unfinished.insert(one.rank);
    if (share(one.sampling.lifted_ns, one.sampling.wall_ns) >
        share(blindest->sampling.lifted_ns, blindest->sampling.wall_ns))
      blindest = &one;
    if (share(one.sampling.own_ns, one.sampling.run_ns) >
        share(dearest->sampling.own_ns, dearest->sampling.run_ns))
      dearest = &one;
  }
  const std::uint64_t times = all.checked + all.skipped;
  std::string text = fmt::format(
      "NOTE: photofinish: sampled {} of {} accesses to shared memory ({:.1f}%; a whole loop may "
      "count as one)",
      all.checked, times, 100 * (times == 0 ? 1 : share(all.checked, times)));
  if (all.skipped > 0)
    text += fmt::format("; {1} of {0} sites were subsampled, so races there may be missed",
                        all.locations, all.thinned);
  text += "\n";
  if (const double blind = share(blindest->sampling.lifted_ns, blindest->sampling.wall_ns);
      blind > 0)
    text += fmt::format(
        "NOTE: photofinish: sampling was suspended for up to {:.1f}% of the run time to stay "
        "within the budget (rank {}): accesses in that time were not checked\n",
        100 * blind, blindest->rank.value);
  if (!unfinished.empty())
    text += fmt::format(
        "NOTE: photofinish: accesses skipped by {} are not counted: {} did not finish\n",
        ranks_of(unfinished), unfinished.size() == 1 ? "it" : "they");
  const SamplingDefinition& cost = dearest->sampling;
  if (cost.run_ns == 0) return text;
  // The estimate may exceed the actual time.
  const double own = std::min(share(cost.own_ns, cost.run_ns), 0.99),
               recording = std::min(share(cost.recording_ns, cost.run_ns), own);
  std::string budget;
  if (cost.slowdown > 0) {
    const bool kept = slowdown(own) <= cost.slowdown;
    budget = fmt::format(" (budget {}x{})", cost.slowdown,
                         kept                                  ? ""
                         : slowdown(recording) > cost.slowdown ? ", exceeded by the MPI calls alone"
                                                               : ", exceeded");
  }
  // Most of the run was compared with phases without tests.
  const bool compared = share(cost.compared_ns, cost.run_ns) > 0.9;
  text += fmt::format(
      "NOTE: photofinish: sampling cost {:.1f}% of the CPU time of rank {}, a slowdown of "
      "{}{:.2f}x{}"
      "; {:.1f}% was for MPI calls, which are never skipped",
      100 * own, dearest->rank.value, compared ? "" : "at least ", slowdown(own), budget,
      100 * recording);
  if (cost.compared_ns == 0) return text + ". Not included: the test before each access\n";
  return text +
         fmt::format(", {:.1f}% for tests before accesses, estimated in {:.0f}% of the time\n",
                     100 * std::min(share(cost.tests_ns, cost.run_ns), own),
                     100 * std::min(share(cost.compared_ns, cost.run_ns), 1.0));
}

}  // namespace photofinish

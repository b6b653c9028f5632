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
// Of a run that spent this share with the tool.
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
    all.looked += one.sampling.looked;
    all.skipped += one.sampling.skipped;
    all.places += one.sampling.places;
    all.thinned += one.sampling.thinned;
    if (one.sampling.wall_ns == 0) unfinished.insert(one.rank);
    if (share(one.sampling.lifted_ns, one.sampling.wall_ns) >
        share(blindest->sampling.lifted_ns, blindest->sampling.wall_ns))
      blindest = &one;
    if (share(one.sampling.own_ns, one.sampling.run_ns) >
        share(dearest->sampling.own_ns, dearest->sampling.run_ns))
      dearest = &one;
  }
  const std::uint64_t times = all.looked + all.skipped;
  std::string text = fmt::format(
      "NOTE: photofinish: sampled: looked {} times of {} ({:.1f}%) at loads and stores that others "
      "could reach, a whole loop may be one time",
      all.looked, times, 100 * (times == 0 ? 1 : share(all.looked, times)));
  if (all.skipped > 0)
    text += fmt::format(
        "; of {} places that were come to {} were not looked at each time, and their races may be "
        "missing",
        all.places, all.thinned);
  text += "\n";
  if (const double blind = share(blindest->sampling.lifted_ns, blindest->sampling.wall_ns);
      blind > 0)
    text += fmt::format(
        "NOTE: photofinish: sampled: to keep within the budget, no load or store was looked at or "
        "counted for up to {:.1f}% of the time (rank {})\n",
        100 * blind, blindest->rank.value);
  if (!unfinished.empty())
    text += fmt::format(
        "NOTE: photofinish: sampled: what {} skipped is not counted, for {} did not come to {} "
        "end\n",
        ranks_of(unfinished), unfinished.size() == 1 ? "it" : "they",
        unfinished.size() == 1 ? "its" : "their");
  const SamplingDefinition& cost = dearest->sampling;
  if (cost.run_ns == 0) return text;
  // What is reckoned may come out as more than there was.
  const double own = std::min(share(cost.own_ns, cost.run_ns), 0.99),
               recording = std::min(share(cost.recording_ns, cost.run_ns), own);
  std::string budget;
  if (cost.slowdown > 0) {
    const bool kept = slowdown(own) <= cost.slowdown;
    budget =
        fmt::format(" (budget {}x{})", cost.slowdown,
                    kept                                  ? ""
                    : slowdown(recording) > cost.slowdown ? ", too little for the MPI calls alone"
                                                          : ", exceeded");
  }
  return text +
         fmt::format(
             "NOTE: photofinish: sampled: the tool took {:.1f}% of the processor time of rank {}, "
             "a slowdown of {:.2f}x{}; {:.1f}% were for MPI calls, of which none is skipped\n",
             100 * own, dearest->rank.value, slowdown(own), budget, 100 * recording);
}

}  // namespace photofinish

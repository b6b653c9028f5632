// The analysis of a recorded run: what the ranks of a running program do with messages, by fewer
// processes, each for a share of the ranks.
//
// Memory: accesses wait for the end of their period, and a program without sync points has only
// one. Half of the limit is for those that wait, in this process, and beyond that they wait in a
// file. The other half is for looking at them, one owner after the other (see Owner).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "detect/rules.h"
#include "detect/transport.h"
#include "model/definitions.h"
#include "model/event.h"
#include "model/finding.h"

namespace photofinish {

struct RankInput {
  WorldRank rank;
  const Definitions* definitions = nullptr;
  std::function<const Event*()> next;  // null at the end
  // A call that it is inside of at the end is one that it waits in: it did not die there.
  bool was_alive = true;
};

struct AnalysisOptions {
  RuleOptions rules;
  std::size_t memory = std::size_t{256} << 20;  // of each process, for accesses, in bytes
  std::string directory = ".";                  // for what does not fit there
  // A period is closed at a sync point when all ranks together have so many accesses for it. How an
  // operation ended is told if that was in the period in which it was found to race: so this,
  // unlike the rest, can make a difference to details of the findings.
  std::size_t period = std::size_t{1} << 18;
};

// The ranks [first, last) of a world that a process looks after.
std::pair<std::int32_t, std::int32_t> share_of(int process, int processes, std::int32_t world_size);

// One input for each rank of this process's share, in their order. Process 0 has the findings of
// all of them, merged by the two places, and sorted; the others have none. Findings do not depend
// on the number of processes, nor on the memory. If a process fails, all have an Error, and all
// messages but one are empty.
Result<std::vector<Finding>> analyze(std::vector<RankInput> share, std::int32_t world_size,
                                     Transport& transport, const AnalysisOptions& options);

// In one process, with all the memory it takes.
std::vector<Finding> analyze(std::vector<RankInput> ranks, const RuleOptions& rules,
                             std::size_t period = AnalysisOptions().period);

// Whether all went well so far, wherever it did not: for what each process does on its own. The
// Error is as that of analyze.
Result<bool> agree(Transport& transport, const Result<bool>& mine);

}  // namespace photofinish

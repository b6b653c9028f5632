// The offline analysis of a recorded run. Fewer processes than ranks do what the ranks of a running
// program do, each for a share of the ranks.
//
// Memory: accesses are stored until the end of their period, and a program without sync points has
// one period. Half of the limit is for stored accesses of this process; the rest of them goes to a
// file. The other half is for checking them, one owner at a time (see Owner).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "detect/rules.h"
#include "detect/transport.h"
#include "effects/meaning.h"
#include "model/definitions.h"
#include "model/event.h"
#include "model/finding.h"

namespace photofinish {

struct RankInput {
  WorldRank rank;
  const Definitions* definitions = nullptr;
  MakeMeaning meaning = nullptr;       // of the front end that recorded it
  std::function<const Event*()> next;  // null at the end
  // If the trace ends inside a call, the rank waited in it. False: the rank died there.
  bool was_alive = true;
};

struct AnalysisOptions {
  RuleOptions rules;
  std::size_t memory = std::size_t{256} << 20;  // per process, for accesses, in bytes
  std::string directory = ".";                  // for the file with what exceeds the limit
  // A period ends at the first sync point at which all ranks together have this many accesses. A
  // finding shows the completion of an operation only if both lie in one period. So, unlike the
  // other options, this one can change details of findings.
  std::size_t period = std::size_t{1} << 18;
};

// The ranks [first, last) that a process analyzes.
std::pair<std::int32_t, std::int32_t> share_of(int process, int processes, std::int32_t world_size);

// `share`: one input for each rank of this process's share, in rank order. Process 0 returns the
// findings of all processes, merged by the two access sites, and sorted. The other processes return
// none. Findings do not depend on the number of processes or on the memory. If a process fails, all
// return an Error; all messages but one are empty.
Result<std::vector<Finding>> analyze(std::vector<RankInput> share, std::int32_t world_size,
                                     Transport& transport, const AnalysisOptions& options);

// The same in one process, without a memory limit.
std::vector<Finding> analyze(std::vector<RankInput> ranks, const RuleOptions& rules,
                             std::size_t period = AnalysisOptions().period);

// Whether all processes succeeded so far, for work that each process does on its own. The Error is
// like that of analyze().
Result<bool> agree(Transport& transport, const Result<bool>& mine);

}  // namespace photofinish

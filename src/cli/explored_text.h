// Describes what happened in an explored run: call sites, shared objects, deadlocks on locks.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "explore/trace_execution.h"
#include "symbols/symbolizer.h"

namespace photofinish {

// Several threads may ask at once.
class ExploredText {
 public:
  // `process`: what the programming model calls a rank.
  explicit ExploredText(const std::string& process) : process_(process) {}

  std::string location(const RankTrace& trace, SiteId site, std::uint64_t site_key);
  std::string object(const TracedRun& run, const ObjectPlace& place);
  // What the run did that is not among the choices.
  std::vector<std::string> not_explored(const TracedRun& run);
  // Ranks that wait for locks of each other: who waits where. Empty: there are none.
  std::vector<std::string> lock_deadlock(const TracedRun& run);

 private:
  std::string call(const TracedRun& run, const CallOfRank& one);
  std::string word(const TracedRun& run, const ObjectPlace& place, const WinDefinition& region);
  std::string block(const TracedRun& run, const ObjectPlace& place, const WinDefinition& region);

  const std::string& process_;
  std::mutex mutex_;
  Symbolizer symbolizer_;
  std::map<std::uint64_t, std::string> locations_;  // by key of the site
};

}  // namespace photofinish

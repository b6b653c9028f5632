// Feeds an execution to the detector in one of its possible interleavings.
#pragma once

#include <functional>
#include <set>

#include "detect/message_race.h"
#include "execution.h"

namespace photofinish::testing {

using SiteOf = std::function<std::uint64_t(Ref)>;
inline std::uint64_t own_site(Ref ref) {
  return static_cast<std::uint64_t>(ref.process) << 32 | static_cast<std::uint64_t>(ref.event);
}

using SitePairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;
SitePairs sites_of(const std::set<Pair>& pairs, const SiteOf& site_of);

SitePairs detected(const Execution& execution, const std::vector<Happening>& order,
                   const SiteOf& site_of);

MessageEnd end_of(const Execution& execution, Ref ref, const SiteOf& site_of);

}  // namespace photofinish::testing

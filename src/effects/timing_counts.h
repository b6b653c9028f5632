// Counts calls with a timing-dependent outcome, by call site, of one or several ranks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/message_finding.h"

namespace photofinish {

class TimingCounts {
 public:
  TimingCounts() = default;
  TimingCounts(const TimingCounts& other) : by_site_(other.by_site_) {}
  TimingCounts& operator=(const TimingCounts&) = delete;

  void note(WorldRank rank, SiteId site, std::uint64_t site_key, std::uint64_t times = 1) {
    if (last_ == nullptr || last_key_ != site_key) {
      last_ = &by_site_[site_key];
      last_key_ = site_key;
    }
    TimingDependence& known = *last_;
    if (known.ranks.empty()) known.times = 0;
    if (known.ranks.empty() || rank < known.at.rank) known.at = {rank, 0, site, site_key};
    known.ranks.insert(rank);
    known.times += times;
  }
  std::vector<TimingDependence> all() const {
    std::vector<TimingDependence> all;
    for (const auto& [key, timing] : by_site_) all.push_back(timing);
    return all;
  }

 private:
  std::map<std::uint64_t, TimingDependence> by_site_;
  TimingDependence* last_ = nullptr;  // consecutive calls often have the same site
  std::uint64_t last_key_ = 0;
};

}  // namespace photofinish

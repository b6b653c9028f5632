// Message races between threads of one rank: pairs of posts that no order relates
// (detect/thread_posts.h), with the messages that they matched.
//
// Rule: of two concurrent receives, each could have matched the other's message if it fits. Of two
// concurrent sends, the receive of each could have matched the other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "detect/message_race.h"
#include "model/message_finding.h"

namespace photofinish {

class ThreadRaces {
 public:
  using Operation = std::pair<WorldRank, std::uint64_t>;  // rank, and its number there

  void watch(const Operation& one) { watched_.try_emplace(one); }
  void unwatch(const Operation& one) { watched_.erase(one); }
  void concurrent(const Operation& earlier, const Operation& later) {
    pairs_.emplace_back(earlier, later);
  }
  bool watches(const Operation& one) const { return watched_.contains(one); }
  bool watches_any() const { return !watched_.empty(); }
  void matched(const Operation& one, const MessageRaces::Matched& match) {
    if (const auto found = watched_.find(one); found != watched_.end()) found->second = match;
  }

  std::vector<MessageFinding> findings() const;
  std::size_t bytes() const {
    return watched_.size() * (sizeof(*watched_.begin()) + 48) + pairs_.size() * sizeof pairs_[0];
  }

 private:
  std::map<Operation, std::optional<MessageRaces::Matched>> watched_;
  std::vector<std::pair<Operation, Operation>> pairs_;
};

}  // namespace photofinish

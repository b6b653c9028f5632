#include "detect/thread_races.h"

namespace photofinish {

std::vector<MessageFinding> ThreadRaces::findings() const {
  std::vector<MessageFinding> all;
  // The receive of `match` could have matched the message of `other`.
  const auto add = [&](const MessageRaces::Matched& match, const MessageRaces::Matched& other) {
    if (match.comm != other.comm || match.receive.rank != other.receive.rank ||
        !match.wanted.takes(other.send.rank, other.send.tag))
      return;
    MessageFinding& finding = all.emplace_back();
    finding.comm = match.comm;
    finding.wanted = match.wanted;
    finding.receive = match.receive;
    finding.got = match.send;
    finding.others = {{other.send, false, 1, match.receive, match.send}};
    finding.ranks = {match.receive.rank, match.send.rank, other.send.rank};
  };
  for (const auto& [earlier, later] : pairs_) {
    const auto first = watched_.find(earlier), second = watched_.find(later);
    if (first == watched_.end() || second == watched_.end() || !first->second || !second->second)
      continue;
    add(*first->second, *second->second);
    add(*second->second, *first->second);
  }
  return all;
}

}  // namespace photofinish

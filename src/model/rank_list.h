// Rank lists such as "0,2-5".
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace photofinish {

Result<std::set<WorldRank>> parse_rank_list(const std::string& text);
// The text of a sorted list. `name` formats each rank, if given.
std::string rank_list_text(const std::vector<WorldRank>& ranks,
                           std::string (*name)(WorldRank) = nullptr);

// "node1, node2", and the number of others.
std::string host_list_text(const std::set<std::string>& hosts);

}  // namespace photofinish

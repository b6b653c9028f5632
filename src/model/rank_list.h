// "0,2-5" as a user writes it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace photofinish {

Result<std::set<WorldRank>> parse_rank_list(const std::string& text);
// The same text again, for ranks in order. `name` names each, where numbers are not enough.
std::string rank_list_text(const std::vector<WorldRank>& ranks,
                           std::string (*name)(WorldRank) = nullptr);

// "node1, node2", and how many more there are.
std::string host_list_text(const std::set<std::string>& hosts);

}  // namespace photofinish

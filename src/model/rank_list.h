// "0,2-5" as a user writes it.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "model/ids.h"

namespace photofinish {

Result<std::set<WorldRank>> parse_rank_list(const std::string& text);

}  // namespace photofinish

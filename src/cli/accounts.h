// Replays recorded ranks without output, and collects what they wrote and read: for photofinish
// explain and group.
#pragma once

#include <string>
#include <vector>

#include "explain/accesses.h"

namespace photofinish {

Result<Accounts> replay_accounts(const std::string& run, const std::vector<WorldRank>& ranks,
                                 const std::vector<RecordedRank>& group);

}  // namespace photofinish

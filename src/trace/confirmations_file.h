// confirmed.findings in the run directory: the results of photofinish confirm so far.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/confirmation.h"

namespace photofinish {

// Empty if there is no such file.
Result<std::vector<Confirmation>> read_confirmations(const std::string& directory);
Result<bool> write_confirmations(const std::string& directory,
                                 const std::vector<Confirmation>& confirmations);

}  // namespace photofinish

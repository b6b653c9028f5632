// confirmed.findings in the run directory: the states that photofinish confirm has stored so far.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/confirmation.h"

namespace photofinish {

// None if there is no such file.
Result<std::vector<Confirmation>> read_confirmations(const std::string& directory);
Result<bool> write_confirmations(const std::string& directory,
                                 const std::vector<Confirmation>& confirmations);

}  // namespace photofinish

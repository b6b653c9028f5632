// The whole run as an OTF2 archive, for Vampir, Cube's relatives and what else reads such traces: a
// location for each rank, regions for its calls, records for messages, collectives and one-sided
// operations (rank_records.h), and markers where the findings are.
//
// OTF2's library is needed for that alone, and found when it is asked for: the tool works without.
#pragma once

#include <string>

#include "base/result.h"
#include "report/document.h"

namespace photofinish {

// Makes the folder, or replaces an archive that is there.
Result<bool> write_otf2(const std::string& folder, const RunDocument& run);

}  // namespace photofinish

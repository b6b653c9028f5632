// Exports the whole run as an OTF2 archive, for Vampir and other OTF2 readers. Ranks become
// location groups, calls regions. Messages, collectives and one-sided operations become records
// (rank_records.h), findings markers.
//
// Only this export needs the OTF2 library, and loads it on demand: the tool works without it.
#pragma once

#include <string>

#include "base/result.h"
#include "report/document.h"

namespace photofinish {

// Creates the folder, or replaces an existing archive.
Result<bool> write_otf2(const std::string& folder, const RunDocument& run);

}  // namespace photofinish

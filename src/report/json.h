// The report as JSON; docs/report.schema.json says what is in it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/document.h"

namespace photofinish {

inline constexpr int kJsonVersion =
    1;  // of the schema: it changes when something that was there means something else, or goes

std::string json_report(const RunDocument& run);

// For all formats made of JSON: what is no UTF-8 (a name in the program, a line of its source)
// becomes U+FFFD.
std::string dumped(const nlohmann::ordered_json& value, int indent);

}  // namespace photofinish

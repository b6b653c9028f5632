// The report as JSON, as docs/report.schema.json specifies.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/document.h"

namespace photofinish {

inline constexpr int kJsonVersion =
    2;  // version of the schema: changes when a field is removed or changes its meaning

std::string json_report(const RunDocument& run);

// For all formats based on JSON: replaces invalid UTF-8, as in a name or a source line of the
// program, by U+FFFD.
std::string dumped(const nlohmann::ordered_json& value, int indent);

}  // namespace photofinish

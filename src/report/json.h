// The report as JSON; docs/report.schema.json says what is in it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/document.h"

namespace photofinish {

inline constexpr int kJsonVersion = 1;  // of the schema: it changes when something that was there means something else, or goes

std::string json_report(const RunDocument& run);

// Pieces that other formats made of JSON have in common. `root`: what paths are relative to.
nlohmann::ordered_json frames_json(const std::vector<Frame>& stack, const std::string& root);
nlohmann::ordered_json finding_json(const FindingDocument& finding, const RunDocument& run);
nlohmann::ordered_json run_json(const RunDocument& run);
// What is no UTF-8 (a name in the program, a line of its source) becomes U+FFFD.
std::string dumped(const nlohmann::ordered_json& value, int indent);

}  // namespace photofinish

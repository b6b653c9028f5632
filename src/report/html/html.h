// The report as one HTML file that needs nothing else: no network, no other file.
#pragma once

#include <string>

#include "report/document.h"

namespace photofinish {

// Reads the traces once more, for what happened near each finding, and the program's sources.
std::string html_report(const RunDocument& run);

}  // namespace photofinish

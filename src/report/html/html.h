// The report as one self-contained HTML file: no network access, no other files.
#pragma once

#include <string>

#include "report/document.h"

namespace photofinish {

// Reads the traces again, for the events near each finding, and the program's sources.
std::string html_report(const RunDocument& run);

}  // namespace photofinish

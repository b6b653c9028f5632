// Regions of the program that have a copy without hooks (runtime_abi.h): runs the copy of regions
// that contain no relevant access site.
#pragma once

#include <cstdint>
#include <vector>

namespace photofinish {

// Only sites in these lines (base/line_key.h) are relevant. Regions without such a site run their
// copy without hooks (`over`), or their checked code again, from their next entry on. If a line is
// unknown, or no object in the process has a site in it, everything is checked.
void pass_regions(const std::vector<std::uint32_t>& lines, bool over);

}  // namespace photofinish

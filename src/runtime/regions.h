// Parts of the program that go on in a copy without hooks (runtime_abi.h) where only a few places
// matter, and none of them is theirs.
#pragma once

#include <cstdint>
#include <vector>

namespace photofinish {

// Only places in these lines (base/line_key.h) matter: all regions that have none are passed over,
// or looked at after all, from where they are next entered on. Where one of the lines is not known,
// or nobody in the process has a place in it, everything is looked at.
void pass_regions(const std::vector<std::uint32_t>& lines, bool over);

}  // namespace photofinish

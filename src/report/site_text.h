// Formats call sites: the stack of a call, and its short forms.
#pragma once

#include <string>
#include <vector>

#include "model/definitions.h"
#include "symbols/symbolizer.h"

namespace photofinish {

// "ring.c:31", or "ring+0x1234" where there is no line.
std::string location_of(const Frame& frame);
std::string base_name(const std::string& path);
// The innermost frame in the user's code: with a line, and not in a library or a system header,
// such as Boost.MPI or <algorithm>. Otherwise the innermost frame with a line; otherwise the
// innermost frame. Null if there is none.
const Frame* leading_frame(const std::vector<Frame>& stack);
std::vector<std::string> numbered_frames(
    const std::vector<Frame>& frames);  // "#0 exchange ring.c:31:5" …
// The same with recursion folded: the innermost calls, and the number of further ones.
std::vector<std::string> folded_frames(const std::vector<Frame>& frames);
// The stack without direct and indirect recursion (model/recursion.h).
std::vector<Frame> without_recursion(const std::vector<Frame>& frames);

// The program's own frames: without those of the MPI library and the callers of main.
class SiteText {
 public:
  SiteText(const Definitions& definitions, Symbolizer& symbolizer)
      : definitions_(definitions), symbolizer_(symbolizer) {}

  std::string where(
      SiteId site);  // "exchange ring.c:31", of the innermost frame; empty if there is none
  std::string location(SiteId site);            // "ring.c:31"
  std::vector<std::string> stack(SiteId site);  // "#0 exchange ring.c:31:5" …
  std::vector<Frame> frames(SiteId site);       // the same, not formatted

 private:
  const Definitions& definitions_;
  Symbolizer& symbolizer_;
};

}  // namespace photofinish

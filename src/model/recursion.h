// Removes recursion from stacks, so that a call site is the same at every recursion depth.
//
// Rule: from the innermost frame outwards, a frame that occurred before ends a cycle. The frames
// between the two, and the second one, are removed. So each frame occurs once; mutual recursion is
// removed, too.
//
//   put < walk < walk < walk < main        put < walk < main
//   put < odd < even < odd < even < main   put < odd < even < main
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace photofinish {

// The indices of the remaining frames. `identity(frame)`: equal for equal frames.
template <class Frames, class Identity>
std::vector<std::size_t> without_recursion(const Frames& frames, Identity identity) {
  std::vector<std::size_t> kept;
  std::map<decltype(identity(frames[0])), std::size_t> at;  // position in `kept`
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto [known, fresh] = at.try_emplace(identity(frames[i]), kept.size());
    if (fresh) {
      kept.push_back(i);
      continue;
    }
    const std::size_t stays = known->second + 1;
    while (kept.size() > stays) {
      at.erase(identity(frames[kept.back()]));
      kept.pop_back();
    }
  }
  return kept;
}

}  // namespace photofinish

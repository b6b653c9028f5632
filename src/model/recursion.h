// Stacks without their recursion, so that one place in a program is one place at every depth.
//
// Rule: from the innermost frame outwards, a frame that is already there ends a cycle: what lies
// between the two, and the second, is left out. So each frame is there once, and mutual recursion
// is left out as well.
//
//   put < walk < walk < walk < main        put < walk < main
//   put < odd < even < odd < even < main   put < odd < even < main
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace photofinish {

// The indices of the frames that stay. `identity(frame)`: what makes two frames the same one.
template <class Frames, class Identity>
std::vector<std::size_t> without_recursion(const Frames& frames, Identity identity) {
  std::vector<std::size_t> kept;
  std::map<decltype(identity(frames[0])), std::size_t> at;  // where in `kept`
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

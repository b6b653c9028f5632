#include "runtime/regions.h"

#include <algorithm>

#include "photofinish/runtime_abi.h"
#include "runtime/notes.h"

namespace photofinish {

// Searched each time, since libraries may be loaded and unloaded.
void pass_regions(const std::vector<std::uint32_t>& lines, bool over) {
  std::vector<std::uint32_t> unseen = lines;
  std::vector<std::uint8_t*> without;
  for (void* table : noted(PHOTOFINISH_REGIONS_ABI)) {
    for (auto* word = static_cast<std::int32_t*>(table);;) {
      std::uint8_t* const byte =
          *word != 0 ? reinterpret_cast<std::uint8_t*>(word) + *word : nullptr;
      const auto* const begin = reinterpret_cast<std::uint32_t*>(word + 2);
      const auto* const end = begin + static_cast<std::uint32_t>(word[1]);
      const auto is_here = [&](std::uint32_t line) { return std::find(begin, end, line) != end; };
      const bool matters = is_here(0) || std::any_of(lines.begin(), lines.end(), is_here);
      std::erase_if(unseen, is_here);
      if (byte == nullptr) break;
      if (!matters) without.push_back(byte);
      word = reinterpret_cast<std::int32_t*>(const_cast<std::uint32_t*>(end));
    }
  }
  if (!unseen.empty() || std::find(lines.begin(), lines.end(), 0) != lines.end()) over = false;
  for (std::uint8_t* byte : without) __atomic_store_n(byte, over ? 1 : 0, __ATOMIC_RELAXED);
}

}  // namespace photofinish

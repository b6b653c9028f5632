#include "model/rank_list.h"

#include <charconv>
#include <string_view>

namespace photofinish {
namespace {

constexpr int kMaxRank = 1 << 24;

bool parse_rank(std::string_view text, int& rank) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  return error == std::errc() && end == text.data() + text.size() && rank >= 0 && rank < kMaxRank;
}

}  // namespace

Result<std::set<WorldRank>> parse_rank_list(const std::string& text) {
  std::set<WorldRank> ranks;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t dash = part.find('-');
    int first = 0, last = 0;
    const bool good =
        dash == std::string_view::npos
            ? parse_rank(part, first) && parse_rank(part, last)
            : parse_rank(part.substr(0, dash), first) && parse_rank(part.substr(dash + 1), last);
    if (!good || first > last)
      return Error{"'" + std::string(part) +
                   "' is not a rank or a range of ranks; write for example 0,2-5"};
    for (int rank = first; rank <= last; ++rank) ranks.insert(WorldRank(rank));
  }
  return ranks;
}

}  // namespace photofinish

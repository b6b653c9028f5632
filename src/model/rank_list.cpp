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

std::string rank_list_text(const std::vector<WorldRank>& ranks, std::string (*name)(WorldRank)) {
  const auto named = [name](WorldRank rank) {
    return name != nullptr ? name(rank) : std::to_string(rank.value);
  };
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[i].value >= 0 &&
           ranks[last + 1].value == ranks[last].value + 1)
      ++last;
    text += (text.empty() ? "" : ",") + named(ranks[i]);
    if (last > i) text += "-" + named(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string host_list_text(const std::set<std::string>& hosts) {
  constexpr std::size_t kMost = 4;
  std::string text;
  std::size_t named = 0;
  for (const std::string& host : hosts) {
    if (named == kMost) return text + " and " + std::to_string(hosts.size() - kMost) + " more";
    text += (named++ == 0 ? "" : ", ") + host;
  }
  return text;
}

}  // namespace photofinish

// Suggests the known word that is closest to an unknown one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace photofinish {

// The number of letters to insert, delete, replace, or swap with a neighbor.
inline std::size_t edits(const std::string& from, const std::string& to) {
  std::vector<std::size_t> before_last, last(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1, i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

// "; did you mean check?", or empty if no word is close.
inline std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto nearest = std::min_element(
      known.begin(), known.end(),
      [&](const std::string& a, const std::string& b) { return edits(word, a) < edits(word, b); });
  const bool near = nearest != known.end() && edits(word, *nearest) <= (word.size() > 5 ? 2 : 1);
  return near ? "; did you mean " + *nearest + "?" : "";
}

}  // namespace photofinish

#include "confirm/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

namespace photofinish {
namespace {

// A line as its text without numbers, and the numbers.
struct Words {
  std::string shape;
  std::vector<double> numbers;
  std::string text;
  bool operator<(const Words& other) const {
    return std::tie(numbers, text) < std::tie(other.numbers, other.text);
  }
};

bool starts_number(const std::string& text, std::size_t at) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  const bool sign =
      text[at] == '-' && (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0);
  const std::size_t first = at + (sign ? 1 : 0);
  return digit(first) || (first < text.size() && text[first] == '.' && digit(first + 1));
}

Words words_of(const std::string& text, bool with_numbers) {
  Words words{.shape = {}, .numbers = {}, .text = text};
  for (std::size_t at = 0; at < text.size();) {
    double value = 0;
    if (with_numbers && starts_number(text, at)) {
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
      if (error == std::errc()) {
        words.numbers.push_back(value);
        words.shape += '\0';
        at = static_cast<std::size_t>(end - text.data());
        continue;
      }
    }
    words.shape += text[at++];
  }
  return words;
}

bool near(const Words& a, const Words& b, double tolerance) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const double x = a.numbers[i], y = b.numbers[i];
    if (!(std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y)))) return false;
  }
  return a.numbers.size() == b.numbers.size();
}

using Shapes = std::map<std::string, std::vector<Words>>;

// Without a tolerance, 1 and 1.0 differ.
Shapes by_shape(const std::vector<std::string>& lines, double tolerance) {
  Shapes shapes;
  for (const std::string& line : lines) {
    Words words = words_of(line, tolerance > 0);
    shapes[words.shape].push_back(std::move(words));
  }
  for (auto& [shape, all] : shapes) std::sort(all.begin(), all.end());
  return shapes;
}

// Pairs equal lines, and returns those without a partner.
Difference compare_lines(const std::vector<std::string>& one, const std::vector<std::string>& other,
                         double tolerance) {
  Difference difference;
  Shapes left = by_shape(one, tolerance), right = by_shape(other, tolerance);
  for (auto& [shape, lines] : left) {
    std::vector<Words>& partners = right[shape];
    for (const Words& line : lines) {
      const auto found = std::find_if(partners.begin(), partners.end(), [&](const Words& partner) {
        return near(line, partner, tolerance);
      });
      if (found == partners.end())
        difference.only_one.push_back(line.text);
      else
        partners.erase(found);
    }
  }
  for (const auto& [shape, lines] : right)
    for (const Words& line : lines) difference.only_other.push_back(line.text);
  return difference;
}

// What was printed and written, as lines.
std::vector<std::string> all_lines(const Outcome& outcome) {
  std::vector<std::string> lines = outcome.lines;
  for (const Outcome::File& file : outcome.files) {
    if (!file.there) lines.push_back(file.name + " is not there");
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      lines.push_back(fmt::format("{}:{}: {}", file.name, i + 1, file.lines[i]));
  }
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> without_launcher(std::vector<std::string> lines) {
  const auto mentions = [](const std::string& line, const char* words) {
    return line.find(words) != std::string::npos;
  };
  const auto block = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return mentions(line, "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES");
  });
  if (block == lines.end()) return lines;
  std::erase_if(lines, [&](const std::string& line) {
    return line.empty() || line.starts_with("=   ") ||
           line.find_first_not_of('=') == std::string::npos ||
           mentions(line, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING") ||
           mentions(line, "This typically refers to a problem with your application") ||
           mentions(line, "Please see the FAQ page for debugging suggestions");
  });
  return lines;
}

bool is_of_ucx(const std::string& line) {
  const std::size_t process = line.find("] [");
  return line.starts_with('[') && process != std::string::npos &&
         line.find_first_not_of("0123456789.", 1) == process &&
         line.find(" UCX  ", process) != std::string::npos;
}

// How it ended comes first.
Difference compare(const Outcome& one, const Outcome& other, double tolerance) {
  Difference difference;
  if (ending(one) != ending(other)) {
    difference.only_one.push_back(one.ended ? ending(one) : one.how);
    difference.only_other.push_back(other.ended ? ending(other) : other.how);
  }
  const Difference printed = compare_lines(all_lines(one), all_lines(other), tolerance);
  difference.only_one.insert(difference.only_one.end(), printed.only_one.begin(),
                             printed.only_one.end());
  difference.only_other.insert(difference.only_other.end(), printed.only_other.begin(),
                               printed.only_other.end());
  return difference;
}

bool has_output(const Outcome& outcome) {
  return !outcome.lines.empty() || std::any_of(outcome.files.begin(), outcome.files.end(),
                                               [](const auto& file) { return file.there; });
}

std::string ending(const Outcome& outcome) {
  return outcome.ended ? fmt::format("exit code {}", outcome.code) : "no end";
}

std::string group_of(const std::string& line) { return words_of(line, true).shape; }

std::map<std::string, std::vector<std::string>> grouped_lines(const Outcome& outcome) {
  std::map<std::string, std::vector<std::string>> groups;
  for (std::string& line : all_lines(outcome)) {
    std::string group = group_of(line);
    groups[std::move(group)].push_back(std::move(line));
  }
  return groups;
}

bool same_lines(const std::vector<std::string>& one, const std::vector<std::string>& other,
                double tolerance) {
  return compare_lines(one, other, tolerance).empty();
}

std::vector<std::string> as_lines(const Difference& difference, std::size_t most) {
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<std::string>& from, const char* sign) {
    for (std::size_t i = 0; i < std::min(most, from.size()); ++i)
      lines.push_back(fmt::format("{} {}", sign, from[i]));
    if (from.size() > most)
      lines.push_back(fmt::format("{} … {} more lines", sign, from.size() - most));
  };
  add(difference.only_one, "-");
  add(difference.only_other, "+");
  return lines;
}

}  // namespace photofinish

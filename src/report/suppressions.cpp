#include "report/suppressions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <tuple>

#include "base/printable.h"
#include "report/document.h"
#include "report/files.h"
#include "report/identity.h"
#include "report/site_text.h"

namespace photofinish {
namespace {

struct Prefix {
  std::string_view name;
  Suppression::Kind kind;
};
constexpr Prefix kPrefixes[] = {{"race", Suppression::Kind::Race},
                                {"message_race", Suppression::Kind::MessageRace},
                                {"window", Suppression::Kind::Window}};

// Libraries whose wildcard receives are intended and independent of the message order: each
// receives a whole set of messages and stores each by its source. Races in memory are never
// suppressed by default.
constexpr const char* kBuiltin = R"(# PETSc: who sends to me?
message_race:PetscCommBuildTwoSided*
message_race:MatStashScatterGetMesg*
# hypre: the same
message_race:hypre_DataExchangeList*
)";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A comment begins with # at the start of a line or after a space.
std::string without_comment(const std::string& line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

// A | in a function name (operator|) is written \|.
std::vector<std::string> split_patterns(const std::string& text) {
  std::vector<std::string> patterns(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '|')
      patterns.back() += text[++i];
    else if (text[i] == '|')
      patterns.emplace_back();
    else
      patterns.back() += text[i];
  }
  for (std::string& pattern : patterns) pattern = trimmed(pattern);
  return patterns;
}

bool like(const std::string& pattern, const std::string& text) {
  return !text.empty() && fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool like(const std::string& pattern, const Frame& frame) {
  return like(pattern, frame.function) || like(pattern, frame.file) ||
         like(pattern, base_name(frame.file)) || like(pattern, base_name(frame.module)) ||
         (!frame.file.empty() && like(pattern, location_of(frame)));
}

// Matches the innermost frame of an end, or the innermost frame in the user's code.
bool where_like(const std::string& pattern, const EndDocument& end) {
  return !end.stack.empty() &&
         (like(pattern, end.stack.front()) || like(pattern, *leading_frame(end.stack)));
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::strchr("*?[\\|", c) != nullptr) text += '\\';
    text += c;
  }
  return text;
}

// The most stable name of a call site: its function; otherwise its location. Lines move.
std::string by_function(const Frame& frame) {
  return escaped(!frame.function.empty() ? frame.function
                 : !frame.file.empty()   ? base_name(frame.file)
                                         : location_of(frame));
}
std::string by_line(const Frame& frame) { return escaped(location_of(frame)); }

// "race:push|pop"; empty if there is nothing that a suppression could name.
std::string suppression_line(const FindingDocument& finding,
                             std::string (*pattern_of)(const Frame& frame)) {
  std::vector<std::string> patterns;
  for (const EndDocument& end : finding.ends)
    if (const Frame* frame = leading_frame(end.stack)) patterns.push_back(pattern_of(*frame));
  if (finding.kind == FindingKind::MessageRace && !patterns.empty())
    return "message_race:" + patterns.front();
  if (finding.kind != FindingKind::MessageRace && patterns.size() == 2)
    return "race:" + patterns[0] + "|" + patterns[1];
  if (finding.memory && !finding.memory->window.empty()) return "window:" + finding.memory->window;
  return "";
}

}  // namespace

constexpr std::size_t kShownLine = 80;  // bytes, in an error

Result<std::vector<Suppression>> parse_suppressions(const std::string& text,
                                                    const std::string& file) {
  std::vector<Suppression> all;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    const auto known =
        std::find_if(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](const Prefix& prefix) { return prefix.name == line.substr(0, colon); });
    if (colon == line.npos || known == std::end(kPrefixes))
      return Error{
          fmt::format("{}:{}: '{}' is not a suppression: write race:, message_race: or window: and "
                      "a pattern, such as race:exchange_rows",
                      file, number, printable(line.substr(0, kShownLine)))};
    Suppression suppression{.kind = known->kind,
                            .patterns = split_patterns(line.substr(colon + 1)),
                            .text = line,
                            .file = file,
                            .line = number};
    if (std::any_of(suppression.patterns.begin(), suppression.patterns.end(),
                    [](const std::string& pattern) { return pattern.empty(); }))
      return Error{fmt::format(
          "{}:{}: '{}' has an empty pattern: it would match nothing; write * for everything", file,
          number, line)};
    if (suppression.patterns.size() > (known->kind == Suppression::Kind::Race ? 2 : 1))
      return Error{
          fmt::format("{}:{}: '{}' has too many patterns: race: takes up to two, one for each "
                      "access; the others take one",
                      file, number, printable(line.substr(0, kShownLine)))};
    all.push_back(std::move(suppression));
  }
  return all;
}

Result<std::vector<Suppression>> read_suppressions(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return Error{"cannot read the suppressions " + text.error().message};
  return parse_suppressions(*text, path);
}

std::vector<Suppression> builtin_suppressions() {
  auto all = parse_suppressions(kBuiltin, "built-in");
  CHECK(all);
  return *all;
}

bool matches(const Suppression& suppression, const FindingDocument& finding) {
  const bool of_messages = finding.kind == FindingKind::MessageRace;
  if (suppression.kind == Suppression::Kind::Window)
    return finding.memory && like(suppression.patterns[0], finding.memory->window);
  if (of_messages != (suppression.kind == Suppression::Kind::MessageRace)) return false;
  if (suppression.patterns.size() == 1)
    return std::any_of(finding.ends.begin(), finding.ends.end(), [&](const EndDocument& end) {
      return std::any_of(end.stack.begin(), end.stack.end(),
                         [&](const Frame& frame) { return like(suppression.patterns[0], frame); });
    });
  const EndDocument &a = finding.ends[0], &b = finding.ends[1];
  const auto& [one, other] = std::tie(suppression.patterns[0], suppression.patterns[1]);
  return (where_like(one, a) && where_like(other, b)) ||
         (where_like(one, b) && where_like(other, a));
}

void apply_suppressions(std::vector<Suppression>& suppressions,
                        std::vector<FindingDocument>& findings) {
  for (FindingDocument& finding : findings)
    for (std::size_t i = 0; i < suppressions.size() && !finding.suppressed_by; ++i)
      if (matches(suppressions[i], finding)) {
        finding.suppressed_by = i;
        ++suppressions[i].used;
      }
}

std::string suppressions_for(const std::vector<const FindingDocument*>& findings,
                             const std::vector<FindingDocument>& all) {
  struct Written {
    std::string line, numbers, title;
  };
  std::vector<Written> written;
  for (const FindingDocument* finding : findings) {
    const std::string number = fmt::format("F{}", finding->number);
    std::string line = suppression_line(*finding, by_function);
    const auto parsed = parse_suppressions(line, "");
    const bool hides_another =
        parsed && !parsed->empty() &&
        std::any_of(all.begin(), all.end(), [&](const FindingDocument& other) {
          return &other != finding && matches(parsed->front(), other);
        });
    if (hides_another) line = suppression_line(*finding, by_line);
    const auto same = std::find_if(written.begin(), written.end(), [&](const Written& one) {
      return !line.empty() && one.line == line;
    });
    if (same != written.end())
      same->numbers += ", " + number;
    else
      written.push_back(
          {line, number,
           line.empty() ? "no function, file or window name to suppress by" : title_of(*finding)});
  }
  std::string text;
  for (const Written& one : written)
    text += fmt::format("# {}: {}\n{}{}", one.numbers, one.title, one.line,
                        one.line.empty() ? "" : "\n");
  return text;
}

}  // namespace photofinish

#include "report/call_text.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "base/printable.h"
#include "frontend/call_table.h"

namespace photofinish {
namespace {

constexpr std::uintmax_t kLargestFile = 64 << 20;
constexpr std::size_t kLongestLine = 120;  // bytes
constexpr std::size_t kMostArguments = 32;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    items.push_back(trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return items;
}

// `changed`: set if the file is newer than the run. It then has no lines.
std::vector<std::string> read_lines(const std::string& path, std::uint64_t started_ns,
                                    bool& changed) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uintmax_t>(status.st_size) > kLargestFile)
    return {};
  const std::uint64_t modified = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                                 static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  changed = started_ns > 0 && modified > started_ns;
  if (changed) return {};
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  return lines;
}

// The offset at which the comment of a line begins; its size if there is none.
std::size_t code_end(const std::string& line, bool fortran) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == '\\' && !fortran)
        ++i;
      else if (line[i] == quote)
        quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (fortran ? line[i] == '!' : line.compare(i, 2, "//") == 0) {
      return i;
    }
  }
  return line.size();
}

std::string without_block_comments(std::string text) {
  for (std::size_t begin; (begin = text.find("/*")) != text.npos;) {
    const std::size_t end = text.find("*/", begin + 2);
    text.erase(begin, end == text.npos ? text.npos : end + 2 - begin);
  }
  return text;
}

// The code of the lines as one text, without Fortran continuation marks.
std::string code_of(const std::vector<std::string>& lines, bool fortran) {
  std::string text;
  for (const std::string& line : lines) {
    std::string code = trimmed(line.substr(0, code_end(line, fortran)));
    if (fortran && code.ends_with('&')) code.pop_back();
    if (fortran && code.starts_with('&')) code.erase(0, 1);
    text += code + "\n";
  }
  return fortran ? text : without_block_comments(text);
}

// The text with the contents of string literals blanked out.
std::string without_strings(std::string text, bool fortran) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0) {
      if (c == '"' || c == '\'') quote = c;
      continue;
    }
    if (c == quote) quote = 0;
    if (c == '\\' && !fortran && i + 1 < text.size()) text[i++] = ' ';
    if (quote != 0) text[i] = ' ';
  }
  return text;
}

std::string argument_with(std::string_view role, const std::vector<std::string>& roles,
                          const std::vector<std::string>& arguments) {
  const auto found = std::find(roles.begin(), roles.end(), role);
  const auto index = static_cast<std::size_t>(found - roles.begin());
  return found == roles.end() || index >= arguments.size() ? "" : arguments[index];
}

}  // namespace

std::vector<std::string> SourceLines::from(const Frame& frame, std::size_t lines) {
  if (frame.file.empty() || frame.line <= 0) return {};
  const auto [file, is_new] = files_.try_emplace(frame.file);
  if (is_new) file->second.lines = read_lines(frame.file, started_ns_, file->second.changed);
  const std::vector<std::string>& all = file->second.lines;
  const auto first = static_cast<std::size_t>(frame.line) - 1;
  if (first >= all.size()) {
    auto stored =
        saved_ ? saved_->lines(frame.file, frame.line, lines) : std::vector<std::string>();
    if (stored.empty() && file->second.changed) changed_.insert(frame.file);
    return stored;
  }
  const std::size_t end = std::min(all.size(), first + lines);
  std::vector<std::string> wanted(all.begin() + static_cast<std::ptrdiff_t>(first),
                                  all.begin() + static_cast<std::ptrdiff_t>(end));
  if (saved_) saved_->add_lines(frame.file, frame.line, wanted);
  return wanted;
}

std::string SourceLines::line_of(const Frame& frame) {
  const std::vector<std::string> lines = from(frame, 1);
  if (lines.empty()) return "";
  std::string text = trimmed(lines.front());
  if (text.size() > kLongestLine) {
    std::size_t end = kLongestLine;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end) + " …";
  }
  return printable(text);
}

std::vector<std::string> arguments_of_call(const std::vector<std::string>& lines,
                                           std::string_view function, bool fortran) {
  if (lines.empty()) return {};
  const std::string text = code_of(lines, fortran);
  const std::string code = without_strings(text, fortran);
  const std::string searched = fortran ? lower(code) : code;
  const std::string name = fortran ? lower(function) : std::string(function);
  const std::size_t first_line = text.find('\n');
  std::size_t at = searched.find(name);
  while (at != text.npos && at < first_line &&
         ((at > 0 && is_word(text[at - 1])) || is_word(text[at + name.size()])))
    at = searched.find(name, at + 1);
  if (at == text.npos || at >= first_line) return {};
  at = text.find_first_not_of(" \t\n", at + name.size());
  if (at == text.npos || text[at] != '(') return {};
  std::vector<std::string> arguments;
  int depth = 0;
  std::size_t begin = at + 1;
  for (std::size_t i = at; i < text.size() && arguments.size() < kMostArguments; ++i) {
    const char c = code[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if ((c == ',' && depth == 1) || depth == 0) {
      std::string argument = trimmed(std::string_view(text).substr(begin, i - begin));
      std::replace(argument.begin(), argument.end(), '\n', ' ');
      arguments.push_back(std::move(argument));
      begin = i + 1;
      if (depth == 0) return arguments;
    }
  }
  return {};
}

std::string buffer_argument(Call call, bool written, const std::vector<std::string>& arguments) {
  const std::vector<std::string> roles = list_of(argument_roles(call));
  const std::string into = argument_with("RecvBuf", roles, arguments);
  if (written) return into;
  const std::string from = argument_with("SendBuf", roles, arguments);
  if (!argument_with("CompareBuf", roles, arguments).empty()) return "";  // one of two buffers
  return from.empty() || lower(from) == "mpi_in_place" ? into : from;
}

std::string window_argument(Call call, const std::vector<std::string>& arguments) {
  return argument_with("WinBase", list_of(argument_roles(call)), arguments);
}

std::string variable_of(std::string_view expression) {
  if (expression.starts_with('&')) expression.remove_prefix(1);
  const std::string text = trimmed(expression);
  if (text.empty() || !is_word(text[0]) || std::isdigit(static_cast<unsigned char>(text[0])) != 0)
    return "";
  return text.substr(0, static_cast<std::size_t>(
                            std::find_if_not(text.begin(), text.end(), is_word) - text.begin()));
}

bool is_own_memory(std::string_view expression, const Variable& variable, bool fortran) {
  if (variable.is_pointer) return false;
  if (fortran) return true;
  const bool of_address = expression.starts_with('&');
  std::string_view rest = expression.substr(of_address ? 1 : 0);
  if (rest.find("->") != rest.npos || rest.find('(') != rest.npos || rest.find("::") != rest.npos ||
      variable_of(expression) != rest.substr(0, variable.name.size()))
    return false;
  rest.remove_prefix(variable.name.size());
  if (variable.is_array) {
    if (rest.find('.') != rest.npos) return false;  // a member may be a pointer
    return of_address || rest.find('[') == rest.npos || !variable.of_pointers;
  }
  return of_address && rest.find('[') == rest.npos;
}

bool is_fortran_source(std::string_view file) {
  const std::string ending = lower(file.substr(std::min(file.size(), file.rfind('.'))));
  return ending.starts_with(".f") || ending == ".for" || ending == ".ftn";
}

}  // namespace photofinish

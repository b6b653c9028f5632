#include "upc/diagnostics.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <regex>
#include <sstream>

#include "upc_runtime/layout.h"

namespace photofinish::upc {
namespace {

struct Phrase {
  const char* clang;
  const char* upc;
};

constexpr std::array<Phrase, 11> kPhrases{{
    {"automatic variable qualified with an address space",
     "a shared variable cannot be automatic: declare it static, or outside of functions"},
    {"parameter may not be qualified with an address space",
     "a parameter cannot be shared: pass a pointer to shared"},
    {"field may not be qualified with an address space",
     "a member of a struct cannot be shared: declare the whole struct shared, or use a pointer to "
     "shared"},
    {"function type may not be qualified with an address space",
     "a function cannot return a shared object: return a pointer to shared"},
    {"address space is larger than the maximum supported \\(8388586\\)",
     "the block is too large: its size must be below 2 MiB, or a power of two from 32 on times a "
     "number below 131072"},
    {"changes address space of pointer",
     "changes the block size, or private and shared: use a cast"},
    {"changes address space of nested pointer",
     "changes the block size, or private and shared, of the target of a pointer: use a cast"},
    {"which are pointers to non-overlapping address spaces",
     "which are pointers with different block sizes, or private and shared: use a cast"},
    {"multiple address spaces specified for type", "two layouts for one type"},
    {"'__upc_shared_void' \\(aka 'unsigned _BitInt\\(120\\)'\\)", "'shared void *'"},
    {"__upc_shared_void", "shared void *"},
}};

// Bytes of types whose block size can be shown in elements.
std::uint64_t element_bytes(const std::string& type) {
  const std::array<std::pair<const char*, std::uint64_t>, 10> sizes{{{"char", 1},
                                                                     {"unsigned char", 1},
                                                                     {"short", 2},
                                                                     {"unsigned short", 2},
                                                                     {"int", 4},
                                                                     {"unsigned int", 4},
                                                                     {"float", 4},
                                                                     {"long", 8},
                                                                     {"unsigned long", 8},
                                                                     {"double", 8}}};
  for (const auto& [name, bytes] : sizes)
    if (type == name) return bytes;
  return 0;
}

std::string shared_type(unsigned space, const std::string& type) {
  if (is_incomplete_space(space)) return "shared " + type;
  const std::uint64_t block = block_bytes_of(space), element = element_bytes(type);
  if (block == 0) return "shared [] " + type;
  if (element == 0 || block % element != 0)
    return "shared [" + std::to_string(block) + " bytes] " + type;
  return block == element ? "shared " + type
                          : "shared [" + std::to_string(block / element) + "] " + type;
}

// '__attribute__((address_space(4100))) int *' is 'shared int *'.
std::string with_shared_types(std::string line) {
  static const std::regex attribute(
      "__attribute__\\(\\(address_space\\((\\d+)\\)\\)\\) ((?:unsigned )?(?:struct )?\\w+)");
  static const std::regex trailing("__attribute__\\(\\(address_space\\((\\d+)\\)\\)\\)");
  std::smatch match;
  while (std::regex_search(line, match, attribute)) {
    const unsigned space = static_cast<unsigned>(std::stoul(match[1]));
    const std::string words =
        is_shared_space(space) ? shared_type(space, match[2]) : std::string(match[2]);
    line = match.prefix().str() + words + match.suffix().str();
  }
  return std::regex_replace(line, trailing, "shared");
}

std::string translated(const std::string& line) {
  static const std::array<std::regex, kPhrases.size()> patterns = [] {
    std::array<std::regex, kPhrases.size()> result;
    for (std::size_t i = 0; i < kPhrases.size(); ++i) result[i] = std::regex(kPhrases[i].clang);
    return result;
  }();
  std::string result = with_shared_types(line);
  for (std::size_t i = 0; i < kPhrases.size(); ++i)
    result = std::regex_replace(result, patterns[i], kPhrases[i].upc);
  return result;
}

// The line of the user's file and a mark below the column, as clang shows them.
std::string excerpt(const std::string& file, int line, int column) {
  std::ifstream in(file);
  std::string text;
  for (int i = 0; i < line; ++i)
    if (!std::getline(in, text)) return "";
  std::string mark;
  for (int i = 1; i < column; ++i)
    mark +=
        static_cast<std::size_t>(i) <= text.size() && text[static_cast<std::size_t>(i) - 1] == '\t'
            ? '\t'
            : ' ';
  const std::string number = std::to_string(line);
  return " " + number + " | " + text + "\n " + std::string(number.size(), ' ') + " | " + mark +
         "^\n";
}

}  // namespace

std::string in_upc_words(const std::string& text) {
  static const std::regex location("^([^:]+):(\\d+):(\\d+): (error|warning|fatal error|note): ");
  // An error of the pass has the location in its text. Clang shows another one, and says so in a
  // note.
  static const std::regex of_pass(".*error: .*\\[(.+):(\\d+):(\\d+)\\] (.*)$");
  static const std::regex unknown(".*note: could not determine the original source location.*");
  static const std::regex of_prelude("^.*photofinish/upc/prelude\\.h:.*");
  std::istringstream in(text);
  std::string line, result;
  while (std::getline(in, line)) {
    line = translated(line);
    std::smatch match;
    if (std::regex_match(line, unknown) || std::regex_match(line, of_prelude)) continue;
    if (std::regex_match(line, match, of_pass))
      result += error_text(match[1], std::stoi(match[2]), std::stoi(match[3]), match[4]);
    else if (std::regex_search(line, match, location))
      result += line + "\n" + excerpt(match[1], std::stoi(match[2]), std::stoi(match[3]));
    else
      result += line + "\n";
  }
  return result;
}

std::string error_text(const std::string& file, int line, int column, const std::string& text) {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": error: " + text +
         "\n" + excerpt(file, line, column);
}

}  // namespace photofinish::upc

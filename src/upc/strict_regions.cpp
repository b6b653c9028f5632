#include "upc/strict_regions.h"

#include <vector>

namespace photofinish::upc {
namespace {

struct Region {
  int file, first, last;
};

std::string second_word(const std::string& text, std::size_t from) {
  const std::size_t begin = text.find_first_not_of(" \t", from);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_first_of(" \t", begin) - begin);
}

// `strict` of #pragma upc strict; nothing for other directives.
std::string mode_of(const Token& token) {
  std::size_t at = token.text.find("pragma");
  if (token.kind != Token::Kind::Directive || at == std::string::npos) return "";
  at = token.text.find("upc", at + 6);
  if (at == std::string::npos || second_word(token.text, token.text.find("pragma") + 6) != "upc")
    return "";
  const std::string mode = second_word(token.text, at + 3);
  return mode.empty() ? "?" : mode;
}

}  // namespace

bool is_upc_pragma(const Token& token) { return !mode_of(token).empty(); }

std::string strict_regions(const Tokens& tokens) {
  std::vector<Region> regions;
  std::vector<bool> outer;
  bool strict = false, extends = false;
  for (const Token& token : tokens.list) {
    if (const std::string mode = mode_of(token); !mode.empty()) strict = mode == "strict";
    if (token.is("{")) outer.push_back(strict);
    if (strict && !token.at.system) {
      extends =
          extends && regions.back().file == token.at.file && token.at.line >= regions.back().last;
      if (!extends) regions.push_back({token.at.file, token.at.line, 0});
      regions.back().last = token.at.line;
    }
    extends = strict;
    if (token.is("}") && !outer.empty()) {
      strict = outer.back();
      outer.pop_back();
    }
  }
  std::string text;
  for (const Region& one : regions) {
    const std::string& quoted = tokens.files[static_cast<std::size_t>(one.file)];
    text += std::to_string(one.first) + " " + std::to_string(one.last) + " " +
            quoted.substr(1, quoted.size() - 2) + "\\n";
  }
  return text;
}

}  // namespace photofinish::upc

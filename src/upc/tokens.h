// The tokens of a preprocessed C file, with their lines and columns in the user's files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::upc {

struct Location {
  int file = 0;  // index in Tokens::files
  int line = 0;
  int column = 0;
  bool system = false;  // in a header of the system
};

struct Token {
  enum class Kind { Word, Number, Text, Punctuation, Directive };
  Kind kind;
  std::string text;
  Location at;

  bool is(std::string_view other) const { return text == other && kind != Kind::Text; }
  bool is_word() const { return kind == Kind::Word; }
};

using TokenList = std::vector<Token>;

struct Tokens {
  std::vector<std::string> files;  // as in line markers, with quotes
  TokenList list;
};

// `source` is the output of clang -E. Line markers set locations; other directives are tokens.
Tokens read_tokens(std::string_view source);

// The text of the tokens, with line markers, so that each token keeps its file, line and, where
// there is space, its column.
std::string write_tokens(const Tokens& tokens);

// Tokens joined by spaces.
std::string joined(const TokenList& tokens);

}  // namespace photofinish::upc

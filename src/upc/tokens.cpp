#include "upc/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace photofinish::upc {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool in_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)); }

constexpr std::array<std::string_view, 23> kPunctuation{
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  Tokens run() {
    while (position_ < source_.size()) line();
    return std::move(tokens_);
  }

 private:
  void line() {
    const std::size_t end = std::min(source_.find('\n', position_), source_.size());
    std::string_view text = source_.substr(position_, end - position_);
    position_ = end + 1;
    const std::size_t first = text.find_first_not_of(" \t");
    if (first != std::string_view::npos && text[first] == '#') {
      directive(text.substr(first));
      return;
    }
    split(text);
    ++at_.line;
  }

  void directive(std::string_view text) {
    std::size_t digits = text.find_first_not_of("# \t");
    if (digits != std::string_view::npos &&
        std::isdigit(static_cast<unsigned char>(text[digits]))) {
      marker(text.substr(digits));
      return;
    }
    at_.column = 1;
    tokens_.list.push_back({Token::Kind::Directive, std::string(text), at_});
    ++at_.line;
  }

  // 12 "file.h" 1 3: the line that follows, and flags; 3 is a system header.
  void marker(std::string_view text) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), at_.line);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const std::size_t open = text.find('"');
    const std::size_t close = text.rfind('"');
    if (open == std::string_view::npos || close <= open) return;
    const std::string name(text.substr(open, close - open + 1));
    at_.system = text.substr(close).find('3') != std::string_view::npos;
    const auto found = std::find(tokens_.files.begin(), tokens_.files.end(), name);
    at_.file = static_cast<int>(found - tokens_.files.begin());
    if (found == tokens_.files.end()) tokens_.files.push_back(name);
  }

  void split(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
      if (std::isspace(static_cast<unsigned char>(text[i]))) {
        ++i;
        continue;
      }
      at_.column = static_cast<int>(i) + 1;
      const auto [kind, length] = measure(text.substr(i));
      tokens_.list.push_back({kind, std::string(text.substr(i, length)), at_});
      i += length;
    }
  }

  static std::pair<Token::Kind, std::size_t> measure(std::string_view text) {
    std::size_t n = 0;
    if (starts_word(text[0])) {
      while (n < text.size() && in_word(text[n])) ++n;
      // A prefix of a string: L"", u8"".
      if (n < text.size() && n <= 2 && (text[n] == '"' || text[n] == '\''))
        return {Token::Kind::Text, n + quoted(text.substr(n))};
      return {Token::Kind::Word, n};
    }
    if (std::isdigit(static_cast<unsigned char>(text[0])) ||
        (text[0] == '.' && text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[1])))) {
      for (n = 1; n < text.size(); ++n) {
        const bool sign = (text[n] == '+' || text[n] == '-') &&
                          std::string_view("eEpP").find(text[n - 1]) != std::string_view::npos;
        if (!in_word(text[n]) && text[n] != '.' && !sign) break;
      }
      return {Token::Kind::Number, n};
    }
    if (text[0] == '"' || text[0] == '\'') return {Token::Kind::Text, quoted(text)};
    for (const std::string_view one : kPunctuation)
      if (text.starts_with(one)) return {Token::Kind::Punctuation, one.size()};
    return {Token::Kind::Punctuation, 1};
  }

  static std::size_t quoted(std::string_view text) {
    std::size_t n = 1;
    while (n < text.size() && text[n] != text[0]) n += text[n] == '\\' ? 2 : 1;
    return std::min(n + 1, text.size());
  }

  std::string_view source_;
  std::size_t position_ = 0;
  Location at_;
  Tokens tokens_;
};

class Writer {
 public:
  explicit Writer(const std::vector<std::string>& files) : files_(files) {}

  void add(const Token& token) {
    move_to(token);
    text_ += token.text;
    column_ += static_cast<int>(token.text.size());
    if (token.kind == Token::Kind::Directive) {
      text_ += '\n';
      ++at_.line;
      column_ = 1;
    }
  }

  std::string take() {
    text_ += '\n';
    return std::move(text_);
  }

 private:
  void move_to(const Token& token) {
    const Location& to = token.at;
    const bool near = to.file == at_.file && to.system == at_.system && to.line >= at_.line &&
                      to.line < at_.line + 8;
    const bool same = near && written_at_ == std::pair(to.line, to.column);
    const bool joins =
        to.column == column_ && !text_.empty() && in_word(text_.back()) && in_word(token.text[0]);
    const bool fits = to.line > at_.line || same || (to.column >= column_ && !joins);
    if (!near || !fits) {
      if (column_ > 1) text_ += '\n';
      text_ += "# " + std::to_string(to.line) + " " + files_[static_cast<std::size_t>(to.file)] +
               (to.system ? " 3\n" : "\n");
      at_ = to;
      column_ = 1;
    }
    for (; at_.line < to.line; ++at_.line) {
      text_ += '\n';
      column_ = 1;
    }
    // Tokens that replace one token share its location: they follow each other.
    if (same && column_ > 1) {
      text_ += ' ';
      ++column_;
    }
    while (column_ < to.column) {
      text_ += ' ';
      ++column_;
    }
    written_at_ = {to.line, to.column};
  }

  const std::vector<std::string>& files_;
  std::string text_;
  Location at_{.file = -1};
  int column_ = 1;
  std::pair<int, int> written_at_{0, 0};
};

}  // namespace

Tokens read_tokens(std::string_view source) { return Reader(source).run(); }

std::string write_tokens(const Tokens& tokens) {
  Writer writer(tokens.files);
  for (const Token& token : tokens.list) writer.add(token);
  return writer.take();
}

std::string joined(const TokenList& tokens) {
  std::string text;
  for (const Token& token : tokens) text += (text.empty() ? "" : " ") + token.text;
  return text;
}

}  // namespace photofinish::upc

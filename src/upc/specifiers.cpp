#include "upc/specifiers.h"

#include <algorithm>
#include <initializer_list>

#include "upc_runtime/layout.h"

namespace photofinish::upc {
namespace {

bool one_of(const Token& token, std::initializer_list<std::string_view> words) {
  return token.is_word() && std::find(words.begin(), words.end(), token.text) != words.end();
}

void prepend(TokenList& list, const Token& token) { list.insert(list.begin(), token); }

// Takes `struct tag {…}` from the end of `out`.
bool take_body(TokenList& out, Specifiers& specifiers) {
  std::size_t depth = 0, open = out.size();
  while (open-- > 0) {
    if (out[open].is("}")) ++depth;
    if (out[open].is("{") && --depth == 0) break;
  }
  if (depth != 0 || open == 0) return false;
  std::size_t start = open - 1;
  if (!is_tag_keyword(out[start]) && start > 0) --start;
  if (!is_tag_keyword(out[start])) return false;
  const auto at = [&](std::size_t index) {
    return out.begin() + static_cast<std::ptrdiff_t>(index);
  };
  specifiers.type.assign(at(start), at(open));
  specifiers.body.assign(at(open), out.end());
  out.resize(start);
  return true;
}

}  // namespace

bool Specifiers::is_generic() const {
  return shared && !of_pointer && type.size() == 1 && type[0].is("void");
}

bool Specifiers::is_typedef() const {
  return std::any_of(storage.begin(), storage.end(),
                     [](const Token& one) { return one.is("typedef"); });
}

bool Specifiers::is_definite_by_size() const {
  return layout && layout->size() == 1 && layout->front().is("*");
}

bool is_qualifier_of_upc(const Token& token) {
  return one_of(token, {"shared", "strict", "relaxed"});
}

bool is_storage_class(const Token& token) {
  return one_of(token, {"static", "extern", "typedef", "register", "auto", "inline", "__inline",
                        "__inline__", "__thread", "_Thread_local", "__extension__"});
}

bool is_type_qualifier(const Token& token) {
  return one_of(token, {"const", "volatile", "restrict", "__const", "__restrict", "__volatile__"});
}

bool is_type_word(const Token& token) {
  return one_of(token,
                {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
                 "_Bool", "_Complex", "__int128", "__signed__", "_Float128", "__float128"});
}

bool is_tag_keyword(const Token& token) { return one_of(token, {"struct", "union", "enum"}); }

bool is_keyword(const Token& token) {
  return one_of(token, {"return", "else", "do", "case", "default", "goto", "if", "while", "for",
                        "switch", "break", "continue", "sizeof", "_Alignof", "upc_forall",
                        "upc_barrier", "upc_notify", "upc_wait", "upc_fence"});
}

std::size_t after_bracket(const TokenList& list, std::size_t open) {
  std::size_t depth = 0, i = open;
  for (; i < list.size(); ++i) {
    if (list[i].is("(") || list[i].is("[") || list[i].is("{")) ++depth;
    if ((list[i].is(")") || list[i].is("]") || list[i].is("}")) && --depth == 0) return i + 1;
  }
  return i;
}

void take_preceding(TokenList& out, Specifiers& specifiers) {
  while (!out.empty()) {
    const Token last = out.back();
    if (is_storage_class(last)) {
      prepend(specifiers.storage, last);
    } else if (is_type_qualifier(last)) {
      prepend(specifiers.qualifiers, last);
    } else if (is_type_word(last)) {
      prepend(specifiers.type, last);
    } else if (last.is("}") && specifiers.type.empty()) {
      if (!take_body(out, specifiers)) return;
      continue;
    } else if (last.is_word() && !is_keyword(last) && specifiers.type.empty()) {
      prepend(specifiers.type, last);
      if (out.size() > 1 && is_tag_keyword(out[out.size() - 2])) {
        out.pop_back();
        prepend(specifiers.type, out.back());
      }
    } else {
      specifiers.of_pointer = last.is("*") && specifiers.type.empty();
      return;
    }
    out.pop_back();
  }
}

std::string IncompleteLayouts::resolve(const TokenList& type) const {
  const std::string text = joined(type);
  const auto found = names_.find(text);
  return found == names_.end() ? text : found->second;
}

void IncompleteLayouts::note_use(const TokenList& list, std::size_t at,
                                 std::set<std::string>& used) {
  TokenList type;
  std::size_t i = at;
  while (i < list.size() &&
         (is_qualifier_of_upc(list[i]) || is_type_qualifier(list[i]) || list[i].is("[")))
    i = list[i].is("[") ? after_bracket(list, i) : i + 1;
  if (i < list.size() && !is_tag_keyword(list[i]) && !is_type_word(list[i]) && list[i].is_word())
    type = {list[i]};
  if (i + 1 < list.size() && is_tag_keyword(list[i])) type = {list[i], list[i + 1]};
  if (at >= 2 && list[at - 1].is_word() && is_tag_keyword(list[at - 2]))
    type = {list[at - 2], list[at - 1]};
  const std::string name = resolve(type);
  if (name.find(' ') != std::string::npos && !complete_.contains(name)) used.insert(name);
}

// A struct that begins at `at`: is complete after its body; typedef struct tag name.
std::size_t IncompleteLayouts::note_tag(const TokenList& list, std::size_t at) {
  if (at + 2 >= list.size() || !list[at + 1].is_word()) return at + 1;
  const std::string name = list[at].text + " " + list[at + 1].text;
  std::size_t after = at + 2;
  if (list[after].is("{")) {
    const std::size_t end = after_bracket(list, after);
    for (std::size_t i = after + 1; i < end; ++i) {
      if (is_tag_keyword(list[i])) i = note_tag(list, i) - 1;
      if (list[i].is("shared")) note_use(list, i, early_);
    }
    complete_.insert(name);
    after = end;
  }
  if (at > 0 && list[at - 1].is("typedef") && after < list.size() && list[after].is_word())
    names_[list[after].text] = name;
  return after;
}

void IncompleteLayouts::scan(const TokenList& list) {
  for (std::size_t i = 0; i < list.size();) {
    if (list[i].is("shared")) note_use(list, i, early_);
    i = is_tag_keyword(list[i]) ? note_tag(list, i) : i + 1;
  }
}

std::optional<std::string> IncompleteLayouts::tag_of(const TokenList& type) const {
  const std::string name = resolve(type);
  return early_.contains(name) ? std::optional(name) : std::nullopt;
}

unsigned IncompleteLayouts::number(const std::string& tag, const std::string& elements) {
  const auto next = kFirstIncomplete + static_cast<unsigned>(numbers_.size());
  return numbers_.try_emplace({tag, elements}, next).first->second;
}

std::string IncompleteLayouts::definitions() const {
  std::string text;
  for (const auto& [layout, number] : numbers_)
    if (complete_.contains(layout.first))
      text += "static const unsigned long __upc_layout_" + std::to_string(number) +
              " __attribute__((used)) = (" + layout.second + ") * sizeof(" + layout.first + ");\n";
  return text;
}

}  // namespace photofinish::upc

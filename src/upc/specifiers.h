// The declaration specifiers around the word `shared`, in any order: static const shared [4] struct
// s int …
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "upc/tokens.h"

namespace photofinish::upc {

struct Specifiers {
  Location at;
  TokenList storage;     // static, extern, typedef, attributes
  TokenList qualifiers;  // const, volatile, restrict
  TokenList type;        // unsigned long; struct s; a typedef's name
  TokenList body;        // of a struct, a union or an enum, with its braces
  bool shared = false;
  bool strict = false;
  bool of_pointer = false;          // the qualifier follows a *
  bool shared_type = false;         // the type is a typedef of a shared type
  std::optional<TokenList> layout;  // between brackets

  bool is_generic() const;  // shared void
  bool is_typedef() const;
  bool is_definite_by_size() const;  // [*]
};

bool is_qualifier_of_upc(const Token& token);  // shared, strict, relaxed
bool is_storage_class(const Token& token);
bool is_type_qualifier(const Token& token);
bool is_type_word(const Token& token);  // int, unsigned
bool is_tag_keyword(const Token& token);
bool is_keyword(const Token& token);  // of statements and operators: no name of a type

// The index after the bracket that closes list[open].
std::size_t after_bracket(const TokenList& list, std::size_t open);

// Takes the specifiers at the end of `out` that belong to those that follow.
void take_preceding(TokenList& out, Specifiers& specifiers);

// Structs and unions that are used in a layout before they are complete. Clang cannot compute the
// size of such a block, so that the layout gets a number of its own; the pass learns its size from
// a variable at the end of the file.
class IncompleteLayouts {
 public:
  void scan(const TokenList& list);
  // The name of the struct, if layouts of this type need a number.
  std::optional<std::string> tag_of(const TokenList& type) const;
  unsigned number(const std::string& tag, const std::string& elements);
  // Declarations that tell the pass the sizes.
  std::string definitions() const;

 private:
  std::string resolve(const TokenList& type) const;
  void note_use(const TokenList& list, std::size_t at, std::set<std::string>& used);
  std::size_t note_tag(const TokenList& list, std::size_t at);

  std::map<std::string, std::string> names_;  // typedef to "struct tag"
  std::set<std::string> complete_, early_;
  std::map<std::pair<std::string, std::string>, unsigned> numbers_;
};

}  // namespace photofinish::upc

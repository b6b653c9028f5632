#include "upc/rewriter.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "upc/specifiers.h"
#include "upc/strict_regions.h"
#include "upc/tokens.h"

namespace photofinish::upc {
namespace {

constexpr std::string_view kIndefinite = "__upc_indefinite";

Token made(std::string text, const Location& at) {
  return {Token::Kind::Word, std::move(text), at};
}

void append(TokenList& to, const TokenList& from) { to.insert(to.end(), from.begin(), from.end()); }

bool has_threads(const TokenList& list) {
  for (const Token& token : list)
    if (token.is("THREADS")) return true;
  return false;
}

TokenList with_one_thread(TokenList list) {
  for (Token& token : list)
    if (token.is("THREADS")) token.text = "1";
  return list;
}

class Rewriter {
 public:
  Rewriter(Tokens& tokens, const RewriteOptions& options)
      : tokens_(tokens), list_(tokens.list), options_(options) {
    layouts_.scan(list_);
  }

  TokenList run() { return range(0, list_.size()); }
  std::vector<RewriteError> take_errors() { return std::move(errors_); }
  std::string definitions() const { return layouts_.definitions(); }

 private:
  // A shared array whose size depends on THREADS, which is not constant. Clang sees the array for
  // one thread; where the program uses it, it is cast to an array of variable length.
  struct Scaled {
    std::string type, one, all;
  };
  // What upc_blocksizeof and its relatives need.
  struct Shape {
    std::string elements, type;
  };
  struct Declarator {
    TokenList tokens;  // until , or ;
    TokenList prefix;  // * and qualifiers before the name
    std::string name;
    TokenList dimensions;         // with brackets
    bool shared_pointer = false;  // the prefix ends with a pointer that is shared itself
  };

  void fail(const Location& at, std::string text) {
    errors_.push_back(
        {tokens_.files[static_cast<std::size_t>(at.file)], at.line, at.column, std::move(text)});
  }

  TokenList range(std::size_t begin, std::size_t end) {
    TokenList out;
    for (std::size_t i = begin; i < end;) i = step(i, end, out);
    return out;
  }

  // Rewrites what begins at i, and returns the index of what follows.
  std::size_t step(std::size_t i, std::size_t end, TokenList& out) {
    const Token& token = list_[i];
    if (token.at.system) return copy(i, out);
    if (token.kind == Token::Kind::Directive) {
      if (!is_upc_pragma(token)) out.push_back(token);
      return i + 1;
    }
    if (is_qualifier_of_upc(token) || names_shared_type(i, end)) return declaration(i, end, out);
    if (token.is("upc_forall")) return forall(i, end, out);
    if (token.is("upc_barrier") || token.is("upc_notify") || token.is("upc_wait"))
      return barrier(i, end, out);
    if (token.is("upc_fence")) {
      out.push_back(made("__upc_fence()", token.at));
      return i + 1;
    }
    if (token.is("upc_blocksizeof") || token.is("upc_elemsizeof") || token.is("upc_localsizeof"))
      return size_of(i, end, out);
    if (token.is("&")) return address(i, end, out);
    if (token.is_word() && scaled_.contains(token.text)) return scaled_use(i, out);
    return copy(i, out);
  }

  std::size_t copy(std::size_t i, TokenList& out) {
    const Token& token = list_[i];
    if (token.is("(") || token.is("[") || token.is("{")) brackets_ += token.text;
    if ((token.is(")") || token.is("]") || token.is("}")) && !brackets_.empty())
      brackets_.pop_back();
    if (token.is(";") || token.is("{") || token.is("}")) statement_ = {i + 1, brackets_.size()};
    out.push_back(token);
    return i + 1;
  }

  // A declaration with a typedef of a shared type.
  bool names_shared_type(std::size_t i, std::size_t end) const {
    return list_[i].is_word() && shared_types_.contains(list_[i].text) && in_declaration_list() &&
           declares(i + 1, end);
  }

  TokenList inside(std::size_t open, std::size_t close) {
    brackets_ += list_[open].text;
    TokenList out = range(open + 1, close);
    brackets_.pop_back();
    return out;
  }

  bool in_declaration_list() const { return brackets_.empty() || brackets_.back() == '{'; }
  bool in_function() const { return brackets_.find('{') != std::string::npos; }

  // --- declarations

  std::size_t declaration(std::size_t i, std::size_t end, TokenList& out) {
    Specifiers specifiers{.at = list_[i].at};
    take_preceding(out, specifiers);
    i = following(i, end, specifiers);
    specifiers.shared_type =
        specifiers.type.size() == 1 && shared_types_.contains(specifiers.type[0].text);
    if (specifiers.type.empty() && !specifiers.of_pointer && specifiers.shared) {
      fail(specifiers.at, "shared needs a type: shared int");
      return i;
    }
    if (specifiers.is_typedef() && specifiers.is_definite_by_size() && !declares(i, end))
      fail(specifiers.at, "[*] needs an array");
    if (specifiers.shared && !specifiers.of_pointer && i + 1 < end && list_[i].is_word() &&
        list_[i + 1].is("("))
      fail(specifiers.at, "a function cannot return a shared object: return a pointer to shared");
    if (!specifiers.body.empty() && specifiers.shared) define_body(specifiers, out);
    if (!in_declaration_list() || !declares(i, end)) return single(specifiers, i, out);
    if (specifiers.of_pointer) return shared_pointer(specifiers, i, end, out);
    return declare(specifiers, i, end, out);
  }

  // int *shared p[THREADS]: what precedes is written already.
  std::size_t shared_pointer(const Specifiers& specifiers, std::size_t i, std::size_t end,
                             TokenList& out) {
    append(out, written(specifiers, elements_of(specifiers)));
    Declarator one = declarator(i, end);
    if (is_scaled(one)) {
      auto begin = out.end();
      while (begin != out.begin() && !(begin - 1)->is(";") && !(begin - 1)->is("{") &&
             !(begin - 1)->is("}"))
        --begin;
      while (begin != out.end() && is_storage_class(*begin)) ++begin;
      scale(joined({begin, out.end()}), one);
    }
    append(out, one.tokens);
    return i;
  }

  bool is_scaled(const Declarator& one) const {
    return !options_.threads && has_threads(one.dimensions);
  }

  // The specifiers from i on.
  std::size_t following(std::size_t i, std::size_t end, Specifiers& to) {
    while (i < end) {
      const Token& token = list_[i];
      if (token.is("shared")) {
        to.shared = true;
        if (++i < end && list_[i].is("[")) {
          const std::size_t after = after_bracket(list_, i);
          to.layout = inside(i, after - 1);
          i = after;
        }
      } else if (token.is("strict") || token.is("relaxed")) {
        to.strict |= token.is("strict");
        ++i;
      } else if (is_storage_class(token)) {
        to.storage.push_back(list_[i++]);
      } else if (is_type_qualifier(token)) {
        to.qualifiers.push_back(list_[i++]);
      } else if (to.of_pointer) {
        return i;
      } else if (is_type_word(token)) {
        to.type.push_back(list_[i++]);
      } else if (token.is("__attribute__") && i + 1 < end) {
        const std::size_t after = after_bracket(list_, i + 1);
        while (i < after) to.storage.push_back(list_[i++]);
      } else if (!to.type.empty() || !token.is_word()) {
        return i;
      } else if (is_tag_keyword(token)) {
        i = tagged(i, to);
      } else {
        to.type.push_back(list_[i++]);
        if ((token.is("typeof") || token.is("__typeof__")) && i < end && list_[i].is("(")) {
          const std::size_t after = after_bracket(list_, i);
          to.type.push_back(list_[i]);
          append(to.type, inside(i, after - 1));
          to.type.push_back(list_[after - 1]);
          i = after;
        }
      }
    }
    return i;
  }

  std::size_t tagged(std::size_t i, Specifiers& to) {
    to.type.push_back(list_[i++]);
    if (list_[i].is_word()) to.type.push_back(list_[i++]);
    if (i < list_.size() && list_[i].is("{")) {
      const std::size_t after = after_bracket(list_, i);
      to.body = inside(i, after - 1);
      to.body.insert(to.body.begin(), list_[i]);
      to.body.push_back(list_[after - 1]);
      i = after;
    }
    return i;
  }

  // The struct's size is part of the qualifier, so that its definition comes first.
  void define_body(Specifiers& specifiers, TokenList& out) {
    if (specifiers.type.size() == 1)
      specifiers.type.push_back(
          made("__upc_tag_" + std::to_string(++tags_), specifiers.type[0].at));
    append(out, specifiers.type);
    append(out, specifiers.body);
    out.push_back(made(";", specifiers.body.back().at));
    specifiers.body.clear();
  }

  // Whether declarators that end with ; follow, and no body of a function.
  bool declares(std::size_t i, std::size_t end) const {
    for (; i < end && !list_[i].is(";");) {
      if (list_[i].is("{") && !list_[i - 1].is("=")) return false;
      const bool opens = list_[i].is("(") || list_[i].is("[") || list_[i].is("{");
      if (list_[i].is(")") || list_[i].is("}")) return false;
      i = opens ? after_bracket(list_, i) : i + 1;
    }
    return i < end;
  }

  // In a cast, a parameter, or before the body of a function.
  std::size_t single(const Specifiers& specifiers, std::size_t i, TokenList& out) {
    if (specifiers.is_definite_by_size())
      fail(specifiers.at,
           "[*] can only be the block size of an array: give the number of elements");
    append(out, written(specifiers, elements_of(specifiers)));
    if (specifiers.is_generic()) i = drop_star(i, specifiers.at);
    return i;
  }

  std::size_t drop_star(std::size_t i, const Location& at) {
    if (i < list_.size() && list_[i].is("*")) {
      const bool restricted =
          i + 1 < list_.size() && (list_[i + 1].is("restrict") || list_[i + 1].is("__restrict"));
      return i + (restricted ? 2 : 1);  // an integer cannot be restrict
    }
    fail(at, "an object cannot have the type shared void: only pointers can");
    return i;
  }

  static std::string elements_of(const Specifiers& specifiers) {
    if (!specifiers.layout) return "1";
    return specifiers.layout->empty() ? "0" : joined(*specifiers.layout);
  }

  std::string space(const Specifiers& specifiers, const std::string& elements) {
    if (elements == "0") return std::string(kIndefinite);
    if (const auto tag = layouts_.tag_of(specifiers.type))
      return std::to_string(layouts_.number(*tag, elements));
    const std::string type = specifiers.of_pointer ? "void *" : joined(specifiers.type);
    return "__upc_space((" + elements + ")*sizeof(" + type + "))";
  }

  TokenList written(const Specifiers& specifiers, const std::string& elements) {
    TokenList out = specifiers.storage;
    if (specifiers.is_generic()) {
      out.push_back(made("__upc_shared_void", specifiers.at));
      return out;
    }
    if (specifiers.shared)
      out.push_back(made("__attribute__((address_space(" + space(specifiers, elements) + ")))",
                         specifiers.at));
    append(out, specifiers.qualifiers);
    if (specifiers.strict) out.push_back(made("volatile", specifiers.at));
    append(out, specifiers.type);
    append(out, specifiers.body);
    return out;
  }

  // Each declarator becomes a declaration of its own: layouts by [*] differ.
  std::size_t declare(const Specifiers& specifiers, std::size_t i, std::size_t end,
                      TokenList& out) {
    if (list_[i].is(";")) {  // struct s {…};
      append(out, written(specifiers, elements_of(specifiers)));
      return i;
    }
    while (i < end && !list_[i].is(";")) {
      const Location at = list_[i].at;
      if (specifiers.is_generic()) i = drop_star(i, at);
      Declarator one = declarator(i, end);
      const std::string elements = specifiers.is_definite_by_size()
                                       ? elements_by_size(specifiers, one)
                                       : elements_of(specifiers);
      append(out, written(specifiers, elements));
      const bool direct = one.prefix.empty() && (specifiers.shared || specifiers.shared_type) &&
                          !specifiers.is_generic();
      if (is_scaled(one) && (direct || one.shared_pointer)) {
        Specifiers plain = specifiers;
        plain.storage.clear();
        scale(joined(written(plain, elements)) + " " + joined(one.prefix), one);
      }
      append(out, one.tokens);
      remember(specifiers, elements, one);
      if (i < end && list_[i].is(",")) out.push_back(made(";", list_[i++].at));
    }
    return i;
  }

  // The declarator from i on; i moves to the , or ; after it.
  Declarator declarator(std::size_t& i, std::size_t end) {
    const std::size_t begin = i;
    Declarator result;
    while (i < end && !list_[i].is(";") && !list_[i].is(",")) {
      const bool opens = list_[i].is("(") || list_[i].is("[") || list_[i].is("{");
      i = opens ? after_bracket(list_, i) : i + 1;
    }
    std::size_t name = begin;
    while (name < i && (list_[name].is("*") || is_qualifier_of_upc(list_[name]) ||
                        is_type_qualifier(list_[name]) || list_[name].is("[")))
      name = list_[name].is("[") ? after_bracket(list_, name) : name + 1;
    if (name == i || !list_[name].is_word()) {
      result.tokens = range(begin, i);
      return result;
    }
    for (std::size_t k = begin; k < name; ++k)
      result.shared_pointer = list_[k].is("shared") || (result.shared_pointer && !list_[k].is("*"));
    result.name = list_[name].text;
    result.prefix = range(begin, name);
    std::size_t after = name + 1;
    while (after < i && list_[after].is("[")) {
      const std::size_t next = after_bracket(list_, after);
      for (std::size_t k = after; k < next; ++k) result.dimensions.push_back(list_[k]);
      after = next;
    }
    result.tokens = result.prefix;
    result.tokens.push_back(list_[name]);
    append(result.tokens, result.dimensions);
    append(result.tokens, range(after, i));
    return result;
  }

  std::string elements_by_size(const Specifiers& specifiers, const Declarator& one) {
    if (one.dimensions.empty()) {
      fail(specifiers.at,
           "[*] can only be the block size of an array: give the number of elements");
      return "1";
    }
    std::string product;
    for (const Token& token : one.dimensions)
      product += token.is("[")   ? (product.empty() ? "(" : "*(")
                 : token.is("]") ? ")"
                                 : token.text + " ";
    if (options_.threads) {
      const std::string threads = std::to_string(*options_.threads);
      return "((" + product + ") + " + threads + " - 1) / " + threads;
    }
    if (!has_threads(one.dimensions)) {
      fail(specifiers.at, "the block size [*] of " + one.name +
                              " depends on the number of threads: multiply a dimension by THREADS, "
                              "or use -fupc-threads=N");
      return "1";
    }
    TokenList dimensions = with_one_thread(one.dimensions);
    product.clear();
    for (const Token& token : dimensions)
      product += token.is("[")   ? (product.empty() ? "(" : "*(")
                 : token.is("]") ? ")"
                                 : token.text + " ";
    return product;
  }

  void scale(const std::string& type, Declarator& one) {
    check_threads(one);
    const TokenList dimensions = with_one_thread(one.dimensions);
    const auto begin = one.tokens.begin() + static_cast<std::ptrdiff_t>(one.prefix.size()) + 1;
    const auto end = std::copy(dimensions.begin(), dimensions.end(), begin);
    const Location at = (end - 1)->at;
    // A section of its own: variables of different kinds cannot share one.
    one.tokens.insert(end, made("__attribute__((section(\"upc_scaled." + one.name + "\")))", at));
    scaled_[one.name] = {type, joined(dimensions), joined(one.dimensions)};
  }

  // The array grows with THREADS if and only if THREADS is a factor, once. An operator in brackets
  // without THREADS does not matter.
  void check_threads(const Declarator& one) {
    const TokenList& list = one.dimensions;
    bool factor = std::count_if(list.begin(), list.end(),
                                [](const Token& token) { return token.is("THREADS"); }) == 1;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].is("(") || list[i].is("[")) open.push_back(i);
      if (list[i].is(")") || list[i].is("]")) open.pop_back();
      const bool divides = list[i].is("/") || list[i].is("%");
      const bool other = list[i].is("+") || list[i].is("-") || list[i].is("<<") || list[i].is(">>");
      if (!divides && !other) continue;
      // 6 / 2 * THREADS is a multiple; THREADS * 6 / 4 and 6 / THREADS need not be.
      const std::size_t divisor = list[i + 1].is("(") ? after_bracket(list, i + 1) : i + 2;
      const std::size_t end = divides ? divisor : after_bracket(list, open.back());
      const auto at = [&](std::size_t index) {
        return list.begin() + static_cast<std::ptrdiff_t>(index);
      };
      if (has_threads({at(open.back()), at(end)})) factor = false;
    }
    if (!factor)
      fail(one.tokens.front().at, "the size of " + one.name +
                                      " must be a constant multiple of THREADS, which is not "
                                      "constant: use -fupc-threads=N for other sizes");
  }

  void remember(const Specifiers& specifiers, const std::string& elements, const Declarator& one) {
    if (one.name.empty() || specifiers.is_generic()) return;
    if (!specifiers.shared && !specifiers.shared_type) return;
    const bool object = one.prefix.empty();
    const bool pointer = one.prefix.size() == 1;
    if (!object && !pointer) return;
    const Shape shape = specifiers.shared ? Shape{elements, joined(specifiers.type)}
                                          : shapes_[specifiers.type[0].text];
    shapes_[object ? one.name : "* " + one.name] = shape;
    if (object && specifiers.is_typedef()) shared_types_.insert(one.name);
  }

  std::size_t scaled_use(std::size_t i, TokenList& out) {
    const Token& token = list_[i];
    const bool member = !out.empty() && (out.back().is(".") || out.back().is("->"));
    const bool declares = !out.empty() && out.back().is_word() && !is_keyword(out.back());
    if (!in_function() || member || declares || is_declarator(out)) return copy(i, out);
    const Scaled& array = scaled_[token.text];
    out.push_back(made(
        "__upc_scaled(" + token.text + "," + array.type + "," + array.one + "," + array.all + ")",
        token.at));
    return i + 1;
  }

  // A local variable of that name, after the first of a declaration: int a, *name.
  bool is_declarator(const TokenList& out) const {
    const auto [first, depth] = statement_;
    if (brackets_.size() != depth || out.empty() || !(out.back().is(",") || out.back().is("*")))
      return false;
    const Token& word = list_[first];
    return is_type_word(word) || is_type_qualifier(word) || is_storage_class(word) ||
           is_tag_keyword(word) ||
           (word.is_word() && !is_keyword(word) && list_[first + 1].is_word());
  }

  // --- statements and expressions

  std::size_t forall(std::size_t i, std::size_t end, TokenList& out) {
    const Location at = list_[i].at;
    if (i + 1 >= end || !list_[i + 1].is("(")) {
      fail(at, "upc_forall needs ( after it");
      return i + 1;
    }
    const std::size_t after = after_bracket(list_, i + 1);
    std::vector<std::size_t> cuts;
    for (std::size_t k = i + 2; k + 1 < after;) {
      if (list_[k].is(";")) cuts.push_back(k);
      k = list_[k].is("(") || list_[k].is("[") || list_[k].is("{") ? after_bracket(list_, k)
                                                                   : k + 1;
    }
    if (cuts.size() != 2 && cuts.size() != 3) {
      fail(at, "upc_forall has 4 parts: upc_forall (start; condition; step; affinity)");
      return after;
    }
    const std::size_t last = cuts.size() == 3 ? cuts[2] : after - 1;
    brackets_ += '(';
    TokenList header = range(i + 2, last);
    TokenList affinity = cuts.size() == 3 ? range(last + 1, after - 1) : TokenList{};
    brackets_.pop_back();
    const bool all = affinity.empty() || (affinity.size() == 1 && affinity[0].is("continue"));
    if (!all) out.push_back(made("__upc_forall_scope", at));
    out.push_back(made("for (", at));
    append(out, header);
    out.push_back(made(")", list_[after - 1].at));
    if (!all)
      out.push_back(made("__upc_forall_body((" + joined(affinity) + "))", list_[after - 1].at));
    return after;
  }

  std::size_t barrier(std::size_t i, std::size_t end, TokenList& out) {
    const Token& token = list_[i];
    std::size_t semicolon = i + 1;
    while (semicolon < end && !list_[semicolon].is(";"))
      semicolon = list_[semicolon].is("(") ? after_bracket(list_, semicolon) : semicolon + 1;
    TokenList expression = range(i + 1, semicolon);
    out.push_back(made("__" + token.text + "(" + (expression.empty() ? "0, 0" : "1,"), token.at));
    append(out, expression);
    out.push_back(made(")", expression.empty() ? token.at : list_[semicolon - 1].at));
    return semicolon;
  }

  std::size_t size_of(std::size_t i, std::size_t end, TokenList& out) {
    const Token& token = list_[i];
    const bool bracket = i + 1 < end && list_[i + 1].is("(");
    const std::size_t after = bracket ? after_bracket(list_, i + 1) : i + 2;
    const std::size_t begin = bracket ? i + 2 : i + 1, close = bracket ? after - 1 : after;
    const TokenList operand(list_.begin() + static_cast<std::ptrdiff_t>(begin),
                            list_.begin() + static_cast<std::ptrdiff_t>(close));
    Shape shape;
    Specifiers specifiers;
    if (const auto found = shapes_.find(joined(operand)); found != shapes_.end()) {
      shape = found->second;
    } else if (following(begin, close, specifiers);
               specifiers.shared && !specifiers.is_definite_by_size()) {
      shape = {elements_of(specifiers), joined(specifiers.type)};
    } else {
      fail(token.at, token.text + " needs a shared type, or the name of a shared variable or type");
      return after;
    }
    const std::string element = "sizeof(" + shape.type + ")";
    if (token.is("upc_blocksizeof"))
      out.push_back(made("((__SIZE_TYPE__)(" + shape.elements + "))", token.at));
    if (token.is("upc_elemsizeof")) out.push_back(made(element, token.at));
    if (token.is("upc_localsizeof")) {
      brackets_ += '(';
      out.push_back(made("__upc_local_size(sizeof(" + joined(range(begin, close)) + "), (" +
                             shape.elements + ")*" + element + ")",
                         token.at));
      brackets_.pop_back();
    }
    return after;
  }

  // & of a member of a shared struct is a pointer to shared [].
  std::size_t address(std::size_t i, std::size_t end, TokenList& out) {
    const bool operand_before =
        !out.empty() && !is_keyword(out.back()) &&
        (out.back().kind != Token::Kind::Punctuation || out.back().is(")") || out.back().is("]"));
    std::size_t k = i + 1;
    if (operand_before || k >= end || !(list_[k].is("(") || list_[k].is_word()))
      return copy(i, out);
    k = list_[k].is("(") ? after_bracket(list_, k) : k + 1;
    std::size_t member_end = 0;
    bool subscripts = true;  // only subscripts follow the last member
    while (k < end) {
      if ((list_[k].is(".") || list_[k].is("->")) && k + 1 < end) {
        k += 2;
        member_end = k;
        subscripts = true;
      } else if (list_[k].is("[") || list_[k].is("(")) {
        subscripts &= list_[k].is("[");
        k = after_bracket(list_, k);
      } else {
        break;
      }
    }
    if (member_end == 0 || !subscripts) return copy(i, out);
    brackets_ += '(';
    const std::string expression = joined(range(i + 1, k));
    const std::string base = joined(range(i + 1, member_end));
    brackets_.pop_back();
    const std::string macro = member_end == k
                                  ? "__upc_member_address((" + expression + "))"
                                  : "__upc_element_address((" + expression + "), (" + base + "))";
    out.push_back(made(macro, list_[i].at));
    return k;
  }

  Tokens& tokens_;
  const TokenList& list_;
  const RewriteOptions& options_;
  std::string brackets_;  // that are open
  IncompleteLayouts layouts_;
  std::map<std::string, Scaled> scaled_;
  std::map<std::string, Shape> shapes_;  // by name; by "* name" what a pointer points to
  std::set<std::string> shared_types_;   // typedefs
  std::pair<std::size_t, std::size_t> statement_{
      0, 0};  // its first token, and the number of open brackets
  std::vector<RewriteError> errors_;
  int tags_ = 0;
};

}  // namespace

Rewritten rewrite(std::string_view source, const RewriteOptions& options) {
  Tokens tokens = read_tokens(source);
  const std::string regions = strict_regions(tokens);
  Rewriter rewriter(tokens, options);
  TokenList list = rewriter.run();
  Rewritten result;
  result.errors = rewriter.take_errors();
  tokens.list = std::move(list);
  result.text = write_tokens(tokens) + "# 1 \"<upc>\"\n" + rewriter.definitions();
  if (!regions.empty())
    result.text +=
        "static const char __upc_strict_regions[] __attribute__((used)) = \"" + regions + "\";\n";
  if (options.threads)
    result.text += "static const int __upc_static_threads __attribute__((used)) = " +
                   std::to_string(*options.threads) + ";\n";
  return result;
}

}  // namespace photofinish::upc

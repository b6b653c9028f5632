#include "compiler/gcc/sums.h"

namespace photofinish::gcc {
namespace {

constexpr unsigned kDepth = 16;

tree number_type() { return long_unsigned_type_node; }

std::optional<std::int64_t> constant_of(const aff_tree& sum) {
  if (sum.n != 0 || sum.rest != nullptr || !sum.offset.is_constant() ||
      !wi::fits_shwi_p(sum.offset.coeffs[0]))
    return {};
  return sum.offset.coeffs[0].to_shwi();
}

bool is_constant(tree value) {
  return value != nullptr && TREE_CODE(value) == INTEGER_CST && tree_fits_shwi_p(value);
}

}  // namespace

Sum::Sum(class loop* loop, bool narrows) : loop_(loop), narrows_(narrows) {
  aff_combination_const(&rest_, number_type(), 0);
}

void Sum::add_constant(std::int64_t value) {
  aff_tree one;
  aff_combination_const(&one, number_type(), value);
  aff_combination_add(&rest_, &one);
}

std::int64_t Sum::factor_of(tree value) const {
  for (const Term& term : terms_)
    if (term.value == value) return term.factor;
  return 0;
}

tree Sum::rest() { return fold_convert(number_type(), aff_combination_to_tree(&rest_)); }

std::optional<std::int64_t> Sum::constant_rest() const { return constant_of(rest_); }

bool Sum::add_term(tree value, std::int64_t factor) {
  if (TREE_CODE(value) != SSA_NAME) return false;
  for (auto term = terms_.begin(); term != terms_.end(); ++term)
    if (term->value == value) {
      if (__builtin_add_overflow(term->factor, factor, &term->factor)) return false;
      if (term->factor == 0) terms_.erase(term);
      return true;
    }
  terms_.push_back({value, factor});
  return true;
}

bool Sum::add(tree value, std::int64_t factor, unsigned depth) {
  tree type = TREE_TYPE(value);
  if ((!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type)) || TYPE_PRECISION(type) > 64) return false;
  if (TREE_CODE(value) == INTEGER_CST || expr_invariant_in_loop_p(loop_, value)) {
    aff_tree part;
    tree_to_aff_combination(fold_convert(number_type(), value), number_type(), &part);
    aff_combination_scale(&part, factor);
    aff_combination_add(&rest_, &part);
    return true;
  }
  if (depth > kDepth) return false;
  if (TREE_CODE(value) != SSA_NAME)
    return EXPR_P(value) &&
           add_operation(TREE_CODE(value), type, TREE_OPERAND(value, 0),
                         TREE_OPERAND_LENGTH(value) > 1 ? TREE_OPERAND(value, 1) : nullptr, factor,
                         depth);
  gimple* definition = SSA_NAME_DEF_STMT(value);
  return (is_gimple_assign(definition) && !gimple_assign_load_p(definition) &&
          add_operation(gimple_assign_rhs_code(definition), type, gimple_assign_rhs1(definition),
                        gimple_assign_rhs2(definition), factor, depth)) ||
         add_term(value, factor);
}

bool Sum::add_converted(tree type, tree value, std::int64_t factor, unsigned depth) {
  tree from = TREE_TYPE(value);
  if (!INTEGRAL_TYPE_P(from) && !POINTER_TYPE_P(from)) return false;
  const unsigned bits = TYPE_PRECISION(type), bits_from = TYPE_PRECISION(from);
  const bool keeps = bits == bits_from ? bits == 64 || TYPE_UNSIGNED(from) == TYPE_UNSIGNED(type)
                     : bits_from < bits
                         // Extended twice: a value that is signed stays so up to 64 bits.
                         ? bits == 64 || TYPE_UNSIGNED(from) || !TYPE_UNSIGNED(type)
                         : narrows_;
  return keeps && add(value, factor, depth + 1);
}

bool Sum::add_operation(tree_code code, tree type, tree left, tree right, std::int64_t factor,
                        unsigned depth) {
  if (CONVERT_EXPR_CODE_P(code)) return add_converted(type, left, factor, depth);
  if (code == SSA_NAME) return add(left, factor, depth + 1);
  // Narrow numbers may wrap before they are extended.
  if (TYPE_PRECISION(type) != 64 && !TYPE_OVERFLOW_UNDEFINED(type) && !narrows_) return false;
  // What fails in between must not stay.
  const Sum before = *this;
  std::int64_t product = 0;
  bool added = false;
  if (code == POINTER_PLUS_EXPR || code == PLUS_EXPR)
    added = add(left, factor, depth + 1) && add(right, factor, depth + 1);
  else if (code == MINUS_EXPR || code == POINTER_DIFF_EXPR)
    added = add(left, factor, depth + 1) && add(right, -factor, depth + 1);
  else if (code == MULT_EXPR && is_constant(right))
    added = !__builtin_mul_overflow(factor, tree_to_shwi(right), &product) &&
            add(left, product, depth + 1);
  else if (code == LSHIFT_EXPR && is_constant(right) && tree_to_shwi(right) >= 0 &&
           tree_to_shwi(right) < 32)
    added = !__builtin_mul_overflow(factor, std::int64_t{1} << tree_to_shwi(right), &product) &&
            add(left, product, depth + 1);
  if (!added) *this = before;
  return added;
}

std::optional<std::int64_t> distance_between(tree from, tree to) {
  aff_tree difference, other;
  tree_to_aff_combination(to, number_type(), &difference);
  tree_to_aff_combination(from, number_type(), &other);
  aff_combination_scale(&other, -1);
  aff_combination_add(&difference, &other);
  return constant_of(difference);
}

}  // namespace photofinish::gcc

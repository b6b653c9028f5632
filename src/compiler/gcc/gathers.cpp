// Rule: an access at base + scale * index qualifies if all of these hold. The loop loads the index
// in every iteration, at evenly spaced addresses that nothing in the loop may write to. The base is
// invariant. The loop has a single exit, every call in it returns, and every loop in it ends. The
// library can then read the indices in front of the loop, because the loop would read them all.
//
// Accesses whose indices lie at constant distances share one row of indices: the corners of an
// element, or an unrolled loop.
#include "compiler/gcc/gathers.h"

namespace photofinish::gcc {
namespace {

// From the first index found, in both directions: the slots are the bits of 64.
constexpr std::int64_t kFarthest = 31;
constexpr unsigned kDepth = 12;

tree number_type() { return long_unsigned_type_node; }
tree number(std::int64_t value) {
  return build_int_cst(number_type(), static_cast<HOST_WIDE_INT>(value));
}

// An address as a sum: what is invariant in the loop, and one index with its scale.
class Sum {
 public:
  explicit Sum(class loop* loop) : loop_(loop) {}
  tree base = number(0);
  gimple* load = nullptr;  // of the index, or of a vector of them
  std::uint64_t lane = 0;  // in bytes
  std::int64_t scale = 0;
  std::uint64_t bytes = 0;
  bool is_signed = false;

  // Adds factor * value, with the value extended to 64 bits as its type says.
  bool add(tree value, std::int64_t factor, unsigned depth = 0) {
    if (depth > kDepth) return false;
    tree type = TREE_TYPE(value);
    if (!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type)) return false;
    if (TYPE_PRECISION(type) > 64) return false;
    if (TREE_CODE(value) == INTEGER_CST || expr_invariant_in_loop_p(loop_, value)) {
      tree wide = fold_convert(number_type(), value);
      base = fold_build2(PLUS_EXPR, number_type(), base,
                         fold_build2(MULT_EXPR, number_type(), wide, number(factor)));
      return true;
    }
    if (TREE_CODE(value) != SSA_NAME)
      return EXPR_P(value) &&
             add_operation(TREE_CODE(value), type, TREE_OPERAND(value, 0),
                           TREE_OPERAND_LENGTH(value) > 1 ? TREE_OPERAND(value, 1) : nullptr,
                           factor, depth);
    gimple* definition = SSA_NAME_DEF_STMT(value);
    if (!is_gimple_assign(definition)) return false;
    if (gimple_assign_load_p(definition) && TREE_CODE(type) == INTEGER_TYPE)
      return add_index(definition, 0, type, factor);
    if (gimple_assign_rhs_code(definition) == BIT_FIELD_REF)
      return add_lane(gimple_assign_rhs1(definition), type, factor);
    return add_operation(gimple_assign_rhs_code(definition), type, gimple_assign_rhs1(definition),
                         gimple_assign_rhs2(definition), factor, depth);
  }

 private:
  bool add_operation(tree_code code, tree type, tree left, tree right, std::int64_t factor,
                     unsigned depth) {
    // Narrow numbers may wrap before they are extended.
    const bool exact = TYPE_PRECISION(type) == 64 || TYPE_OVERFLOW_UNDEFINED(type);
    const auto constant = [](tree value) {
      return value != nullptr && TREE_CODE(value) == INTEGER_CST && tree_fits_shwi_p(value);
    };
    std::int64_t product = 0;
    switch (code) {
      case SSA_NAME:
        return add(left, factor, depth + 1);
      CASE_CONVERT:
        if (!INTEGRAL_TYPE_P(TREE_TYPE(left)) && !POINTER_TYPE_P(TREE_TYPE(left))) return false;
        if (TYPE_PRECISION(TREE_TYPE(left)) == TYPE_PRECISION(type) &&
            (TYPE_PRECISION(type) == 64 || TYPE_UNSIGNED(TREE_TYPE(left)) == TYPE_UNSIGNED(type)))
          return add(left, factor, depth + 1);
        // Extended twice: a narrow value that was extended as unsigned stays so.
        return TYPE_PRECISION(TREE_TYPE(left)) < TYPE_PRECISION(type) &&
               (TYPE_PRECISION(type) == 64 || TYPE_UNSIGNED(TREE_TYPE(left)) ||
                !TYPE_UNSIGNED(type)) &&
               add(left, factor, depth + 1);
      case POINTER_PLUS_EXPR:
      case PLUS_EXPR:
        return exact && add(left, factor, depth + 1) && add(right, factor, depth + 1);
      case MINUS_EXPR:
        return exact && add(left, factor, depth + 1) && add(right, -factor, depth + 1);
      case MULT_EXPR:
        return exact && constant(right) &&
               !__builtin_mul_overflow(factor, tree_to_shwi(right), &product) &&
               add(left, product, depth + 1);
      case LSHIFT_EXPR:
        return exact && constant(right) && tree_to_shwi(right) >= 0 && tree_to_shwi(right) < 32 &&
               !__builtin_mul_overflow(factor, std::int64_t{1} << tree_to_shwi(right), &product) &&
               add(left, product, depth + 1);
      default:
        return false;
    }
  }

  // An element of a vector of indices.
  bool add_lane(tree reference, tree type, std::int64_t factor) {
    tree vector = TREE_OPERAND(reference, 0);
    if (TREE_CODE(vector) != SSA_NAME || TREE_CODE(type) != INTEGER_TYPE) return false;
    gimple* definition = SSA_NAME_DEF_STMT(vector);
    const std::uint64_t at = tree_to_uhwi(TREE_OPERAND(reference, 2));
    return gimple_assign_load_p(definition) && at % BITS_PER_UNIT == 0 &&
           tree_to_uhwi(TREE_OPERAND(reference, 1)) == TYPE_PRECISION(type) &&
           add_index(definition, at / BITS_PER_UNIT, type, factor);
  }

  bool add_index(gimple* definition, std::uint64_t at, tree type, std::int64_t factor) {
    const unsigned bits = TYPE_PRECISION(type);
    if (load != nullptr || factor <= 0 || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
      return false;
    if (gimple_has_volatile_ops(definition)) return false;
    load = definition;
    lane = at;
    scale = factor;
    bytes = bits / 8;
    is_signed = !TYPE_UNSIGNED(type);
    return true;
  }

  class loop* loop_;
};

bool returns(const gimple* statement) {
  if (is_a<const gasm*>(statement)) return false;
  const auto* call = dyn_cast<const gcall*>(statement);
  if (call == nullptr || gimple_call_internal_p(call)) return true;
  const int flags = gimple_call_flags(call);
  return (flags & (ECF_CONST | ECF_PURE)) != 0 && (flags & ECF_LOOPING_CONST_OR_PURE) == 0;
}

// Whether memory that `load` reads can be read in front of the loop instead.
bool stays_same(class loop* loop, gimple* load) {
  basic_block* blocks = get_loop_body(loop);
  bool same = true;
  for (unsigned i = 0; i < loop->num_nodes && same; ++i) {
    class loop* inner = blocks[i]->loop_father;
    if (inner != loop && inner->header == blocks[i] && !finite_loop_p(inner)) same = false;
    for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); same && !gsi_end_p(at); gsi_next(&at)) {
      gimple* statement = gsi_stmt(at);
      if (is_gimple_debug(statement)) continue;
      same = returns(statement) && !stmt_can_throw_external(cfun, statement) &&
             (gimple_vdef(statement) == nullptr ||
              !stmt_may_clobber_ref_p(statement, gimple_assign_rhs1(load)));
    }
  }
  free(blocks);
  return same;
}

// The distance between two numbers, if it is constant.
std::optional<std::int64_t> distance(tree from, tree to) {
  aff_tree difference, other;
  tree_to_aff_combination(to, number_type(), &difference);
  tree_to_aff_combination(from, number_type(), &other);
  aff_combination_scale(&other, -1);
  aff_combination_add(&difference, &other);
  if (difference.n != 0 || difference.rest != nullptr || !difference.offset.is_constant() ||
      !wi::fits_shwi_p(difference.offset.coeffs[0]))
    return {};
  return difference.offset.coeffs[0].to_shwi();
}

}  // namespace

class loop* GatherFinder::find(const Access& access) {
  class loop* loop = gimple_bb(access.statement)->loop_father;
  if (access.bytes == 0 || access.rows > 1 || access.releases || loop_outer(loop) == nullptr)
    return nullptr;
  Sum sum(loop);
  for (tree part : access.parts)
    if (!sum.add(part, 1)) return nullptr;
  if (sum.load == nullptr) return nullptr;
  tree base = fold_build2(PLUS_EXPR, number_type(), sum.base, number(access.shift));
  const auto load = load_of(sum.load);
  if (!load) return nullptr;
  const auto range = ranges_.find_rows(*load, [&](class loop* around) {
    return expr_invariant_in_loop_p(around, base) && stays_same(around, sum.load);
  });
  if (!range) return nullptr;
  const auto& [times, stride] = range->dimensions.front();
  if (!tree_fits_shwi_p(stride) || tree_to_shwi(stride) <= 0 || tree_to_shwi(stride) >= 1L << 31)
    return nullptr;
  const auto step = static_cast<std::uint64_t>(tree_to_shwi(stride));
  std::int64_t offset = static_cast<std::int64_t>(sum.lane);
  Gather* row = nullptr;
  for (Gather& known : rows_) {
    if (known.loop != range->loop || known.step != step || known.bytes != sum.bytes ||
        known.is_signed != sum.is_signed || !operand_equal_p(known.times, times, 0))
      continue;
    const auto behind = distance(known.first, range->address);
    if (!behind) continue;
    const std::int64_t at = *behind + static_cast<std::int64_t>(sum.lane);
    const auto width = static_cast<std::int64_t>(sum.bytes);
    if (at % width != 0 || std::abs(at) > kFarthest * width) continue;
    offset = at;
    row = &known;
    break;
  }
  if (row == nullptr) {
    if (offset > kFarthest * static_cast<std::int64_t>(sum.bytes)) return nullptr;
    rows_.push_back({range->loop, range->address, times, step, sum.bytes, sum.is_signed, {}});
    row = &rows_.back();
  }
  row->uses.push_back({offset, base, static_cast<std::uint64_t>(sum.scale), access});
  return range->loop;
}

}  // namespace photofinish::gcc

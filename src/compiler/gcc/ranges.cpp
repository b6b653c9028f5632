// Rule: a range grows from the innermost loop outwards while all of these hold. The access is made
// in every iteration, or in every one if some invariant conditions hold. The number of iterations
// is known before the loop. Nothing in the loop can reach MPI, and it has no atomic operations
// (QuietCalls). The address is affine in the iteration, or invariant. No access is missed: one that
// does not qualify keeps its hook, at the last loop that did.
#include "compiler/gcc/chains.h"

namespace photofinish::gcc {
namespace {

constexpr std::size_t kMaxDimensions = 2;

tree number_type() { return long_unsigned_type_node; }

bool is_invariant(class loop* loop, tree value) { return expr_invariant_in_loop_p(loop, value); }

// Whether the access is made before any exit of the loop can be taken.
bool comes_before_exits(basic_block block, class loop* loop) {
  auto_vec<edge> exits = get_loop_exit_edges(loop);
  for (edge exit : exits)
    if (!dominated_by_p(CDI_DOMINATORS, exit->src, block)) return false;
  return true;
}

// Whether the block, which dominates the latch, is executed before the exit is tested.
bool is_executed_once(basic_block block, class loop* loop) {
  edge exit = single_exit(loop);
  return exit != nullptr && dominated_by_p(CDI_DOMINATORS, loop->latch, block) &&
         dominated_by_p(CDI_DOMINATORS, exit->src, block);
}

// It is evaluated even if its conditions do not hold.
bool may_trap(const Range& range) {
  bool traps = generic_expr_could_trap_p(range.address) || generic_expr_could_trap_p(range.bytes);
  for (const Range::Dimension& dimension : range.dimensions)
    traps = traps || generic_expr_could_trap_p(dimension.count) ||
            generic_expr_could_trap_p(dimension.stride);
  return traps;
}

}  // namespace

// "x < x - 24 ? 0 : 24", where the compiler does not know that x - 24 does not wrap. No address
// does.
tree RangeFinder::without_wrapping(tree taken) {
  if (TREE_CODE(taken) != COND_EXPR) return taken;
  tree test = TREE_OPERAND(taken, 0);
  if (!COMPARISON_CLASS_P(test)) return taken;
  tree left = TREE_OPERAND(test, 0), right = TREE_OPERAND(test, 1);
  if (!INTEGRAL_TYPE_P(TREE_TYPE(left)) || TYPE_PRECISION(TREE_TYPE(left)) != 64) return taken;
  aff_tree difference, other;
  const auto expand = [&](tree value, aff_tree* sum) {
    tree_to_aff_combination_expand(fold_convert(number_type(), value), number_type(), sum,
                                   &expansions_);
  };
  expand(left, &difference);
  expand(right, &other);
  aff_combination_scale(&other, -1);
  aff_combination_add(&difference, &other);
  if (difference.n != 0 || difference.rest != nullptr || !difference.offset.is_constant())
    return taken;
  tree holds = fold_binary(TREE_CODE(test), boolean_type_node,
                           wide_int_to_tree(ssizetype, difference.offset.coeffs[0]),
                           build_zero_cst(ssizetype));
  if (holds == nullptr) return taken;
  return TREE_OPERAND(taken, integer_zerop(holds) ? 2 : 1);
}

// The number of times that the latch is executed, or null. GCC does not assume that a loop in C
// terminates. Where it leaves a loop at an equality, as its own rewriting of loops does, we do: the
// loop would otherwise never end.
tree RangeFinder::latch_executions(class loop* loop, edge exit) {
  tree taken = number_of_latch_executions(loop);
  if (taken != nullptr && taken != chrec_dont_know) return without_wrapping(taken);
  gimple_stmt_iterator last = gsi_last_bb(exit->src);
  auto* test = gsi_end_p(last) ? nullptr : dyn_cast<gcond*>(gsi_stmt(last));
  if (test == nullptr || (gimple_cond_code(test) != NE_EXPR && gimple_cond_code(test) != EQ_EXPR))
    return nullptr;
  tree_niter_desc iterations;
  if (!number_of_iterations_exit_assumptions(loop, exit, &iterations, nullptr, true) ||
      !integer_zerop(iterations.may_be_zero))
    return nullptr;
  return iterations.niter;
}

// How often the block, which dominates the latch, is executed each time the loop is entered.
tree RangeFinder::executions(basic_block block, class loop* loop) {
  edge exit = single_exit(loop);
  if (exit == nullptr || (exit->flags & (EDGE_ABNORMAL | EDGE_EH)) != 0) return nullptr;
  tree taken = latch_executions(loop, exit);
  if (taken == nullptr) return nullptr;
  if (!INTEGRAL_TYPE_P(TREE_TYPE(taken)) || TYPE_PRECISION(TREE_TYPE(taken)) > 64) return nullptr;
  taken = fold_convert(number_type(), taken);
  if (dominated_by_p(CDI_DOMINATORS, exit->src, block))
    return fold_build2(PLUS_EXPR, number_type(), taken, build_int_cst(number_type(), 1));
  return dominated_by_p(CDI_DOMINATORS, block, exit->src) ? taken : nullptr;
}

bool RangeFinder::is_quiet(class loop* loop) {
  const auto [entry, fresh] = quiet_loops_.try_emplace(loop->num, false);
  if (fresh) entry->second = quiet_.is_quiet(loop);
  return entry->second;
}

class loop* RangeFinder::outermost_quiet(basic_block block) {
  class loop* outermost = nullptr;
  for (class loop* loop = block->loop_father; loop_outer(loop) != nullptr && is_quiet(loop);
       loop = loop_outer(loop))
    outermost = loop;
  return outermost;
}

// The same number, computed from values in front of `outer` if that is possible: parts that the
// outer loop computes may cancel out.
tree RangeFinder::expanded(tree value, class loop* outer) {
  if (is_invariant(outer, value)) return value;
  aff_tree sum;
  tree_to_aff_combination_expand(value, number_type(), &sum, &expansions_);
  tree made = fold_convert(number_type(), aff_combination_to_tree(&sum));
  return is_invariant(outer, made) ? made : value;
}

std::optional<Range> RangeFinder::find_rows(const Access& access, const Accepts& accepts) {
  std::optional<Range> range = find(access, &accepts);
  if (range && range->dimensions.size() != 1) return {};
  return range;
}

std::optional<Range> RangeFinder::find(const Access& access, const Accepts* accepts) {
  if (access.bytes == 0 || access.releases) return {};
  basic_block block = gimple_bb(access.statement);
  class loop* inside = block->loop_father;
  Range range;
  range.bytes = build_int_cst(number_type(), access.bytes);
  if (access.rows > 1)
    range.dimensions.push_back(
        {build_int_cst(number_type(), access.rows), build_int_cst(number_type(), access.stride)});
  std::vector<tree> parts = access.parts;
  if (access.shift != 0) parts.push_back(size_int(access.shift));
  std::optional<Range> best;
  for (class loop* loop = inside; loop_outer(loop) != nullptr; loop = loop_outer(loop)) {
    if (accepts != nullptr && !(*accepts)(loop)) break;
    range.bytes = expanded(range.bytes, loop);
    for (Range::Dimension& dimension : range.dimensions)
      dimension.count = expanded(dimension.count, loop);
    if ((accepts == nullptr && !add_conditions(range, block, loop)) ||
        !widen(range, parts, block, inside, loop, accepts == nullptr)) {
      if (best && best->loop == gimple_bb(access.statement)->loop_father)
        if (auto chain = chained(*best, access, block, accepts == nullptr)) return chain;
      break;
    }
    tree address = build_int_cst(number_type(), 0);
    for (tree part : parts)
      address = fold_build2(PLUS_EXPR, number_type(), address, fold_convert(number_type(), part));
    parts = {address};
    range.address = address;
    if (!range.conditions.empty() && may_trap(range)) break;
    range.loop = loop;
    best = range;
    block = loop_preheader_edge(loop)->src;
    inside = loop_outer(loop);
    if (block->loop_father != inside) break;
  }
  return best;
}

// The rows of the innermost loop as one row of the loop around it.
std::optional<Range> RangeFinder::chained(const Range& row, const Access& access, basic_block block,
                                          bool joins) {
  class loop* outer = loop_outer(row.loop);
  const bool without_gaps = joins && row.dimensions.empty();
  if (!row.conditions.empty() || access.rows > 1 || !is_quiet(outer) ||
      row.dimensions.size() != (without_gaps ? 0 : 1) ||
      !is_executed_once(gimple_bb(access.statement), row.loop))
    return {};
  tree step = without_gaps ? build_int_cst(number_type(), access.bytes) : row.dimensions[0].stride;
  if (!tree_fits_shwi_p(step) || tree_to_shwi(step) <= 0) return {};
  while (!dominated_by_p(CDI_DOMINATORS, outer->latch, block)) {
    if (!single_pred_p(block)) return {};
    block = single_pred(block);
  }
  tree count = executions(block, outer);
  if (count == nullptr || !is_invariant(outer, count)) return {};
  const auto chain =
      find_chain(row.loop, row.address, static_cast<std::uint64_t>(tree_to_shwi(step)), count);
  if (!chain) return {};
  Range range = row;
  range.loop = outer;
  range.address = chain->address;
  if (without_gaps)
    range.bytes = fold_build2(MULT_EXPR, number_type(), chain->count, step);
  else
    range.dimensions[0].count = chain->count;
  return range;
}

// Moves from the block to one that each iteration executes, with the invariant tests between them.
bool RangeFinder::add_conditions(Range& range, basic_block& block, class loop* loop) {
  if (loop->latch == nullptr) return false;
  while (!dominated_by_p(CDI_DOMINATORS, loop->latch, block)) {
    if (!single_pred_p(block)) return false;
    edge into = single_pred_edge(block);
    if (into->src->loop_father != loop || (into->flags & (EDGE_ABNORMAL | EDGE_EH)) != 0)
      return false;
    if ((into->flags & (EDGE_TRUE_VALUE | EDGE_FALSE_VALUE)) != 0) {
      auto* test = dyn_cast<gcond*>(gsi_stmt(gsi_last_bb(into->src)));
      if (test == nullptr || !INTEGRAL_TYPE_P(TREE_TYPE(gimple_cond_lhs(test)))) return false;
      tree holds = fold_build2(gimple_cond_code(test), boolean_type_node, gimple_cond_lhs(test),
                               gimple_cond_rhs(test));
      if ((into->flags & EDGE_FALSE_VALUE) != 0) holds = invert_truthvalue(holds);
      range.conditions.push_back(holds);
    } else if (!single_succ_p(into->src)) {
      return false;
    }
    block = into->src;
  }
  for (tree condition : range.conditions)
    if (!is_invariant(loop, condition)) return false;
  return true;
}

bool RangeFinder::widen(Range& range, std::vector<tree>& parts, basic_block block,
                        class loop* inside, class loop* loop, bool joins) {
  if (!is_quiet(loop) || loop->latch == nullptr ||
      !dominated_by_p(CDI_DOMINATORS, loop->latch, block))
    return false;
  bool fits = is_invariant(loop, range.bytes);
  for (const Range::Dimension& dimension : range.dimensions)
    fits = fits && is_invariant(loop, dimension.count) && is_invariant(loop, dimension.stride);
  if (!fits) return false;
  tree stride = build_int_cst(number_type(), 0);
  std::vector<tree> bases;
  for (tree part : parts) {
    affine_iv iv;
    if (!simple_iv(loop, inside, part, &iv, true)) return false;
    if (!is_invariant(loop, iv.base) || !is_invariant(loop, iv.step)) return false;
    bases.push_back(iv.base);
    // The step of a pointer is of type sizetype; that of a number is extended as its type says.
    stride = fold_build2(PLUS_EXPR, number_type(), stride,
                         fold_convert(number_type(), fold_convert(ssizetype, iv.step)));
  }
  if (!integer_zerop(stride) || !comes_before_exits(block, loop)) {
    tree count = executions(block, loop);
    if (count == nullptr || !is_invariant(loop, count)) return false;
    if (integer_zerop(stride)) {
      if (!tree_expr_nonzero_p(count)) return false;  // the access may not be made at all
    } else if (!add_dimension(range, count, stride, joins)) {
      return false;
    }
  }
  parts = bases;
  return true;
}

// Whether the numbers are equal, also if they are computed in different ways.
bool RangeFinder::are_equal(tree a, tree b) {
  if (operand_equal_p(a, b, 0)) return true;
  if (TREE_CODE(a) == INTEGER_CST && TREE_CODE(b) == INTEGER_CST) return false;
  aff_tree difference, other;
  tree_to_aff_combination_expand(a, number_type(), &difference, &expansions_);
  tree_to_aff_combination_expand(b, number_type(), &other, &expansions_);
  aff_combination_scale(&other, -1);
  aff_combination_add(&difference, &other);
  return difference.rest == nullptr && aff_combination_zero_p(&difference);
}

// Bytes, or rows, that continue each other become one, also in tiled loops. `joins`: elements may.
bool RangeFinder::add_dimension(Range& range, tree count, tree stride, bool joins) {
  if (joins && are_equal(stride, range.bytes)) {
    range.bytes = fold_build2(MULT_EXPR, number_type(), range.bytes, count);
    return true;
  }
  for (Range::Dimension& known : range.dimensions)
    if (are_equal(stride, fold_build2(MULT_EXPR, number_type(), known.count, known.stride))) {
      known.count = fold_build2(MULT_EXPR, number_type(), known.count, count);
      return true;
    }
  if (range.dimensions.size() == (joins ? kMaxDimensions : 1)) return false;
  range.dimensions.push_back({count, stride});
  return true;
}

}  // namespace photofinish::gcc

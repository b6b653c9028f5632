// Rule: the rows of an inner loop are one row of the outer loop if all of these hold. A row ends
// where the row of the next iteration begins: both ends are loads at addresses one step apart, or
// the begin is a phi that the end goes into. The inner loop is skipped only if its row is empty.
// Every call in the outer loop returns, and nothing in it may write to the ends.
//
// Misses: rows that overlap, since a later row begins before an earlier one. start[] must not
// decrease, as in all formats of compressed rows.
#include "compiler/gcc/chains.h"

namespace photofinish::gcc {
namespace {

tree number_type() { return long_unsigned_type_node; }

bool returns(const gimple* statement) {
  if (is_a<const gasm*>(statement)) return false;
  const auto* call = dyn_cast<const gcall*>(statement);
  if (call == nullptr || gimple_call_internal_p(call)) return true;
  const int flags = gimple_call_flags(call);
  return (flags & (ECF_CONST | ECF_PURE)) != 0 && (flags & ECF_LOOPING_CONST_OR_PURE) == 0;
}

struct Test {
  tree_code code;
  tree left, right;
};

// What holds if control takes this edge; none: nothing is tested.
std::optional<Test> test_of(edge taken) {
  if ((taken->flags & (EDGE_TRUE_VALUE | EDGE_FALSE_VALUE)) == 0) return {};
  gimple_stmt_iterator last = gsi_last_bb(taken->src);
  auto* test = gsi_end_p(last) ? nullptr : dyn_cast<gcond*>(gsi_stmt(last));
  if (test == nullptr || !INTEGRAL_TYPE_P(TREE_TYPE(gimple_cond_lhs(test)))) return {};
  tree_code code = gimple_cond_code(test);
  if ((taken->flags & EDGE_FALSE_VALUE) != 0) code = invert_tree_comparison(code, false);
  return Test{code, gimple_cond_lhs(test), gimple_cond_rhs(test)};
}

edge other_edge(edge one) {
  edge other = EDGE_SUCC(one->src, 0);
  return other == one ? EDGE_SUCC(one->src, 1) : other;
}

// The ends of a row, as values of an iteration of the outer loop.
struct Ends {
  tree begin = nullptr, end = nullptr;
};

// The inner loop goes from begin to end by ones, if the row is not empty.
std::optional<Ends> ends_of(class loop* inner, class loop* outer) {
  edge exit = single_exit(inner);
  if (exit == nullptr || EDGE_COUNT(exit->src->succs) != 2) return {};
  auto test = test_of(other_edge(exit));
  if (!test) return {};
  if (expr_invariant_in_loop_p(inner, test->left)) {
    std::swap(test->left, test->right);
    test->code = swap_tree_comparison(test->code);
  }
  affine_iv iv;
  if (!expr_invariant_in_loop_p(inner, test->right) ||
      !simple_iv(inner, exit->src->loop_father, test->left, &iv, false) ||
      !tree_fits_shwi_p(iv.step))
    return {};
  const std::int64_t step = tree_to_shwi(iv.step);
  if (step <= 0 || (test->code != NE_EXPR && step != 1)) return {};
  if (test->code != NE_EXPR && test->code != LT_EXPR && test->code != LE_EXPR) return {};
  Sum length(outer, true);
  if (!length.add(test->right, 1) || !length.add(iv.base, -1)) return {};
  length.add_constant(step + (test->code == LE_EXPR ? 1 : 0));
  if (length.terms().size() != 2 || length.constant_rest() != 0) return {};
  const auto& [first, second] = std::pair(length.terms()[0], length.terms()[1]);
  if (first.factor != -second.factor || std::abs(first.factor) != step) return {};
  return first.factor > 0 ? Ends{second.value, first.value} : Ends{first.value, second.value};
}

// Whether the test holds exactly if the row is not empty.
bool is_not_empty(const Test& test, const Ends& ends, class loop* outer) {
  Sum difference(outer);
  if (!difference.add(test.left, 1) || !difference.add(test.right, -1)) return false;
  tree_code code = test.code;
  const std::int64_t factor = difference.factor_of(ends.end);
  const auto rest = difference.constant_rest();
  if (difference.terms().size() != 2 || factor == 0 || !rest ||
      difference.factor_of(ends.begin) != -factor)
    return false;
  if (factor < 0) code = swap_tree_comparison(code);
  const std::int64_t behind = factor < 0 ? -*rest : *rest;
  return ((code == GT_EXPR || code == NE_EXPR) && behind == 0) ||
         (code == GE_EXPR && behind == -1 && std::abs(factor) == 1);
}

bool has_guards(class loop* inner, class loop* outer, const Ends& ends) {
  basic_block block = loop_preheader_edge(inner)->src;
  bool any = false;
  while (!dominated_by_p(CDI_DOMINATORS, outer->latch, block)) {
    if (!single_pred_p(block)) return false;
    edge into = single_pred_edge(block);
    if (into->src->loop_father != outer) return false;
    if (const auto test = test_of(into)) {
      if (!is_not_empty(*test, ends, outer)) return false;
      any = true;
    } else if (!single_succ_p(into->src)) {
      return false;
    }
    block = into->src;
  }
  return any;
}

struct Spaced {
  tree address = nullptr;  // in the first iteration
  std::int64_t step = 0;
};

// The addresses of a load that every iteration makes.
std::optional<Spaced> addresses_of(tree value, class loop* loop) {
  gimple* load = SSA_NAME_DEF_STMT(value);
  const auto access = load_of(load);
  if (!access || gimple_has_volatile_ops(load) || gimple_bb(load)->loop_father != loop ||
      !dominated_by_p(CDI_DOMINATORS, loop->latch, gimple_bb(load)) || !stays_same(loop, load))
    return {};
  Spaced found{build_int_cst(number_type(), access->shift), 0};
  for (tree part : access->parts) {
    affine_iv iv;
    if (!simple_iv(loop, loop, part, &iv, false) ||
        !tree_fits_shwi_p(fold_convert(ssizetype, iv.step)))
      return {};
    found.address =
        fold_build2(PLUS_EXPR, number_type(), found.address, fold_convert(number_type(), iv.base));
    found.step += tree_to_shwi(fold_convert(ssizetype, iv.step));
  }
  return found;
}

tree load_from(tree address, tree type) {
  tree pointer = fold_convert(build_pointer_type(type), address);
  return fold_convert(number_type(), build2(MEM_REF, type, pointer, build_zero_cst(ptr_type_node)));
}

}  // namespace

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

std::optional<Chain> find_chain(class loop* inner, tree first, std::uint64_t step,
                                tree executions) {
  class loop* outer = loop_outer(inner);
  const auto ends = ends_of(inner, outer);
  if (!ends || TREE_TYPE(ends->begin) != TREE_TYPE(ends->end) || !has_guards(inner, outer, *ends))
    return {};
  Sum address(outer);
  if (!address.add(first) || address.terms().size() != 1 ||
      address.factor_of(ends->begin) != static_cast<std::int64_t>(step))
    return {};
  const auto end = addresses_of(ends->end, outer);
  if (!end || end->step == 0) return {};
  tree type = TREE_TYPE(ends->begin), begin = nullptr;
  if (auto* phi = dyn_cast<gphi*>(SSA_NAME_DEF_STMT(ends->begin))) {
    if (gimple_bb(phi) != outer->header ||
        PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(outer)) != ends->end)
      return {};
    begin = fold_convert(number_type(), PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(outer)));
  } else {
    const auto begins = addresses_of(ends->begin, outer);
    if (!begins || begins->step != end->step ||
        distance_between(begins->address, end->address) != end->step)
      return {};
    begin = load_from(begins->address, type);
  }
  tree last = fold_build2(
      MULT_EXPR, number_type(), build_int_cst(number_type(), end->step),
      fold_build2(MINUS_EXPR, number_type(), executions, build_int_cst(number_type(), 1)));
  last = load_from(fold_build2(PLUS_EXPR, number_type(), end->address, last), type);
  tree length = fold_convert(ssizetype, fold_build2(MINUS_EXPR, number_type(), last, begin));
  Chain chain;
  chain.count = fold_convert(number_type(),
                             fold_build2(MAX_EXPR, ssizetype, length, build_zero_cst(ssizetype)));
  chain.address =
      fold_build2(PLUS_EXPR, number_type(), address.rest(),
                  fold_build2(MULT_EXPR, number_type(), begin, build_int_cst(number_type(), step)));
  return chain;
}

}  // namespace photofinish::gcc

#include "compiler/gcc/blocks.h"

#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {

std::uint64_t how(const Access& access) {
  return (access.writes ? PHOTOFINISH_WRITES : 0) | (access.releases ? PHOTOFINISH_RELEASES : 0);
}

tree value_of(gimple_seq* sequence, tree expression) {
  gimple_seq made = nullptr;
  tree value = force_gimple_operand(unshare_expr(expression), &made, true, NULL_TREE);
  gimple_seq_add_seq(sequence, made);
  return value;
}

tree assign(gimple_seq* sequence, tree expression) {
  tree value = make_ssa_name(TREE_TYPE(expression));
  gimple_seq_add_stmt(sequence, gimple_build_assign(value, expression));
  return value;
}

basic_block add_cold_block(gimple_stmt_iterator at, gimple_seq sequence, tree condition,
                           location_t location) {
  gimple_seq_set_location(sequence, location);
  gcond* branch = gimple_build_cond(NE_EXPR, condition, build_zero_cst(TREE_TYPE(condition)),
                                    NULL_TREE, NULL_TREE);
  gimple_set_location(branch, location);
  gimple_seq_add_stmt(&sequence, branch);
  basic_block block = gsi_bb(at);
  if (gsi_end_p(at))
    gsi_insert_seq_after(&at, sequence, GSI_NEW_STMT);
  else
    gsi_insert_seq_before(&at, sequence, GSI_SAME_STMT);
  edge on = split_block(block, branch);
  basic_block rest = on->dest, cold = create_empty_bb(block);
  if (current_loops != nullptr) add_bb_to_loop(cold, block->loop_father);
  on->flags = EDGE_FALSE_VALUE;
  on->probability = profile_probability::very_likely();
  edge into = make_edge(block, cold, EDGE_TRUE_VALUE);
  into->probability = profile_probability::very_unlikely();
  cold->count = into->count();
  make_single_succ_edge(cold, rest, EDGE_FALLTHRU);
  if (dom_info_available_p(CDI_DOMINATORS)) set_immediate_dominator(CDI_DOMINATORS, cold, block);
  return cold;
}

basic_block add_block_behind(basic_block block, gimple_seq sequence, basic_block next) {
  basic_block made = create_empty_bb(block);
  if (current_loops != nullptr) add_bb_to_loop(made, block->loop_father);
  made->count = block->count;
  make_single_succ_edge(made, next, EDGE_FALLTHRU);
  gimple_stmt_iterator at = gsi_last_bb(made);
  gsi_insert_seq_after(&at, sequence, GSI_NEW_STMT);
  return made;
}

void branch(basic_block block, tree condition, basic_block likely, basic_block otherwise) {
  gimple_stmt_iterator at = gsi_last_bb(block);
  gsi_insert_after(&at,
                   gimple_build_cond(NE_EXPR, condition, build_zero_cst(TREE_TYPE(condition)),
                                     NULL_TREE, NULL_TREE),
                   GSI_NEW_STMT);
  remove_edge(single_succ_edge(block));
  edge on = make_edge(block, likely, EDGE_TRUE_VALUE);
  on->probability = profile_probability::very_likely();
  edge off = make_edge(block, otherwise, EDGE_FALSE_VALUE);
  off->probability = profile_probability::very_unlikely();
  likely->count = on->count();
  if (dom_info_available_p(CDI_DOMINATORS))
    for (basic_block one : {likely, otherwise})
      set_immediate_dominator(CDI_DOMINATORS, one,
                              EDGE_COUNT(one->preds) == 1 ? block : EDGE_PRED(one, 0)->src);
}

}  // namespace photofinish::gcc

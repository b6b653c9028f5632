// Setting the bit of an access site without a call (runtime_abi.h).
#include <cstddef>

#include "compiler/gcc/blocks.h"
#include "compiler/gcc/hooks.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {
namespace {

// The front end of Fortran does not declare it.
tree thread_pointer_function() {
  if (tree known = builtin_decl_explicit(BUILT_IN_THREAD_POINTER)) return known;
  tree made =
      build_fn_decl("__builtin_thread_pointer", build_function_type_list(ptr_type_node, NULL_TREE));
  set_decl_built_in_function(made, BUILT_IN_NORMAL, BUILT_IN_THREAD_POINTER);
  TREE_NOTHROW(made) = TREE_READONLY(made) = 1;
  set_builtin_decl(BUILT_IN_THREAD_POINTER, made, false);
  return made;
}

}  // namespace

// In the block, sets the bit of the site for this address, and continues behind the hook. Returns
// the block for all other cases: the site has no bit, or it may be the first of its group.
basic_block Hooks::set_bit(basic_block cold, tree address, unsigned unit, tree& site) {
  basic_block rest = single_succ(cold);
  gimple_seq sequence = nullptr;
  const auto build = [&](tree_code code, tree left, tree right) {
    return gimple_build(&sequence, code, number_type(), left, right);
  };
  const auto shift = [&](tree_code code, tree value, unsigned by) {
    return build(code, value, build_int_cst(integer_type_node, by));
  };
  const auto holds = [&](tree_code code, tree left, tree right) {
    return gimple_build(&sequence, code, boolean_type_node, left, right);
  };
  const auto load = [&](tree type, tree pointer, std::size_t offset) {
    return assign(&sequence, build2(MEM_REF, type, pointer, build_int_cst(ptr_type_node, offset)));
  };
  const auto pointer_to = [&](tree value) {
    return gimple_convert(&sequence, ptr_type_node, value);
  };
  site = pointer_to(build(PLUS_EXPR, gimple_convert(&sequence, number_type(), site),
                          assign(&sequence, unit_.distance())));
  gcall* thread = gimple_build_call(thread_pointer_function(), 0);
  tree own = make_ssa_name(ptr_type_node);
  gimple_call_set_lhs(thread, own);
  gimple_seq_add_stmt(&sequence, thread);
  tree from =
      build(MINUS_EXPR, address, load(number_type(), site, offsetof(photofinish_site, base)));
  tree at = unit == 0 ? from : shift(RROTATE_EXPR, from, unit);
  tree known = gimple_build(
      &sequence, BIT_AND_EXPR, boolean_type_node,
      holds(EQ_EXPR, gimple_convert(&sequence, number_type(), own),
            load(number_type(), site, offsetof(photofinish_site, thread))),
      holds(LT_EXPR, at, load(number_type(), site, offsetof(photofinish_site, units))));
  gimple_stmt_iterator end = gsi_last_bb(cold);
  gsi_insert_seq_after(&end, sequence, GSI_NEW_STMT);

  sequence = nullptr;
  tree bits = load(number_type(), site, offsetof(photofinish_site, bits));
  tree group = build(MINUS_EXPR, bits, shift(RSHIFT_EXPR, at, PHOTOFINISH_GROUP_BITS));
  tree used = load(unsigned_char_type_node, pointer_to(build(MINUS_EXPR, group, number(1))), 0);
  used = holds(NE_EXPR, used, build_zero_cst(unsigned_char_type_node));
  basic_block check = add_block_behind(cold, sequence, rest);

  sequence = nullptr;
  tree word = pointer_to(build(PLUS_EXPR, bits, shift(LSHIFT_EXPR, shift(RSHIFT_EXPR, at, 6), 3)));
  tree bit =
      build(LSHIFT_EXPR, number(1),
            gimple_convert(&sequence, integer_type_node, build(BIT_AND_EXPR, at, number(63))));
  tree set = build(BIT_IOR_EXPR, load(number_type(), word, 0), bit);
  gimple_seq_add_stmt(
      &sequence, gimple_build_assign(
                     build2(MEM_REF, number_type(), word, build_int_cst(ptr_type_node, 0)), set));
  basic_block found = add_block_behind(check, sequence, rest);
  basic_block report = add_block_behind(found, nullptr, rest);
  // cold goes to check or report, check to found or report, found and report to rest.
  branch(cold, known, check, report);
  branch(check, used, found, report);
  return report;
}

}  // namespace photofinish::gcc

// Hooks in front of loops that access memory through indices.
#include "compiler/gcc/blocks.h"
#include "compiler/gcc/hooks.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {

// Returns what the library answered; not zero: the accesses are reported.
tree Hooks::add_row(gimple_seq* sequence, const Gather& row, int region) {
  struct Site {
    const Gather::Use* use;
    std::uint64_t slots;
  };
  std::vector<Site> sites;
  std::int64_t lowest = row.uses.front().offset;
  for (const Gather::Use& use : row.uses) lowest = MIN(lowest, use.offset);
  std::uint64_t all = 0;
  for (const Gather::Use& use : row.uses) {
    const std::uint64_t slot = std::uint64_t{1}
                               << static_cast<std::uint64_t>(use.offset - lowest) / row.bytes;
    all |= slot;
    const auto same = [&](const Site& site) {
      const Gather::Use& other = *site.use;
      return other.scale == use.scale && other.access.bytes == use.access.bytes &&
             other.access.writes == use.access.writes && operand_equal_p(other.base, use.base, 0) &&
             LOCATION_LINE(location_of(other.access.statement)) ==
                 LOCATION_LINE(location_of(use.access.statement));
    };
    const auto known = std::find_if(sites.begin(), sites.end(), same);
    if (known != sites.end())
      known->slots |= slot;
    else
      sites.push_back({&use, slot});
  }
  const auto pointer = [&](tree address) {
    return gimple_convert(sequence, ptr_type_node, value_of(sequence, address));
  };
  tree index = unit_.new_index(row.step, row.bytes | (row.is_signed ? PHOTOFINISH_SIGNED : 0), all);
  tree first =
      fold_build2(PLUS_EXPR, number_type(), row.first, build_int_cst(number_type(), lowest));
  gcall* ask = gimple_build_call(unit_.function_of(Support::Indices), 3, index, pointer(first),
                                 value_of(sequence, row.times));
  tree answer = make_ssa_name(number_type());
  gimple_call_set_lhs(ask, answer);
  gimple_set_location(ask, location_of(row.uses.front().access.statement));
  gimple_seq_add_stmt(sequence, ask);
  for (const auto& [use, slots] : sites) {
    const location_t location = location_of(use->access.statement);
    gcall* call =
        gimple_build_call(unit_.function_of(Support::Gather), 7, unit_.new_site(location, region),
                          pointer(use->base), number(use->access.bytes | how(use->access)),
                          number(use->scale), index, number(slots), answer);
    gimple_set_location(call, location);
    gimple_seq_add_stmt(sequence, call);
  }
  return answer;
}

tree Hooks::add(const std::vector<const Gather*>& rows, class loop* loop, int region) {
  basic_block block = split_edge(loop_preheader_edge(loop));
  const location_t location = location_of(rows.front()->uses.front().access.statement);
  gimple_seq sequence = nullptr, calls = nullptr;
  tree checked = checked_by(&sequence, region);
  basic_block cold = add_cold_block(gsi_last_bb(block), sequence, checked, location);
  tree missing = boolean_false_node;
  for (const Gather* row : rows)
    missing = gimple_build(
        &calls, BIT_IOR_EXPR, boolean_type_node, missing,
        gimple_build(&calls, EQ_EXPR, boolean_type_node, add_row(&calls, *row, region), number(0)));
  tree byte = unsigned_char_type_node;
  tree mask = gimple_build(&calls, NEGATE_EXPR, byte, gimple_convert(&calls, byte, missing));
  gimple_stmt_iterator at = gsi_last_bb(cold);
  gsi_insert_seq_after(&at, calls, GSI_NEW_STMT);
  basic_block rest = single_succ(cold);
  tree result = make_ssa_name(byte);
  gphi* phi = create_phi_node(result, rest);
  add_phi_arg(phi, mask, single_succ_edge(cold), UNKNOWN_LOCATION);
  add_phi_arg(phi, build_zero_cst(byte), find_edge(block, rest), UNKNOWN_LOCATION);
  return result;
}

}  // namespace photofinish::gcc

#include "compiler/gcc/hooks.h"

#include <cstddef>

#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {
namespace {

tree number_type() { return long_unsigned_type_node; }
tree number(std::uint64_t value) { return build_int_cstu(number_type(), value); }

std::uint64_t how(const Access& access) {
  return (access.writes ? PHOTOFINISH_WRITES : 0) | (access.releases ? PHOTOFINISH_RELEASES : 0);
}

unsigned trailing_zeros(std::uint64_t value) {
  return static_cast<unsigned>(__builtin_ctzll(value));
}

// A value for `expression`, computed by statements that are added to the sequence.
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

tree address_of(gimple_seq* sequence, const Access& access) {
  tree sum = nullptr;
  for (tree part : access.parts) {
    tree value = gimple_convert(sequence, number_type(), value_of(sequence, part));
    sum = sum == nullptr ? value : gimple_build(sequence, PLUS_EXPR, number_type(), sum, value);
  }
  if (access.shift != 0 || sum == nullptr) {
    tree shift = number(static_cast<std::uint64_t>(access.shift));
    sum = sum == nullptr ? shift : gimple_build(sequence, PLUS_EXPR, number_type(), sum, shift);
  }
  return sum;
}

// Inserts the sequence, and a branch to a new cold block, in front of `at`, and returns the block.
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

void add_call_to(basic_block block, gcall* call, location_t location) {
  gimple_set_location(call, location);
  gimple_stmt_iterator at = gsi_last_bb(block);
  gsi_insert_after(&at, call, GSI_NEW_STMT);
}

// Behind a statement; in front of everything else that follows it.
void insert_behind(gimple* statement, gimple_seq sequence) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  if (!stmt_ends_bb_p(statement)) {
    gsi_insert_seq_after(&at, sequence, GSI_SAME_STMT);
    return;
  }
  edge next = find_fallthru_edge(gimple_bb(statement)->succs);
  if (next != nullptr) gsi_insert_seq_on_edge_immediate(next, sequence);
}

void insert_before(gimple* statement, gimple_seq sequence) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_seq_before(&at, sequence, GSI_SAME_STMT);
}

}  // namespace

location_t location_of(gimple* statement) {
  if (LOCATION_LOCUS(gimple_location(statement)) > BUILTINS_LOCATION)
    return gimple_location(statement);
  basic_block block = gimple_bb(statement);
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  for (int blocks = 0; blocks < 8; ++blocks) {
    for (; !gsi_end_p(at); gsi_prev(&at))
      if (LOCATION_LOCUS(gimple_location(gsi_stmt(at))) > BUILTINS_LOCATION)
        return gimple_location(gsi_stmt(at));
    if (!single_pred_p(block) || single_pred(block) == ENTRY_BLOCK_PTR_FOR_FN(cfun)) break;
    block = single_pred(block);
    at = gsi_last_bb(block);
  }
  return cfun->function_start_locus;
}

tree Hooks::load_number(gimple_seq* sequence, tree reference) {
  return assign(sequence, reference);
}

void Hooks::add(const Access& access, int region, tree mask) {
  if (access.bytes == 0) return add_call(access, region);
  const location_t location = location_of(access.statement);
  gimple_seq sequence = nullptr;
  tree address = address_of(&sequence, access);
  if (access.bytes > PHOTOFINISH_SPAN || access.rows > 1) {
    return add_range(gsi_for_stmt(access.statement), sequence,
                     {address, number(access.bytes), number(access.rows), number(access.stride),
                      number(1), number(0), how(access), nullptr},
                     location, region);
  }
  tree page = gimple_build(&sequence, RSHIFT_EXPR, number_type(), address,
                           build_int_cst(integer_type_node, PHOTOFINISH_PAGE_BITS));
  tree slot =
      gimple_build(&sequence, BIT_AND_EXPR, number_type(), page, number(PHOTOFINISH_GATE_SIZE - 1));
  slot = gimple_convert(&sequence, sizetype, slot);
  tree mark = assign(&sequence, build4(ARRAY_REF, unsigned_char_type_node, unit_.state(), slot,
                                       NULL_TREE, NULL_TREE));
  if (mask != nullptr)
    mark = gimple_build(&sequence, BIT_AND_EXPR, unsigned_char_type_node, mark, mask);
  basic_block cold = add_cold_block(gsi_for_stmt(access.statement), sequence, mark, location);
  gimple_seq arguments = nullptr;
  tree pointer = gimple_convert(&arguments, ptr_type_node, address);
  const unsigned unit =
      MIN(static_cast<unsigned>(PHOTOFINISH_MAX_UNIT), trailing_zeros(access.bytes | access.align));
  const std::uint64_t bytes =
      access.bytes | how(access) | std::uint64_t{unit} << PHOTOFINISH_UNIT_BITS;
  gimple_stmt_iterator at = gsi_last_bb(cold);
  gsi_insert_seq_after(&at, arguments, GSI_NEW_STMT);
  add_call_to(cold,
              gimple_build_call(unit_.function_of(Support::Access), 3,
                                unit_.new_site(location, region), pointer, number(bytes)),
              location);
}

void Hooks::add(const Range& range, const Access& access, int region) {
  // A new block in front of the loop, behind everything that is there already.
  edge entry = loop_preheader_edge(range.loop);
  basic_block block = split_edge(entry);
  gimple_seq sequence = nullptr;
  const auto dimension = [&](std::size_t index, bool count) {
    if (index >= range.dimensions.size()) return number(count ? 1 : 0);
    return value_of(&sequence,
                    count ? range.dimensions[index].count : range.dimensions[index].stride);
  };
  tree address = value_of(&sequence, range.address), bytes = value_of(&sequence, range.bytes);
  tree rows = dimension(0, true), stride = dimension(0, false);
  tree planes = dimension(1, true), plane_stride = dimension(1, false);
  tree condition = nullptr;
  for (tree one : range.conditions) {
    tree holds = value_of(&sequence, one);
    condition = condition == nullptr
                    ? holds
                    : gimple_build(&sequence, BIT_AND_EXPR, boolean_type_node, condition, holds);
  }
  add_range(gsi_last_bb(block), sequence,
            {address, bytes, rows, stride, planes, plane_stride, how(access), condition},
            location_of(access.statement), region);
}

// Calls the support function if the range overlaps the bounds of reachable memory.
void Hooks::add_range(gimple_stmt_iterator at, gimple_seq sequence, const Bytes& range,
                      location_t location, int region) {
  tree low = range.address,
       high = gimple_build(&sequence, PLUS_EXPR, number_type(), low, range.bytes);
  const auto widen = [&](tree count, tree stride) {
    if (integer_zerop(stride)) return;
    tree span = gimple_build(&sequence, MULT_EXPR, number_type(), stride,
                             gimple_build(&sequence, MINUS_EXPR, number_type(), count, number(1)));
    if (TREE_CODE(stride) == INTEGER_CST) {
      tree& end = tree_int_cst_sgn(fold_convert(ssizetype, stride)) < 0 ? low : high;
      end = gimple_build(&sequence, PLUS_EXPR, number_type(), end, span);
      return;
    }
    tree down = gimple_build(&sequence, RSHIFT_EXPR, ssizetype,
                             gimple_convert(&sequence, ssizetype, stride),
                             build_int_cst(integer_type_node, 63));
    down = gimple_build(&sequence, BIT_AND_EXPR, number_type(),
                        gimple_convert(&sequence, number_type(), down), span);
    low = gimple_build(&sequence, PLUS_EXPR, number_type(), low, down);
    high = gimple_build(&sequence, PLUS_EXPR, number_type(), high,
                        gimple_build(&sequence, MINUS_EXPR, number_type(), span, down));
  };
  widen(range.rows, range.stride);
  widen(range.planes, range.plane_stride);
  tree shared_high = load_number(&sequence, unit_.state_field(offsetof(photofinish_state, high))),
       shared_low = load_number(&sequence, unit_.state_field(offsetof(photofinish_state, low)));
  tree meets = gimple_build(&sequence, BIT_AND_EXPR, boolean_type_node,
                            gimple_build(&sequence, LT_EXPR, boolean_type_node, low, shared_high),
                            gimple_build(&sequence, LT_EXPR, boolean_type_node, shared_low, high));
  if (range.condition != nullptr)
    meets = gimple_build(&sequence, BIT_AND_EXPR, boolean_type_node, meets, range.condition);
  basic_block cold = add_cold_block(at, sequence, meets, location);
  gimple_seq arguments = nullptr;
  tree pointer = gimple_convert(&arguments, ptr_type_node, range.address);
  tree bytes = range.how == 0 ? range.bytes
                              : gimple_build(&arguments, BIT_IOR_EXPR, number_type(), range.bytes,
                                             number(range.how));
  gimple_stmt_iterator end = gsi_last_bb(cold);
  gsi_insert_seq_after(&end, arguments, GSI_NEW_STMT);
  add_call_to(
      cold,
      gimple_build_call(unit_.function_of(Support::Range), 7, unit_.new_site(location, region),
                        pointer, bytes, range.rows, range.stride, range.planes, range.plane_stride),
      location);
}

// A call of the library: the support function computes the bytes.
void Hooks::add_call(const Access& access, int region) {
  const location_t location = location_of(access.statement);
  gimple_seq sequence = nullptr;
  tree pointer = gimple_convert(&sequence, ptr_type_node, address_of(&sequence, access));
  tree site = unit_.new_site(location, region), none = number(0), one = number(1);
  const auto value = [&](tree operand) {
    return operand != nullptr ? gimple_convert(&sequence, number_type(), operand) : none;
  };
  gcall* call = nullptr;
  if (access.releases) {
    tree bytes =
        gimple_build(&sequence, BIT_IOR_EXPR, number_type(), value(access.a), number(how(access)));
    call = gimple_build_call(unit_.function_of(Support::Free), 7, site, pointer, bytes, one, none,
                             one, none);
  } else if (access.extent == Extent::Array || access.extent == Extent::ArrayThen) {
    call = gimple_build_call(unit_.function_of(Support::Array), 7, site, pointer,
                             number(how(access)), none, none, none, none);
  } else {
    const std::uint64_t kind = static_cast<std::uint64_t>(access.extent) |
                               (access.b != nullptr ? kHasB : 0) |
                               (access.c != nullptr ? kHasC : 0) |
                               (access.behind_string ? kBehindString : 0) | how(access);
    tree a = value(access.a), b = value(access.b), c = value(access.c);
    call = gimple_build_call(unit_.function_of(Support::Call), 7, site, pointer, number(kind), a, b,
                             c, none);
  }
  gimple_seq_add_stmt(&sequence, call);
  gimple_seq_set_location(sequence, location);
  if (access.comes_after())
    insert_behind(access.statement, sequence);
  else
    insert_before(access.statement, sequence);
}

void Hooks::add_synchronization(gimple* statement) {
  const location_t location = location_of(statement);
  const auto call_of = [&](tree address, std::uint64_t how, std::uint64_t atomic) {
    gimple_seq sequence = nullptr;
    tree pointer =
        address != nullptr ? gimple_convert(&sequence, ptr_type_node, address) : null_pointer_node;
    gimple_seq_add_stmt(&sequence, gimple_build_call(unit_.function_of(Support::Synchronize), 3,
                                                     pointer, number(how), number(atomic)));
    gimple_seq_set_location(sequence, location);
    return sequence;
  };
  if (const auto atomic = atomic_of(statement)) {
    const bool operates = atomic->bytes != 0;
    if (atomic->releases || operates)
      insert_before(statement, call_of(atomic->address, atomic->releases ? PHOTOFINISH_RELEASE : 0,
                                       operates ? 2 : 0));
    if (atomic->acquires || operates)
      insert_behind(statement, call_of(atomic->address, atomic->acquires ? PHOTOFINISH_ACQUIRE : 0,
                                       operates ? 1 : 0));
    return;
  }
  if (gimple_call_internal_p(statement)) return;
  const std::string_view name = name_of(statement);
  if (name.substr(0, 13) == "GOMP_parallel") {
    tree outlined = gimple_call_arg(statement, 0);
    const std::uint64_t kind =
        TREE_CODE(outlined) == ADDR_EXPR && TREE_CODE(TREE_OPERAND(outlined, 0)) == FUNCTION_DECL
            ? unit_.quiet.region_of(TREE_OPERAND(outlined, 0))
            : PHOTOFINISH_REGION_UNKNOWN;
    gimple_seq sequence = nullptr;
    gimple_seq_add_stmt(&sequence,
                        gimple_build_call(unit_.function_of(Support::Region), 1, number(kind)));
    gimple_seq_set_location(sequence, location);
    insert_before(statement, sequence);
  }
  if (name.substr(0, 13) != "GOMP_sections") return;
  // A section ends where its thread asks for the next one; it gets 0 if there is none.
  if (name != "GOMP_sections_start" && name != "GOMP_sections2_start")
    insert_before(statement, call_of(nullptr, PHOTOFINISH_SECTION_END, 0));
  tree next = gimple_call_lhs(statement);
  if (next == nullptr || TREE_CODE(next) != SSA_NAME) return;
  gimple_seq sequence = nullptr;
  tree begins =
      gimple_build(&sequence, NE_EXPR, boolean_type_node, next, build_zero_cst(TREE_TYPE(next)));
  tree section = gimple_build(&sequence, MULT_EXPR, number_type(),
                              gimple_convert(&sequence, number_type(), begins),
                              number(PHOTOFINISH_SECTION_BEGIN));
  gimple_seq_add_stmt(&sequence, gimple_build_call(unit_.function_of(Support::Synchronize), 3,
                                                   null_pointer_node, section, number(0)));
  gimple_seq_set_location(sequence, location);
  insert_behind(statement, sequence);
}

// Whether to run the version with hooks. Region -1: whether any memory is reachable.
tree Hooks::checked_by(gimple_seq* sequence, int region) {
  tree high = load_number(sequence, unit_.state_field(offsetof(photofinish_state, high)));
  tree reachable = gimple_build(sequence, NE_EXPR, boolean_type_node, high, number(0));
  if (region < 0) return reachable;
  tree passed = assign(sequence, unit_.passed(region));
  return gimple_build(sequence, BIT_AND_EXPR, boolean_type_node, reachable,
                      gimple_build(sequence, EQ_EXPR, boolean_type_node, passed,
                                   build_zero_cst(unsigned_char_type_node)));
}

tree Hooks::checked_at(basic_block block, int region) {
  gimple_seq sequence = nullptr;
  tree checked = checked_by(&sequence, region);
  gimple_stmt_iterator at = gsi_last_bb(block);
  gsi_insert_seq_after(&at, sequence, GSI_NEW_STMT);
  return checked;
}

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

#include "compiler/gcc/hooks.h"

#include <cstddef>

#include "compiler/gcc/blocks.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {
namespace {

unsigned trailing_zeros(std::uint64_t value) {
  return static_cast<unsigned>(__builtin_ctzll(value));
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
  const unsigned unit =
      MIN(static_cast<unsigned>(PHOTOFINISH_MAX_UNIT), trailing_zeros(access.bytes | access.align));
  const std::uint64_t bytes =
      access.bytes | how(access) | std::uint64_t{unit} << PHOTOFINISH_UNIT_BITS;
  tree site = unit_.new_site(location, region);
  const bool sets_bit = sets_bits_ && !access.releases && loop_outer(cold->loop_father) != nullptr;
  if (sets_bit) cold = set_bit(cold, address, unit, site);
  gimple_seq arguments = nullptr;
  tree pointer = gimple_convert(&arguments, ptr_type_node, address);
  gimple_stmt_iterator at = gsi_last_bb(cold);
  gsi_insert_seq_after(&at, arguments, GSI_NEW_STMT);
  add_call_to(cold,
              gimple_build_call(unit_.function_of(sets_bit ? Support::Report : Support::Access), 3,
                                site, pointer, number(bytes)),
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

}  // namespace photofinish::gcc

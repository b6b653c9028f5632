#include "compiler/gcc/accesses.h"

#include <langhooks.h>

namespace photofinish::gcc {
namespace {

bool is_memory(tree operand) {
  if (operand == nullptr) return false;
  return DECL_P(operand) ? VAR_P(operand) || TREE_CODE(operand) == PARM_DECL ||
                               TREE_CODE(operand) == RESULT_DECL
                         : REFERENCE_CLASS_P(operand);
}

// gfortran takes the rules of Fortran to say that a procedure keeps no address of its arguments.
// MPI does: a pending operation and a window are addresses of arguments. So its points-to analysis
// does not count; only descriptors and parameter blocks that it makes itself are dropped.
bool keeps_no_addresses() {
  static const bool kFortran = lang_GNU_Fortran();
  return kFortran;
}

bool may_be_known(tree reference, tree base) {
  if (!keeps_no_addresses()) return ref_may_alias_global_p(reference, true);
  return !DECL_P(base) || is_global_var(base) || !DECL_ARTIFICIAL(base) ||
         !RECORD_OR_UNION_TYPE_P(TREE_TYPE(base));
}

bool is_relevant(tree reference) {
  tree base = get_base_address(reference);
  if (base == nullptr || TREE_CODE(base) == SSA_NAME || CONSTANT_CLASS_P(base)) return false;
  if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
    base = TREE_OPERAND(TREE_OPERAND(base, 0), 0);
  if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(reference)))) return false;
  if (DECL_P(base)) {
    if (!is_memory(base)) return false;  // a label, code, a literal
    if (VAR_P(base) && (DECL_HARD_REGISTER(base) || DECL_VIRTUAL_P(base))) return false;
    if (!is_global_var(base)) {
      if (!TREE_ADDRESSABLE(base)) return false;
    } else {
      if (TREE_READONLY(base)) return false;
      if (!TREE_PUBLIC(base) && !DECL_EXTERNAL(base) && !TREE_ADDRESSABLE(base)) return false;
    }
  } else if (TREE_CODE(base) != MEM_REF && TREE_CODE(base) != TARGET_MEM_REF) {
    return false;
  }
  return may_be_known(reference, base);
}

bool is_relevant_pointer(tree pointer) {
  if (TREE_CODE(pointer) == ADDR_EXPR) return is_relevant(TREE_OPERAND(pointer, 0));
  if (TREE_CODE(pointer) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(pointer)))
    return keeps_no_addresses() || ptr_deref_may_alias_global_p(pointer, true);
  return !integer_zerop(pointer);
}

// Vectorized code loads groups of elements of which it needs only some: those that no use of the
// vector selects are no loads of the program.
constexpr unsigned kMostLanes = 64;
std::uint64_t all_lanes(unsigned lanes) {
  return lanes == kMostLanes ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
}

unsigned lanes_of(tree type) {
  unsigned HOST_WIDE_INT lanes;
  return VECTOR_TYPE_P(type) && TYPE_VECTOR_SUBPARTS(type).is_constant(&lanes) &&
                 lanes <= kMostLanes
             ? static_cast<unsigned>(lanes)
             : 0;
}

// A bit for each lane that is used.
std::uint64_t used_lanes(tree vector, unsigned depth = 0) {
  const unsigned lanes = lanes_of(TREE_TYPE(vector));
  const std::uint64_t all = all_lanes(lanes);
  std::uint64_t used = 0;
  imm_use_iterator uses;
  use_operand_p one;
  FOR_EACH_IMM_USE_FAST(one, uses, vector) {
    gimple* user = USE_STMT(one);
    if (is_gimple_debug(user)) continue;
    if (depth == 8 || !is_gimple_assign(user) || gimple_assign_rhs_code(user) != VEC_PERM_EXPR)
      return all;
    tree mask = gimple_assign_rhs3(user), result = gimple_assign_lhs(user);
    if (TREE_CODE(mask) != VECTOR_CST || mask == vector || lanes_of(TREE_TYPE(result)) != lanes)
      return all;
    const std::uint64_t wanted = used_lanes(result, depth + 1);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((wanted >> lane & 1) == 0) continue;
      const unsigned from = TREE_INT_CST_LOW(vector_cst_elt(mask, lane)) & (2 * lanes - 1);
      if (gimple_assign_rhs1(user) == vector && from < lanes) used |= std::uint64_t{1} << from;
      if (gimple_assign_rhs2(user) == vector && from >= lanes)
        used |= std::uint64_t{1} << (from - lanes);
    }
  }
  return used;
}

void add_target_reference(Access& access, tree base) {
  if (TMR_BASE(base) != nullptr) access.parts.push_back(TMR_BASE(base));
  access.shift += static_cast<std::int64_t>(TREE_INT_CST_LOW(TMR_OFFSET(base)));
  if (TMR_INDEX(base) != nullptr) {
    tree index = fold_convert(sizetype, TMR_INDEX(base));
    if (TMR_STEP(base) != nullptr)
      index = fold_build2(MULT_EXPR, sizetype, index, fold_convert(sizetype, TMR_STEP(base)));
    access.parts.push_back(index);
  }
  if (TMR_INDEX2(base) != nullptr) access.parts.push_back(fold_convert(sizetype, TMR_INDEX2(base)));
}

// `known`: whether the compiler knows the size.
std::optional<Access> access_to(gimple* statement, tree reference, bool writes, bool& known) {
  poly_int64 bits, at;
  tree offset;
  machine_mode mode;
  int is_unsigned, reversed, is_volatile;
  tree base = get_inner_reference(reference, &bits, &at, &offset, &mode, &is_unsigned, &reversed,
                                  &is_volatile);
  HOST_WIDE_INT size, begin;
  known = bits.is_constant(&size) && at.is_constant(&begin) && size >= 0;
  if (!known || size == 0) return {};
  Access access;
  access.statement = statement;
  access.writes = writes;
  const HOST_WIDE_INT first = begin >= 0 ? begin / 8 : -((7 - begin) / 8);
  access.shift = first;
  access.bytes = static_cast<std::uint64_t>((begin + size + 7) / 8 - first);
  access.align = offset == nullptr && !DECL_P(base)
                     ? get_object_alignment(reference) / BITS_PER_UNIT
                     : MIN(get_object_alignment(reference), 512u) / BITS_PER_UNIT;
  if (TREE_CODE(base) == MEM_REF) {
    access.parts.push_back(TREE_OPERAND(base, 0));
    access.shift += mem_ref_offset(base).force_shwi().coeffs[0];
  } else if (TREE_CODE(base) == TARGET_MEM_REF) {
    add_target_reference(access, base);
  } else if (is_memory(base)) {
    mark_addressable(base);
    access.parts.push_back(build_fold_addr_expr(base));
  } else {
    return {};
  }
  if (offset != nullptr) access.parts.push_back(fold_convert(sizetype, offset));
  return access;
}

class Finder {
 public:
  explicit Finder(Found& found) : found_(found) {}

  void visit(gimple* statement) {
    statement_ = statement;
    if (gimple_clobber_p(statement)) return;
    if (gimple_assign_single_p(statement)) {
      add(gimple_assign_rhs1(statement), false);
      add(gimple_assign_lhs(statement), true);
    } else if (auto* call = dyn_cast<gcall*>(statement)) {
      visit_call(call);
    } else if (auto* assembly = dyn_cast<gasm*>(statement)) {
      // Empty: it only orders what the compiler does, as gfortran around calls for coarrays.
      if (gimple_vuse(assembly) != nullptr && *gimple_asm_string(assembly) != '\0')
        ++found_.assembly, ++found_.all;
    }
  }

 private:
  void add(tree reference, bool writes) {
    if (!is_memory(reference)) return;
    if (TREE_CODE(reference) == MEM_REF && TREE_CODE(TREE_OPERAND(reference, 0)) == ADDR_EXPR &&
        !is_memory(get_base_address(reference)))
      return;
    ++found_.all;
    if (!is_relevant(reference)) return;
    bool known = true;
    if (const auto access = access_to(statement_, reference, writes, known)) add_lanes(*access);
    if (!known) ++found_.sizes;
  }

  // Evenly spaced elements are rows of one access, others one access each.
  void add_lanes(Access access) {
    tree value = access.writes ? nullptr : gimple_get_lhs(statement_);
    const unsigned lanes =
        value != nullptr && TREE_CODE(value) == SSA_NAME ? lanes_of(TREE_TYPE(value)) : 0;
    const std::uint64_t used = lanes > 1 ? used_lanes(value) : 0;
    if (lanes <= 1 || used == all_lanes(lanes)) {
      found_.accesses.push_back(access);
      return;
    }
    const std::uint64_t bytes = access.bytes / lanes;
    std::vector<unsigned> at;
    for (unsigned lane = 0; lane < lanes; ++lane)
      if ((used >> lane & 1) != 0) at.push_back(lane);
    bool even = at.size() > 1;
    for (std::size_t i = 1; i < at.size(); ++i) even = even && at[i] - at[i - 1] == at[1] - at[0];
    const std::int64_t begin = access.shift;
    access.bytes = bytes;
    access.align = bytes;
    for (const unsigned lane : at) {
      access.shift = begin + static_cast<std::int64_t>(lane * bytes);
      if (even) access.rows = at.size(), access.stride = (at[1] - at[0]) * bytes;
      found_.accesses.push_back(access);
      if (even) break;
    }
  }

  void visit_call(gcall* call) {
    if (const auto atomic = atomic_of(call)) {
      if (atomic->address != nullptr && atomic->bytes != 0)
        add_pointer(atomic->address, atomic->bytes, atomic->writes);
      return;
    }
    if (gimple_call_internal_p(call)) return visit_internal(call);
    for (unsigned i = 0; i < gimple_call_num_args(call); ++i) add(gimple_call_arg(call, i), false);
    add(gimple_call_lhs(call), true);
    if (const KnownCall* known = known_call(call)) {
      for (const Touch& touch : known->touches) add(call, touch);
    } else if (const std::string_view name = name_of(call);
               name.substr(0, 6) == "_ZdlPv" || name.substr(0, 6) == "_ZdaPv") {
      add(call, {Use::Free, 0, {}});
    }
  }

  void visit_internal(gcall* call) {
    if (gimple_vuse(call) == nullptr && gimple_vdef(call) == nullptr) return;
    switch (gimple_call_internal_fn(call)) {
      case IFN_LOAD_LANES:
        return add(gimple_call_arg(call, 0), false);
      case IFN_STORE_LANES:
        return add(gimple_call_lhs(call), true);
      case IFN_MASK_LOAD:
      case IFN_MASK_STORE:
      case IFN_MASK_LOAD_LANES:
      case IFN_MASK_STORE_LANES:
      case IFN_LEN_LOAD:
      case IFN_LEN_STORE:
      case IFN_GATHER_LOAD:
      case IFN_MASK_GATHER_LOAD:
      case IFN_SCATTER_STORE:
      case IFN_MASK_SCATTER_STORE:
        ++found_.vectors;
        ++found_.all;
        return;
      default:
        return;
    }
  }

  // A descriptor of gfortran's own is not relevant, but the array that it describes is.
  Access* add_pointer(tree pointer, std::uint64_t bytes, bool writes, bool describes = false) {
    ++found_.all;
    if (!describes && !is_relevant_pointer(pointer)) return nullptr;
    Access access;
    access.statement = statement_;
    access.parts.push_back(pointer);
    access.bytes = bytes;
    access.writes = writes;
    found_.accesses.push_back(access);
    return &found_.accesses.back();
  }

  static tree number(int value) { return build_int_cst(long_unsigned_type_node, value); }

  // The value that the call returns may be used if it is a register.
  tree argument(gcall* call, int index) {
    if (index == kOne) return number(1);
    if (index >= kExactly) return number(index - kExactly);
    if (index == kResult) {
      if (gimple_call_lhs(call) == nullptr) {
        tree type = gimple_call_return_type(call);
        if (!is_gimple_reg_type(type) || stmt_ends_bb_p(call)) return nullptr;
        gimple_call_set_lhs(call, make_ssa_name(type, call));
        update_stmt(call);
      }
      tree result = gimple_call_lhs(call);
      return TREE_CODE(result) == SSA_NAME && !stmt_ends_bb_p(call) ? result : nullptr;
    }
    if (index < 0 || static_cast<unsigned>(index) >= gimple_call_num_args(call)) return nullptr;
    tree value = gimple_call_arg(call, static_cast<unsigned>(index));
    return is_gimple_val(value) &&
                   (INTEGRAL_TYPE_P(TREE_TYPE(value)) || POINTER_TYPE_P(TREE_TYPE(value)))
               ? value
               : nullptr;
  }

  void add(gcall* call, const Touch& touch) {
    if (touch.use == Use::Nothing || touch.use == Use::CallBack || touch.use == Use::Print ||
        touch.use == Use::Scan)
      return;
    tree pointer = argument(call, touch.pointer);
    if (pointer == nullptr || !POINTER_TYPE_P(TREE_TYPE(pointer))) return;
    const bool frees = touch.use == Use::Free || touch.use == Use::FreeBytes;
    const auto& n = touch.extent;
    tree a = touch.use == Use::Free ? number(0) : argument(call, n.a), b = nullptr, c = nullptr;
    if (a == nullptr) return;
    if (n.b != kNone && (b = argument(call, n.b)) == nullptr) return;
    if (n.c != kNone && (c = argument(call, n.c)) == nullptr) return;
    std::uint64_t bytes = 0;
    if (!frees && n.kind == Extent::Bytes && b == nullptr && tree_fits_uhwi_p(a)) {
      bytes = tree_to_uhwi(a);
      if (bytes == 0) return;
    }
    const bool describes = n.kind == Extent::Array || n.kind == Extent::ArrayThen;
    Access* access = add_pointer(pointer, bytes, touch.use != Use::Read, describes);
    if (access == nullptr) return;
    access->releases = frees;
    access->extent = n.kind;
    access->behind_string = touch.use == Use::WriteBehind;
    access->a = a;
    access->b = b;
    access->c = c;
  }

  Found& found_;
  gimple* statement_ = nullptr;
};

bool may_be_kept(tree variable) {
  return VAR_P(variable) && !is_global_var(variable) && TREE_ADDRESSABLE(variable) &&
         !DECL_HARD_REGISTER(variable) && !DECL_HAS_VALUE_EXPR_P(variable) &&
         DECL_SIZE_UNIT(variable) != nullptr && tree_fits_uhwi_p(DECL_SIZE_UNIT(variable)) &&
         tree_to_uhwi(DECL_SIZE_UNIT(variable)) != 0 && is_relevant(variable);
}

Access release_of(tree variable, gimple* at) {
  Access access;
  access.statement = at;
  access.parts.push_back(build_fold_addr_expr(variable));
  access.bytes = tree_to_uhwi(DECL_SIZE_UNIT(variable));
  access.writes = access.releases = true;
  access.align = DECL_ALIGN_UNIT(variable);
  return access;
}

}  // namespace

Found find_accesses(function* fun) {
  Found found;
  Finder finder(found);
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    finder.visit(gsi_stmt(at));
  return found;
}

std::optional<Access> load_of(gimple* statement) {
  bool known = true;
  return gimple_assign_load_p(statement)
             ? access_to(statement, gimple_assign_rhs1(statement), false, known)
             : std::nullopt;
}

std::vector<Access> find_releases(function* fun, const QuietCalls& quiet) {
  std::vector<Access> releases;
  std::vector<gimple*> ends, throws;
  std::set<tree> scoped;
  bool all_quiet = true;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
    gimple* statement = gsi_stmt(at);
    all_quiet = all_quiet && quiet.is_quiet(statement);
    if (gimple_clobber_p(statement, CLOBBER_EOL)) {
      tree variable = gimple_assign_lhs(statement);
      if (!DECL_P(variable) || !may_be_kept(variable)) continue;
      scoped.insert(variable);
      releases.push_back(release_of(variable, statement));
    } else if (gimple_code(statement) == GIMPLE_RETURN || gimple_code(statement) == GIMPLE_RESX) {
      ends.push_back(statement);
    } else if (is_gimple_call(statement)) {
      const std::string_view name = name_of(statement);
      if (name == "_Unwind_Resume" || name == "unwind_resume") ends.push_back(statement);
      if ((name == "__cxa_throw" || name == "__cxa_rethrow") && EDGE_COUNT(block->succs) == 0)
        throws.push_back(statement);
    }
  }
  // A function without calls that may reach MPI cannot leave an operation pending.
  if (all_quiet) return {};
  unsigned index;
  tree variable;
  FOR_EACH_LOCAL_DECL(fun, index, variable) {
    if (!may_be_kept(variable)) continue;
    if (scoped.count(variable) == 0)
      for (gimple* end : ends) releases.push_back(release_of(variable, end));
    for (gimple* end : throws) releases.push_back(release_of(variable, end));
  }
  return releases;
}

}  // namespace photofinish::gcc

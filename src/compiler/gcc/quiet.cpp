#include "compiler/gcc/quiet.h"

#include "compiler/gcc/calls.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {
namespace {

std::string_view name_of_decl(tree decl) {
  if (DECL_NAME(decl) == nullptr) return {};
  std::string_view name = IDENTIFIER_POINTER(
      DECL_ASSEMBLER_NAME_SET_P(decl) ? DECL_ASSEMBLER_NAME(decl) : DECL_NAME(decl));
  if (name.substr(0, 1) == "*") name.remove_prefix(1);
  return name;
}

bool is_atomic_name(std::string_view name) {
  return begins(name, "__atomic_") || begins(name, "__sync_") || begins(name, "__cxa_guard");
}

// Of a function that the unit does not define.
bool is_quiet_declaration(tree decl) {
  if (fndecl_built_in_p(decl, BUILT_IN_MD)) return true;
  std::string_view name = name_of_decl(decl);
  if (is_atomic_name(name)) return false;
  if ((flags_from_decl_or_type(decl) & (ECF_CONST | ECF_PURE)) != 0) return true;
  if (begins(name, "__builtin_")) {
    name.remove_prefix(10);
    if (fndecl_built_in_p(decl, BUILT_IN_NORMAL)) {
      switch (DECL_FUNCTION_CODE(decl)) {
        case BUILT_IN_SETJMP:
        case BUILT_IN_LONGJMP:
        case BUILT_IN_APPLY:
        case BUILT_IN_UNWIND_RESUME:
        case BUILT_IN_CXA_END_CLEANUP:
          return false;
        default:
          if (DECL_ASSEMBLER_NAME_SET_P(decl) == 0 || begins(name_of_decl(decl), "__builtin_"))
            return true;
      }
    }
  }
  return is_quiet_name(name);
}

bool is_quiet_known(const gimple* call) {
  const KnownCall* known = known_call(call);
  if (known == nullptr) return false;
  for (const Touch& touch : known->touches)
    if (touch.use == Use::CallBack) return false;
  return true;
}

bool is_defined(cgraph_node* node) { return node->has_gimple_body_p() && node->definition; }

bool is_mpi_name(std::string_view name) {
  return begins(name, "MPI_") || begins(name, "PMPI_") || begins(name, "mpi_") ||
         begins(name, "pmpi_");
}
bool is_runtime_name(std::string_view name) {
  return begins(name, "GOMP_") || begins(name, "omp_") || is_atomic_name(name);
}

}  // namespace

// Optimistic fixpoint: a defined function is quiet until it calls one that is not.
void QuietCalls::find() {
  cgraph_node* node;
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
  if (node->indirect_calls == nullptr && node->get_availability() > AVAIL_INTERPOSABLE)
    quiet_.insert(DECL_UID(node->decl));
  for (bool changed = true; changed;) {
    changed = false;
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node) {
      if (quiet_.count(DECL_UID(node->decl)) == 0) continue;
      for (cgraph_edge* edge = node->callees; edge != nullptr; edge = edge->next_callee) {
        const bool quiet =
            is_defined(edge->callee)
                ? quiet_.count(DECL_UID(edge->callee->decl)) != 0
                : is_quiet_declaration(edge->callee->decl) ||
                      (edge->call_stmt != nullptr && is_quiet_known(edge->call_stmt));
        if (quiet) continue;
        quiet_.erase(DECL_UID(node->decl));
        changed = true;
        break;
      }
    }
  }
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
  if (std::string_view(IDENTIFIER_POINTER(DECL_NAME(node->decl))).find("_omp_fn") !=
      std::string_view::npos)
    regions_[DECL_UID(node->decl)] = reached_by(node);
}

// Everything that the region can reach, also by the addresses that its functions take.
std::uint64_t QuietCalls::reached_by(cgraph_node* first) {
  std::uint64_t kind = PHOTOFINISH_REGION_QUIET;
  std::set<cgraph_node*> seen = {first};
  std::vector<cgraph_node*> waiting = {first};
  const auto reach = [&](cgraph_node* node, const gimple* call) {
    node = node->ultimate_alias_target();
    if (!seen.insert(node).second) return;
    const std::string_view name = name_of_decl(node->decl);
    if (is_mpi_name(name))
      kind = PHOTOFINISH_REGION_COMMUNICATES;
    else if (is_defined(node))
      waiting.push_back(node);
    else if (!is_runtime_name(name) && !is_quiet_declaration(node->decl) &&
             !(call != nullptr && known_call(call) != nullptr) && kind == PHOTOFINISH_REGION_QUIET)
      kind = PHOTOFINISH_REGION_UNKNOWN;
  };
  while (!waiting.empty() && kind != PHOTOFINISH_REGION_COMMUNICATES) {
    cgraph_node* node = waiting.back();
    waiting.pop_back();
    if (node->indirect_calls != nullptr && kind == PHOTOFINISH_REGION_QUIET)
      kind = PHOTOFINISH_REGION_UNKNOWN;
    for (cgraph_edge* edge = node->callees; edge != nullptr; edge = edge->next_callee)
      reach(edge->callee, edge->call_stmt);
    ipa_ref* reference = nullptr;
    for (unsigned i = 0; node->iterate_reference(i, reference); ++i)
      if (cgraph_node* function = dyn_cast<cgraph_node*>(reference->referred))
        reach(function, nullptr);
  }
  return kind;
}

std::uint64_t QuietCalls::region_of(tree outlined) const {
  const auto find = [&](tree decl) { return regions_.find(DECL_UID(decl)); };
  auto found = find(outlined);
  if (found == regions_.end())
    if (tree origin = DECL_ABSTRACT_ORIGIN(outlined)) found = find(origin);
  return found != regions_.end() ? found->second : PHOTOFINISH_REGION_UNKNOWN;
}

bool QuietCalls::is_quiet(const gimple* statement) const {
  if (const auto* assembly = dyn_cast<const gasm*>(statement))
    return !gimple_asm_volatile_p(assembly);
  if (!is_gimple_call(statement)) return true;
  if (atomic_of(statement)) return false;
  if (gimple_call_internal_p(statement)) return true;
  tree callee = gimple_call_fndecl(statement);
  if ((gimple_call_flags(statement) & (ECF_CONST | ECF_PURE)) != 0) return true;
  if (callee == nullptr) return false;
  if (quiet_.count(DECL_UID(callee)) != 0) return true;
  if (tree origin = DECL_ABSTRACT_ORIGIN(callee))  // a specialized copy
    if (quiet_.count(DECL_UID(origin)) != 0) return true;
  if (gimple_has_body_p(callee)) return false;
  return is_quiet_declaration(callee) || is_quiet_known(statement);
}

bool QuietCalls::is_quiet(basic_block block) const {
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    if (!is_quiet(gsi_stmt(at))) return false;
  return true;
}

bool QuietCalls::is_quiet(class loop* loop) const {
  basic_block* blocks = get_loop_body(loop);
  bool quiet = true;
  for (unsigned i = 0; i < loop->num_nodes && quiet; ++i) quiet = is_quiet(blocks[i]);
  free(blocks);
  return quiet;
}

}  // namespace photofinish::gcc

// The plugin for GCC 12: C, C++ and Fortran. It finds the accesses of each function, drops those
// that no other rank can observe, turns loops into ranges, and inserts hooks for the rest.
//
// It runs after all optimizations of GIMPLE, in front of code generation. Removed accesses need no
// hook, loops are analyzed as vectorized, and hooks block no optimization. docs/internals/gcc.md.
#include "compiler/gcc/hooks.h"
#include "compiler/gcc/neighbors.h"

// This plugin is under Apache-2.0, which is compatible with version 3 of the GPL.
__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace photofinish::gcc {
namespace {

Unit* g_unit = nullptr;

bool is_of_the_plugin(tree function) {
  const std::string_view name = IDENTIFIER_POINTER(DECL_NAME(function));
  return name.substr(0, 14) == "__photofinish_";
}

bool may_be_instrumented(function* fun) {
  return DECL_NAME(fun->decl) != nullptr && !is_of_the_plugin(fun->decl) &&
         lookup_attribute("naked", DECL_ATTRIBUTES(fun->decl)) == nullptr &&
         lookup_attribute("ifunc", DECL_ATTRIBUTES(fun->decl)) == nullptr;
}

// A tail call replaces the frame of its caller, and a report would name the caller's caller
// instead. So calls that may reach MPI are not tail calls.
void keep_frames(function* fun, const QuietCalls& quiet) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    if (auto* call = dyn_cast<gcall*>(gsi_stmt(at)); call != nullptr && gimple_call_tail_p(call) &&
                                                     !gimple_call_must_tail_p(call) &&
                                                     !quiet.is_quiet(call))
      gimple_call_set_tail(call, false);
}

bool can_be_copied(class loop* loop) {
  if (!can_duplicate_loop_p(loop)) return false;
  auto_vec<edge> exits = get_loop_exit_edges(loop);
  for (edge exit : exits)
    if ((exit->flags & (EDGE_ABNORMAL | EDGE_EH)) != 0) return false;
  return true;
}

class LoadsAndStores {
 public:
  LoadsAndStores(Unit& unit, function* fun)
      : unit_(unit), fun_(fun), hooks_(unit), ranges_(unit.quiet) {}

  void run() {
    keep_frames(fun_, unit_.quiet);
    const bool loops = optimize > 0 && loops_for_fn(fun_) != nullptr && number_of_loops(fun_) > 1;
    if (loops) {
      loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
      // A value of a loop is used outside only through a phi. Copying a loop rewrites just those,
      // so a value that is kept for a hook stays valid.
      rewrite_into_loop_closed_ssa(nullptr, TODO_update_ssa);
      scev_initialize();
    }
    Found found = find_accesses(fun_);
    unit_.count(found);
    const std::vector<Access> releases = find_releases(fun_, unit_.quiet);
    std::vector<gimple*> calls;
    basic_block block;
    FOR_EACH_BB_FN(block, fun_)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (is_gimple_call(gsi_stmt(at))) calls.push_back(gsi_stmt(at));
    drop_repeated(found.accesses, unit_.quiet);
    if (loops) hoist(found.accesses);
    for (const Planned& range : planned_) hooks_.add(range.range, range.access, region_of(range));
    for (const Access& access : found.accesses) {
      const auto region = regions_of_accesses_.find(access.statement);
      hooks_.add(access, region != regions_of_accesses_.end() ? region->second : -1);
    }
    for (const Access& access : releases) hooks_.add(access, -1);
    for (gimple* call : calls) hooks_.add_synchronization(call);
    if (loops) {
      scev_finalize();
      loops_state_clear(LOOP_CLOSED_SSA);
      loop_optimizer_finalize();
    }
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
    mark_virtual_operands_for_renaming(fun_);
    update_ssa(TODO_update_ssa_only_virtuals);
  }

 private:
  struct Planned {
    Range range;
    Access access;
    int region = -1;
  };
  static int region_of(const Planned& planned) { return planned.region; }

  void hoist(std::vector<Access>& accesses) {
    calculate_dominance_info(CDI_DOMINATORS);
    std::vector<Access> left;
    std::map<int, int> regions;  // by the number of the loop
    std::vector<class loop*> order;
    // Tests in a loop cost time in every iteration: it gets a copy without them.
    const auto choose = [&](class loop* loop) {
      if (loop == nullptr) return;
      if (regions.try_emplace(loop->num, -1).second) order.push_back(loop);
    };
    for (const Access& access : accesses) {
      if (auto range = ranges_.find(access)) {
        class loop* outermost = ranges_.outermost_quiet(range->loop->header);
        if (outermost != range->loop) choose(outermost);
        planned_.push_back({*range, access});
      } else {
        choose(ranges_.outermost_quiet(gimple_bb(access.statement)));
        left.push_back(access);
      }
    }
    const auto outermost = [&](class loop* loop) { return ranges_.outermost_quiet(loop->header); };
    for (Planned& one : planned_) one.region = outermost(one.range.loop)->num;
    std::vector<std::pair<gimple*, int>> inside;
    for (const Access& access : left)
      if (class loop* loop = ranges_.outermost_quiet(gimple_bb(access.statement)))
        inside.emplace_back(access.statement, loop->num);
    for (class loop* loop : order)
      if (can_be_copied(loop)) regions[loop->num] = copy(loop);
    const auto region = [&](int loop) {
      const auto known = regions.find(loop);
      return known != regions.end() ? known->second : -1;
    };
    for (Planned& one : planned_) one.region = region(one.region);
    for (const auto& [statement, loop] : inside) regions_of_accesses_[statement] = region(loop);
    accesses = std::move(left);
  }

  // Copies the loop, and runs the copy while no memory is reachable. Returns the region, or -1.
  int copy(class loop* loop) {
    const int region = unit_.new_region();
    basic_block block = split_edge(loop_preheader_edge(loop));
    tree checked = hooks_.checked_at(block, region);
    tree condition = build2(NE_EXPR, boolean_type_node, checked, boolean_false_node);
    const profile_probability half = profile_probability::even();
    initialize_original_copy_tables();
    class loop* copied = loop_version(loop, condition, nullptr, half, half, half, half, true);
    free_original_copy_tables();
    if (copied == nullptr) return -1;
    update_ssa(TODO_update_ssa);
    return region;
  }

  Unit& unit_;
  function* fun_;
  Hooks hooks_;
  RangeFinder ranges_;
  std::vector<Planned> planned_;
  std::map<gimple*, int> regions_of_accesses_;
};

// TODO_… are GCC's own flags: what it does after a pass, or after a change of a function.
constexpr pass_data kPass = {
    GIMPLE_PASS, "photofinish",   OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
    0,           TODO_cleanup_cfg};

class Pass : public gimple_opt_pass {
 public:
  explicit Pass(::gcc::context* context) : gimple_opt_pass(kPass, context) {}
  unsigned int execute(function* fun) override {
    if (g_unit != nullptr && may_be_instrumented(fun)) LoadsAndStores(*g_unit, fun).run();
    return 0;
  }
};

void before_optimization(void*, void*) { g_unit->quiet.find(); }
void at_end(void*, void*) { g_unit->end(main_input_filename); }

}  // namespace
}  // namespace photofinish::gcc

extern "C" __attribute__((visibility("default"))) int plugin_init(plugin_name_args* arguments,
                                                                  plugin_gcc_version* version) {
  using namespace photofinish::gcc;
  if (!plugin_default_version_check(version, &gcc_version)) {
    error("photofinish: this plugin is for GCC %s, and the compiler is GCC %s: use that version",
          gcc_version.basever, version->basever);
    return 1;
  }
  if (g_unit != nullptr) return 0;  // the plugin is given twice on the command line
  g_unit = new Unit;
  Unit::register_roots(arguments->base_name);
  register_pass_info info = {new Pass(::g), "optimized", 1, PASS_POS_INSERT_BEFORE};
  register_callback(arguments->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
  register_callback(arguments->base_name, PLUGIN_ALL_IPA_PASSES_START, before_optimization,
                    nullptr);
  register_callback(arguments->base_name, PLUGIN_FINISH_UNIT, at_end, nullptr);
  return 0;
}

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
    join_neighbors(found.accesses, unit_.quiet);
    if (loops)
      instrument_loops(found.accesses);
    else
      for (const Access& access : found.accesses) hooks_.add(access, -1);
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
  static constexpr std::ptrdiff_t kInline = 64;  // accesses in the loops of a function

  // A hook: of a range in front of its loop, or of an access, which is in `gather`, too.
  struct Planned {
    Access access;
    std::optional<Range> range;
    class loop* gather = nullptr;
    class loop* outermost = nullptr;  // around the hook, and cannot reach MPI
    bool is_in(class loop* loop) const {
      class loop* inside = gimple_bb(access.statement)->loop_father;
      return range ? flow_loop_nested_p(loop, range->loop)
                   : loop == inside || flow_loop_nested_p(loop, inside);
    }
  };

  void instrument_loops(const std::vector<Access>& accesses) {
    calculate_dominance_info(CDI_DOMINATORS);
    GatherFinder gathers(ranges_);
    for (const Access& access : accesses) {
      Planned one{access, ranges_.find(access), nullptr, nullptr};
      if (!one.range) one.gather = gathers.find(access);
      one.outermost = ranges_.outermost_quiet(one.range ? one.range->loop->header
                                                        : gimple_bb(access.statement));
      if (one.range && one.outermost == one.range->loop) one.outermost = nullptr;
      planned_.push_back(std::move(one));
    }
    const auto in_loop = [](const Planned& one) {
      return !one.range && loop_outer(gimple_bb(one.access.statement)->loop_father) != nullptr;
    };
    hooks_.set_bits_inline(std::count_if(planned_.begin(), planned_.end(), in_loop) <= kInline);
    std::vector<class loop*> gathering;
    for (const Gather& row : gathers.rows())
      if (std::find(gathering.begin(), gathering.end(), row.loop) == gathering.end())
        gathering.push_back(row.loop);
    for (class loop* loop : gathering)
      if (is_covered(loop)) covered_.insert(loop);
    // Tests in a loop cost time in every iteration: it gets a copy without them.
    for (const Planned& one : planned_)
      if (one.outermost != nullptr && regions_.try_emplace(one.outermost->num, -1).second &&
          covered_.count(one.outermost) == 0 && can_be_copied(one.outermost))
        copy(one.outermost);
    for (class loop* loop : gathering) add_gathers(gathers, loop);
    for (const Planned& one : planned_)
      if (one.range) hooks_.add(*one.range, one.access, region_of(one));
    for (const Planned& one : planned_)
      if (!one.range)
        hooks_.add(one.access, region_of(one),
                   one.gather != nullptr ? masks_[one.gather] : nullptr);
  }

  int region_of(const Planned& one) const {
    return one.outermost != nullptr ? regions_.at(one.outermost->num) : -1;
  }

  // Whether indices that are read in front of the loop give all that it reports.
  bool is_covered(class loop* loop) const {
    bool any = false;
    for (const Planned& one : planned_) {
      if (!one.is_in(loop)) continue;
      if (one.gather != loop) return false;
      any = true;
    }
    return any && can_be_copied(loop);
  }

  // Accesses through indices. Ranges in front of the loop precede them, and are reported whichever
  // copy of the loop runs.
  void add_gathers(const GatherFinder& gathers, class loop* loop) {
    const bool covered = covered_.count(loop) != 0;
    for (const Planned& one : planned_)
      if (one.range && one.range->loop == loop) hooks_.add(*one.range, one.access, region_of(one));
    const auto in_front = [&](const Planned& one) { return one.range && one.range->loop == loop; };
    planned_.erase(std::remove_if(planned_.begin(), planned_.end(), in_front), planned_.end());
    class loop* outermost = ranges_.outermost_quiet(loop->header);
    int& region = regions_[outermost->num];
    if (covered && outermost == loop) region = unit_.new_region();
    std::vector<const Gather*> rows;
    for (const Gather& row : gathers.rows())
      if (row.loop == loop) rows.push_back(&row);
    tree mask = hooks_.add(rows, loop, region);
    if (!covered || !copy(loop, mask)) masks_[loop] = mask;
  }

  // A copy of the loop that runs while no memory is reachable.
  void copy(class loop* loop) {
    const int region = unit_.new_region();
    basic_block block = split_edge(loop_preheader_edge(loop));
    if (copy(loop, hooks_.checked_at(block, region))) regions_[loop->num] = region;
  }

  // Where the value is zero, the copy runs, which gets no hooks.
  bool copy(class loop* loop, tree value) {
    tree condition = build2(NE_EXPR, boolean_type_node, value, build_zero_cst(TREE_TYPE(value)));
    const profile_probability half = profile_probability::even();
    initialize_original_copy_tables();
    class loop* copied = loop_version(loop, condition, nullptr, half, half, half, half, true);
    free_original_copy_tables();
    if (copied != nullptr) update_ssa(TODO_update_ssa);
    return copied != nullptr;
  }

  Unit& unit_;
  function* fun_;
  Hooks hooks_;
  RangeFinder ranges_;
  std::vector<Planned> planned_;
  std::map<int, int> regions_;     // by the number of the outermost loop
  std::set<class loop*> covered_;  // indices give all that they report
  std::map<class loop*, tree> masks_;
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

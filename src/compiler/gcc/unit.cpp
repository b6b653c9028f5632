#include "compiler/gcc/unit.h"

#include <cinttypes>
#include <cstddef>

#include "base/line_key.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {
namespace {

constexpr const char* kSites = "*.Lphotofinish_sites";
constexpr const char* kIndices = "*.Lphotofinish_indices";
constexpr const char* kPassed = "*.Lphotofinish_passed";

// Text of support.cpp, made at build time.
constexpr const char* kSupportText =
#include "gcc_support_text.inc"
    ;

constexpr unsigned kFunctions = static_cast<unsigned>(Support::Report) + 1;

// Known to the garbage collector.
constexpr unsigned kVariables = 5;
tree g_declarations[kVariables + kFunctions];
tree& g_state = g_declarations[0];
tree& g_sites = g_declarations[1];
tree& g_passed = g_declarations[2];
tree& g_indices = g_declarations[3];
tree& g_distance = g_declarations[4];

tree byte_array(HOST_WIDE_INT size) {
  return build_array_type(unsigned_char_type_node, build_index_type(size_int(size - 1)));
}

tree declare(const char* name, tree type) {
  tree made = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("__photofinish_data"), type);
  SET_DECL_ASSEMBLER_NAME(made, get_identifier(name));
  TREE_PUBLIC(made) = 1;
  DECL_EXTERNAL(made) = 1;
  DECL_ARTIFICIAL(made) = 1;
  DECL_IGNORED_P(made) = 1;
  TREE_STATIC(made) = 0;
  TREE_ADDRESSABLE(made) = 1;
  TREE_USED(made) = 1;
  DECL_VISIBILITY(made) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED(made) = 1;
  SET_DECL_ALIGN(made, 8);
  DECL_USER_ALIGN(made) = 1;
  layout_decl(made, 0);
  return made;
}

void write(FILE* to, std::uint32_t type, const char* about,
           std::initializer_list<std::uint32_t> numbers, const std::string& text) {
  fprintf(to, "\t.section\t" PHOTOFINISH_NOTE_SECTION ",\"a\",@note\n\t.balign\t4\n");
  fprintf(to, "\t.long\t%zu, %zu, %u\n\t.asciz\t\"" PHOTOFINISH_NOTE_NAME "\"\n",
          sizeof PHOTOFINISH_NOTE_NAME, 4 + 4 * numbers.size() + text.size(), type);
  fprintf(to, "\t.long\t%s - .\n", about);
  for (const std::uint32_t number : numbers) fprintf(to, "\t.long\t%u\n", number);
  for (std::size_t at = 0; at < text.size(); ++at)
    fprintf(to, "%s%u%s", at % 16 == 0 ? "\t.byte\t" : "", static_cast<unsigned char>(text[at]),
            at % 16 == 15 || at + 1 == text.size() ? "\n" : ",");
}

void write_lines(FILE* to, const std::set<std::uint32_t>& lines) {
  fprintf(to, "\t.long\t%zu\n", lines.size());
  for (const std::uint32_t line : lines) fprintf(to, "\t.long\t%u\n", line);
}

}  // namespace

void Unit::register_roots(const char* plugin) {
  static const ggc_root_tab kRoots[] = {{g_declarations, kVariables + kFunctions, sizeof(tree),
                                         &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
                                        LAST_GGC_ROOT_TAB};
  register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, nullptr, const_cast<ggc_root_tab*>(kRoots));
}

tree Unit::state() {
  if (g_state == nullptr)
    g_state = declare("*" PHOTOFINISH_STATE, byte_array(sizeof(photofinish_state)));
  return g_state;
}

tree Unit::state_field(std::size_t offset) {
  return build2(MEM_REF, long_unsigned_type_node, build_fold_addr_expr(state()),
                build_int_cst(build_pointer_type(char_type_node), offset));
}

tree Unit::distance() {
  if (g_distance == nullptr) {
    g_distance = declare("*" PHOTOFINISH_DISTANCE, long_unsigned_type_node);
    set_decl_tls_model(g_distance, TLS_MODEL_INITIAL_EXEC);
    SET_DECL_ALIGN(g_distance, BITS_PER_WORD);
  }
  return g_distance;
}

tree Unit::function_of(Support function) {
  static constexpr const char* kNames[kFunctions] = {
      "__photofinish_gcc_access_1", "__photofinish_gcc_range_1",
      "__photofinish_gcc_free_1",   "__photofinish_gcc_call_1",
      "__photofinish_gcc_array_1",  "__photofinish_gcc_synchronize_1",
      "__photofinish_gcc_region_1", "__photofinish_gcc_indices_1",
      "__photofinish_gcc_gather_1", "__photofinish_gcc_report_1"};
  const auto index = static_cast<unsigned>(function);
  tree& made = g_declarations[kVariables + index];
  if (made != nullptr) return made;
  tree number = long_unsigned_type_node, type = nullptr;
  switch (function) {
    case Support::Access:
    case Support::Report:
      type =
          build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, number, NULL_TREE);
      break;
    case Support::Synchronize:
      type = build_function_type_list(void_type_node, ptr_type_node, number, number, NULL_TREE);
      break;
    case Support::Indices:
      type = build_function_type_list(number, ptr_type_node, ptr_type_node, number, NULL_TREE);
      break;
    case Support::Gather:
      type = build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, number, number,
                                      ptr_type_node, number, number, NULL_TREE);
      break;
    case Support::Region:
      type = build_function_type_list(void_type_node, number, NULL_TREE);
      break;
    default:
      type = build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, number, number,
                                      number, number, number, NULL_TREE);
  }
  made = build_fn_decl(kNames[index], type);
  DECL_VISIBILITY(made) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED(made) = 1;
  // It throws nothing, and does not come back into the function.
  TREE_NOTHROW(made) = 1;
  DECL_ATTRIBUTES(made) = tree_cons(get_identifier("leaf"), NULL_TREE, NULL_TREE);
  return made;
}

tree Unit::new_site(location_t location, int region) {
  const expanded_location line = expand_location(location);
  (region >= 0 ? regions_[static_cast<std::size_t>(region)] : lines_outside_)
      .insert(line.file != nullptr ? line_key(line.file, static_cast<std::uint32_t>(line.line))
                                   : 0);
  if (g_sites == nullptr)
    g_sites = declare(kSites, build_array_type(byte_array(sizeof(photofinish_site)),
                                               build_index_type(size_int((1 << 20) - 1))));
  return build_fold_addr_expr(build4(ARRAY_REF, TREE_TYPE(TREE_TYPE(g_sites)), g_sites,
                                     size_int(sites_++), NULL_TREE, NULL_TREE));
}

tree Unit::new_index(std::uint64_t step, std::uint64_t bytes, std::uint64_t slots) {
  if (g_indices == nullptr)
    g_indices = declare(kIndices, build_array_type(byte_array(sizeof(photofinish_index)),
                                                   build_index_type(size_int((1 << 20) - 1))));
  indices_.push_back({step, bytes, slots});
  return build_fold_addr_expr(build4(ARRAY_REF, TREE_TYPE(TREE_TYPE(g_indices)), g_indices,
                                     size_int(indices_.size() - 1), NULL_TREE, NULL_TREE));
}

int Unit::new_region() {
  regions_.emplace_back();
  return static_cast<int>(regions_.size()) - 1;
}

tree Unit::passed(int region) {
  if (g_passed == nullptr) g_passed = declare(kPassed, byte_array(1 << 20));
  return build4(ARRAY_REF, unsigned_char_type_node, g_passed, size_int(region), NULL_TREE,
                NULL_TREE);
}

void Unit::count(const Found& found) {
  found_ += found.all;
  checked_ += static_cast<std::uint32_t>(found.accesses.size());
  assembly_ += found.assembly;
  vectors_ += found.vectors;
  sizes_ += found.sizes;
}

void Unit::end(const char* source) {
  FILE* to = asm_out_file;
  if (to == nullptr || seen_error()) return;
  fprintf(to, "%s", kSupportText);
  if (sites_ != 0)
    fprintf(to, "\t.bss\n\t.balign\t64\n%s:\n\t.zero\t%zu\n", kSites + 1,
            sites_ * sizeof(photofinish_site));
  if (!indices_.empty()) fprintf(to, "\t.data\n\t.balign\t8\n%s:\n", kIndices + 1);
  for (const Index& index : indices_)
    fprintf(to, "\t.long\t%" PRIu64 ", %" PRIu64 "\n\t.quad\t%" PRIu64 ", 0, 0\n", index.step,
            index.bytes, index.slots);
  if (!regions_.empty()) fprintf(to, "\t.bss\n%s:\n\t.zero\t%zu\n", kPassed + 1, regions_.size());
  std::string name = source != nullptr ? source : "";
  name.resize((name.size() / 4 + 1) * 4);  // terminated by a zero and padded to words
  write(to, PHOTOFINISH_ABI, PHOTOFINISH_STATE, {found_, checked_}, name);
  write(to, PHOTOFINISH_WITHOUT_VALUES_ABI, PHOTOFINISH_STATE, {}, "");
  write(to, PHOTOFINISH_THREADS_ABI, PHOTOFINISH_DISTANCE "_of", {}, "");
  if (sites_ != 0) {
    fprintf(to, "\t.section\t.rodata.photofinish,\"a\"\n\t.balign\t4\n.Lphotofinish_regions:\n");
    for (std::size_t region = 0; region < regions_.size(); ++region) {
      fprintf(to, "\t.long\t%s + %zu - .\n", kPassed + 1, region);
      write_lines(to, regions_[region]);
    }
    fprintf(to, "\t.long\t0\n");
    write_lines(to, lines_outside_);
    write(to, PHOTOFINISH_REGIONS_ABI, ".Lphotofinish_regions", {}, "");
  }
  const auto note = [](std::uint32_t number, const char* what) {
    if (number != 0) inform(UNKNOWN_LOCATION, "photofinish: not instrumented: %u %s", number, what);
  };
  note(assembly_, "statements of inline assembly that may access memory");
  note(vectors_, "vector accesses with a mask or with gaps");
  note(sizes_, "accesses of a size that only the run knows");
}

}  // namespace photofinish::gcc

#include "symbols/dwarf_walk.h"

#include <dwarf.h>

#include <cstring>

namespace photofinish {
namespace {

constexpr size_t kMaxDepth = 256;
constexpr int kMaxRanges = 1 << 20;

std::optional<Dwarf_Die> first_child(Dwarf_Die parent) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return std::nullopt;
  return child;
}

// A sibling must follow its predecessor in the file; otherwise the walk might not terminate.
std::optional<Dwarf_Die> next_sibling(Dwarf_Die die) {
  Dwarf_Die sibling;
  if (dwarf_siblingof(&die, &sibling) != 0 || dwarf_dieoffset(&sibling) <= dwarf_dieoffset(&die))
    return std::nullopt;
  return sibling;
}

void add_ranges(std::vector<DieRange>& to, Dwarf_Die die) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  ptrdiff_t offset = 0;
  for (int i = 0; i < kMaxRanges; ++i) {
    offset = dwarf_ranges(&die, offset, &base, &begin, &end);
    if (offset <= 0) return;
    if (begin < end) to.push_back({{begin, end}, die});
  }
}

// The smallest range that contains the address: nested functions lie inside or outside of their
// parents' ranges.
std::optional<Dwarf_Die> smallest_at(const std::vector<DieRange>& entries, Dwarf_Addr address) {
  const DieRange* best = nullptr;
  const auto size = [](const DieRange& entry) { return entry.range.end - entry.range.begin; };
  for (const DieRange& entry : entries) {
    if (address < entry.range.begin || address >= entry.range.end) continue;
    if (best == nullptr || size(entry) < size(*best)) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  return best->die;
}

// A unit built with -gsplit-dwarf is a skeleton; the tree is in the .dwo file.
Dwarf_Die tree_of(Dwarf_Die unit) {
  Dwarf_Die tree;
  Dwarf_Half version;
  uint8_t type;
  if (dwarf_cu_info(unit.cu, &version, &type, nullptr, &tree, nullptr, nullptr, nullptr) != 0)
    return unit;
  return type == DW_UT_skeleton && dwarf_tag(&tree) == DW_TAG_compile_unit ? tree : unit;
}

// Searches everything: functions may be in namespaces, Fortran modules, classes and other
// functions.
std::vector<DieRange> find_functions(Dwarf_Die unit) {
  std::vector<DieRange> functions;
  std::vector<std::optional<Dwarf_Die>> path = {
      first_child(tree_of(unit))};  // the current DIE at each depth
  while (!path.empty()) {
    if (!path.back()) {
      path.pop_back();
      continue;
    }
    const Dwarf_Die die = *path.back();
    path.back() = next_sibling(die);
    Dwarf_Die mutable_die = die;  // libdw takes no const
    if (dwarf_tag(&mutable_die) == DW_TAG_subprogram) add_ranges(functions, die);
    if (path.size() < kMaxDepth && dwarf_haschildren(&mutable_die) > 0)
      path.push_back(first_child(die));
  }
  return functions;
}

std::optional<Dwarf_Die> child_at(Dwarf_Die parent, Dwarf_Addr address) {
  for (auto child = first_child(parent); child; child = next_sibling(*child)) {
    const int tag = dwarf_tag(&*child);
    const bool is_scope = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                          tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
    if (is_scope && dwarf_haspc(&*child, address) > 0) return child;
  }
  return std::nullopt;
}

}  // namespace

UnitIndex::UnitIndex(Dwarf* dwarf) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
    add_ranges(units_, die);
}

std::optional<Dwarf_Die> UnitIndex::unit_at(Dwarf_Addr address) const {
  return smallest_at(units_, address);
}

std::optional<Dwarf_Die> UnitIndex::function_at(Dwarf_Die unit, Dwarf_Addr address) {
  const auto [entry, is_new] = functions_.try_emplace(dwarf_dieoffset(&unit));
  if (is_new) entry->second = find_functions(unit);
  return smallest_at(entry->second, address);
}

std::vector<Dwarf_Die> inlined_calls(Dwarf_Die function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> calls;
  auto scope = child_at(function, address);
  for (size_t depth = 0; scope && depth < kMaxDepth; ++depth) {
    if (dwarf_tag(&*scope) == DW_TAG_inlined_subroutine) calls.push_back(*scope);
    scope = child_at(*scope, address);
  }
  return calls;
}

std::vector<Dwarf_Die> blocks_at(Dwarf_Die function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> blocks = {function};
  auto scope = child_at(function, address);
  for (size_t depth = 0; scope && depth < kMaxDepth; ++depth) {
    if (dwarf_tag(&*scope) == DW_TAG_inlined_subroutine) blocks.clear();
    blocks.push_back(*scope);
    scope = child_at(*scope, address);
  }
  return blocks;
}

std::optional<Dwarf_Die> variable_in(Dwarf_Die block, const char* name) {
  for (auto child = first_child(block); child; child = next_sibling(*child)) {
    const int tag = dwarf_tag(&*child);
    if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) continue;
    const char* const its_name = dwarf_diename(&*child);  // follows abstract origins
    if (its_name != nullptr && std::strcmp(its_name, name) == 0) return child;
  }
  return std::nullopt;
}

}  // namespace photofinish

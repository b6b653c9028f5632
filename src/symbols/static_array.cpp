#include "symbols/static_array.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <optional>

namespace photofinish {
namespace {

using Bounds = decltype(StaticArray::bounds);

constexpr int kDeepest = 64;  // nested scopes

bool is_at(Dwarf_Die* variable, std::uint64_t address) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations;
  std::size_t count;
  return dwarf_attr(variable, DW_AT_location, &attribute) != nullptr &&
         dwarf_getlocation(&attribute, &operations, &count) == 0 && count == 1 &&
         operations[0].atom == DW_OP_addr && operations[0].number == address;
}

// The variable in the scope, or in a scope inside of it.
std::optional<Dwarf_Die> variable_in_scope(Dwarf_Die scope, std::uint64_t address, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&scope, &child) != 0) return std::nullopt;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable:
        if (is_at(&child, address)) return child;
        break;
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_module:
        if (const auto found = variable_in_scope(child, address, depth + 1)) return found;
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

// The type of a variable or pointer, without typedef, const, restrict.
std::optional<Dwarf_Die> type_without_qualifiers(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type, peeled;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_peel_type(&type, &peeled) != 0)
    return std::nullopt;
  return peeled;
}

std::optional<std::int64_t> constant(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Sword value;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formsdata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

Bounds bounds_of_type(Dwarf_Die array) {
  Bounds bounds;
  Dwarf_Die dimension;
  if (dwarf_tag(&array) != DW_TAG_array_type || dwarf_child(&array, &dimension) != 0) return {};
  do {
    if (dwarf_tag(&dimension) != DW_TAG_subrange_type) continue;
    const std::int64_t lower = constant(&dimension, DW_AT_lower_bound).value_or(1);  // of Fortran
    const auto upper = constant(&dimension, DW_AT_upper_bound);
    if (!upper || *upper < lower) return {};
    bounds.emplace_back(lower, *upper - lower + 1);
  } while (dwarf_siblingof(&dimension, &dimension) == 0);
  return bounds;
}

}  // namespace

StaticArray static_array(const std::string& module_path, std::uint64_t address) {
  const int file = open(module_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(dwarf_begin(file, DWARF_C_READ), dwarf_end);
  StaticArray found;
  Dwarf_Off offset = 0, next = 0;
  std::size_t header = 0;
  while (dwarf != nullptr &&
         dwarf_nextcu(dwarf.get(), offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf.get(), offset + header, &unit) != nullptr)
      if (auto variable = variable_in_scope(unit, address, 0)) {
        if (const char* const source = dwarf_decl_file(&*variable)) found.file = source;
        dwarf_decl_line(&*variable, &found.line);
        auto type = type_without_qualifiers(*variable);
        if (type && dwarf_tag(&*type) == DW_TAG_pointer_type) type = type_without_qualifiers(*type);
        if (type) found.bounds = bounds_of_type(*type);
        break;
      }
    offset = next;
  }
  close(file);
  return found;
}

}  // namespace photofinish

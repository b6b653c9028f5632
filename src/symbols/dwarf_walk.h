// Walks DWARF trees for the symbolizer: finds the function at an address, and the inlined calls in
// it.
//
// Why not libdw's own functions: its address lookup needs .debug_aranges, which clang and flang do
// not write. Its scope lookup walks a whole unit for each address, recursively. Here a unit is
// walked once, without recursion, and always terminates: siblings must go forward, and depth is
// limited.
#pragma once

#include <elfutils/libdw.h>

#include <map>
#include <optional>
#include <vector>

namespace photofinish {

struct AddressRange {
  Dwarf_Addr begin, end;
};

struct DieRange {
  AddressRange range;
  Dwarf_Die die;
};

class UnitIndex {
 public:
  explicit UnitIndex(Dwarf* dwarf);

  // The compilation unit that contains the address.
  std::optional<Dwarf_Die> unit_at(Dwarf_Addr address) const;
  // The function of that unit at the address: the innermost one if functions are nested.
  std::optional<Dwarf_Die> function_at(Dwarf_Die unit, Dwarf_Addr address);

 private:
  std::vector<DieRange> units_;
  std::map<Dwarf_Off, std::vector<DieRange>> functions_;  // by unit, built on first use
};

// The inlined calls around the address, outermost first.
std::vector<Dwarf_Die> inlined_calls(Dwarf_Die function, Dwarf_Addr address);

// The scopes at the address in the innermost function: that function, or its inlined call, and the
// nested blocks, outermost first.
std::vector<Dwarf_Die> blocks_at(Dwarf_Die function, Dwarf_Addr address);
// The variable or parameter of that name in one block, without nested blocks.
std::optional<Dwarf_Die> variable_in(Dwarf_Die block, const char* name);

}  // namespace photofinish

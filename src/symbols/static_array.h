// A static Fortran array, from debug information: the array variable at a link-time address, or the
// pointer there and what it points to. gfortran makes a coarray such a pointer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace photofinish {

struct StaticArray {
  // Lower bound and extent of each dimension; empty if they are unknown, or if it is no array.
  std::vector<std::pair<std::int64_t, std::int64_t>> bounds;
  std::string file;  // where it is declared; may be empty
  int line = 0;
};

StaticArray static_array(const std::string& module_path, std::uint64_t address);

}  // namespace photofinish

// The bounds of a static Fortran array, from debug information: of the array variable at a
// link-time address, or that the pointer there points to. gfortran makes a coarray such a pointer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace photofinish {

// Lower bound and extent of each dimension; empty if they are unknown, or if it is no array.
std::vector<std::pair<std::int64_t, std::int64_t>> static_array_bounds(
    const std::string& module_path, std::uint64_t address);

}  // namespace photofinish

// What one translation unit adds to its object: sites, regions, notes and the support functions.
#pragma once

#include "compiler/gcc/accesses.h"
#include "compiler/gcc/gcc.h"
#include "compiler/gcc/quiet.h"

namespace photofinish::gcc {

// The functions of support.cpp.
enum class Support {
  Access,
  Range,
  Free,
  Call,
  Array,
  Synchronize,
  Region,
  Indices,
  Gather,
  Report
};

class Unit {
 public:
  QuietCalls quiet;

  tree state();  // as an array of bytes
  // A field of the state, as a reference to a number of 8 bytes.
  tree state_field(std::size_t offset);
  tree function_of(Support function);
  // The distance from the sites to those of the calling thread: a thread-local number.
  tree distance();
  // The address of a new site. The source line goes to the table of regions.
  tree new_site(location_t location, int region);
  // The address of a new row of indices (photofinish_index).
  tree new_index(std::uint64_t step, std::uint64_t bytes, std::uint64_t slots);
  // A part of a function that has a copy without hooks.
  int new_region();
  tree passed(int region);  // its byte, as a reference

  void count(const Found& found);
  // Writes it to the assembler file.
  void end(const char* source);
  static void register_roots(const char* plugin);

 private:
  std::uint32_t sites_ = 0, found_ = 0, checked_ = 0;
  std::uint32_t assembly_ = 0, vectors_ = 0, sizes_ = 0;
  struct Index {
    std::uint64_t step, bytes, slots;
  };
  std::vector<Index> indices_;
  std::vector<std::set<std::uint32_t>> regions_;
  std::set<std::uint32_t> lines_outside_;
};

}  // namespace photofinish::gcc

// What an address resolves to.
#pragma once

#include <cstdint>
#include <string>

namespace photofinish {

struct Frame {
  std::string function;  // demangled; empty when unknown
  std::string file;      // empty without line information
  int line = 0;          // 0 with a file: compiler-generated code
  int column = 0;
  bool inlined = false;  // into the frame that follows
  std::string module;
  uint64_t offset = 0;      // the requested address
  bool is_program = false;  // Fortran's main program
};

struct Variable {
  std::string name;
  std::string function;     // the function of a local variable; empty for a global one
  uint64_t bytes = 0;       // 0: unknown
  uint64_t offset = 0;      // of the address in a global one
  bool is_pointer = false;  // or a reference, or a descriptor of its memory
  bool is_array = false;
  bool of_pointers = false;  // an array of pointers
};

}  // namespace photofinish

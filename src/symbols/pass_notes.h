// Determines which source files of a program are instrumented. Each instrumented object has a note
// (photofinish/runtime_abi.h), and debug information names the other files.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct PassNotes {
  bool readable = false;             // it is an ELF file
  std::vector<std::string> with;     // source files, as given to the compiler
  std::vector<std::string> without;  // according to debug information
};

PassNotes pass_notes(const std::string& program);

}  // namespace photofinish

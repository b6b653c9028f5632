// Which of a program's source files were built with the compiler pass: each object that was carries
// a note (photofinish/runtime_abi.h), and debug information names those that were not.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct PassNotes {
  bool readable = false;             // it is an ELF file
  std::vector<std::string> with;     // source files, as the compiler was given them
  std::vector<std::string> without;  // as far as debug information tells
};

PassNotes pass_notes(const std::string& program);

}  // namespace photofinish

// Names of coarrays. gfortran does not pass them to the library. A static coarray is a static
// pointer, and an allocatable one a descriptor: the symbol table has their names if they are
// static, as all variables of the main program and of modules are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::caf {

class Names {
 public:
  // The variable at this address; and the static pointer with this value. Empty: there is none.
  std::string at(std::uint64_t address);
  struct Pointer {
    std::string name;
    std::uint64_t address = 0;
  };
  Pointer pointing_to(std::uint64_t value);

 private:
  struct Variable {
    std::uint64_t begin, bytes;
    std::string name;
  };
  const std::vector<Variable>& variables();
  std::vector<Variable> variables_;
  bool read_ = false;
};

}  // namespace photofinish::caf

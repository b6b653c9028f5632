// Turns a place in a module (an ELF file and an address in it) into what a person reads: function,
// file, line, and the functions that were inlined there. It is used when a report is written, never
// inside the user's process.
//
// Rule: better nothing than something wrong. When the file is missing, damaged, or not the build
// that ran, the answer is the module and the address, alone. Addresses are link-time ones: program
// counter minus load bias, the same in every rank and every run. Debug information may be in the
// file or in a separate one, found by build id or .gnu_debuglink in the usual places; nothing is
// ever fetched from a network. Not thread-safe: one Symbolizer for each thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace photofinish {

struct Frame {
  std::string function;  // demangled; empty when unknown
  std::string file;      // empty when there is no line information
  int line = 0;          // 0 with a file: code that the compiler made up for it
  int column = 0;
  bool inlined = false;  // into the frame that follows
  std::string module;
  uint64_t offset = 0;  // the address that was asked for
};

struct Variable {
  std::string name;
  std::string function;     // that it is local to; empty for a global variable
  uint64_t bytes = 0;       // 0: not known
  bool is_pointer = false;  // or a reference, or something else that only describes its memory
  bool is_array = false;
  bool of_pointers = false;  // an array of them
};

class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The frames at an address, innermost first; never empty: the last one is the function that was
  // not inlined. A return address is that of the instruction after the call, so the one before it
  // is looked up. `build_id` is what the module had when it ran, in hex; empty: not known, and not
  // compared.
  std::vector<Frame> frames(const std::string& module_path, uint64_t address,
                            bool is_return_address, const std::string& build_id = "");

  // The variable with static storage at a link-time address, by the symbol table.
  std::optional<Variable> variable_at(const std::string& module_path, uint64_t address,
                                      const std::string& build_id = "");
  // The local variable or parameter of that name that the innermost function at a return address
  // can see, by debug information. Static ones are none.
  std::optional<Variable> local_named(const std::string& module_path, uint64_t return_address,
                                      const std::string& name);

  // Whether the file is there and is that build.
  bool matches(const std::string& module_path, const std::string& build_id);

 private:
  class Module;
  Module& module(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
  std::map<std::tuple<const Module*, uint64_t, bool, std::string>, std::vector<Frame>> cache_;
};

}  // namespace photofinish

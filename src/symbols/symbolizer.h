// Resolves an address in a module (an ELF file) to its function, file, line, and inlined functions.
// It is used when a report is written, never inside the user's process.
//
// Rule: no result rather than a wrong one. If the file is missing, damaged, or not the build that
// ran, the result is only the module and the address. Addresses are link-time ones: program counter
// minus load bias, the same in every rank and run. Debug information may be in the file or in a
// separate one, found by build id or .gnu_debuglink in the usual directories. It is never fetched
// from a network. Not thread-safe: use one Symbolizer for each thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "symbols/frame.h"
#include "symbols/saved_symbols.h"

namespace photofinish {

class Symbolizer {
 public:
  // `saved`: prefers what is stored there, and adds what is resolved.
  explicit Symbolizer(std::shared_ptr<SavedSymbols> saved = nullptr);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The frames at an address, innermost first. Never empty: the last one is the function that was
  // not inlined. A return address follows the call, so the address before it is resolved.
  // `build_id`: of the module at run time, in hex; empty: unknown and not compared.
  std::vector<Frame> frames(const std::string& module_path, uint64_t address,
                            bool is_return_address, const std::string& build_id = "");

  // The variable with static storage at a link-time address, from the symbol table.
  std::optional<Variable> variable_at(const std::string& module_path, uint64_t address,
                                      const std::string& build_id = "");
  // The local variable or parameter of that name in scope in the innermost function at a return
  // address, from debug information. Static variables are excluded.
  std::optional<Variable> local_named(const std::string& module_path, uint64_t return_address,
                                      const std::string& name);

  // Whether the file exists and has that build id.
  bool matches(const std::string& module_path, const std::string& build_id);
  // The modules with a requested frame that could not be resolved, because the file is missing or
  // is another build.
  const std::set<std::string>& unmatched() const { return unmatched_; }

 private:
  class Module;
  Module& module(const std::string& path);

  std::shared_ptr<SavedSymbols> saved_;
  std::set<std::string> unmatched_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
  std::map<std::tuple<const Module*, uint64_t, bool, std::string>, std::vector<Frame>> cache_;
};

}  // namespace photofinish

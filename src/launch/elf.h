// Reads the few things of an ELF file that decide how a program must be started: is it dynamic,
// which libraries does it name, where does it look for them, does it define a given function
// itself. Rule: every offset and size in the file is a claim. It is checked against the file's real
// size before use, so that a truncated or hostile file is an Error, never a crash, and never makes
// us allocate more than the file is long. The file is read, not mapped: a file that shrinks while
// we look at it (a linker at work) must not end us with SIGBUS. Only 64-bit little-endian files:
// that is all our preload libraries exist for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace photofinish {

enum class FileKind { Elf, Script, Other };  // Script: starts with "#!"

FileKind kind_of_file(const std::string& path);

struct Elf {
  std::string path;
  uint16_t machine = 0;          // EM_…
  bool has_interpreter = false;  // names a dynamic loader, so LD_PRELOAD works
  bool has_dynamic_section = false;
  bool is_program =
      false;  // and not a shared library: ET_EXEC, has an interpreter, or is marked as PIE
  std::string soname;
  std::vector<std::string> needed;
  std::string rpath;  // as written: colons and $ORIGIN included
  std::string runpath;
};

Result<Elf> read_elf(const std::string& path);

struct SymbolUse {
  bool defined = false;
  bool needed = false;
};

// How the file uses each name, in the order of `names`; looks in .dynsym and, where it was not
// stripped, in .symtab.
Result<std::vector<SymbolUse>> find_symbols(const std::string& path,
                                            std::span<const std::string_view> names);

// The names with one of these prefixes that the file's dynamic symbols need from others; and those
// that they define.
struct DynamicSymbols {
  std::vector<std::string> needed, defined;
};
Result<DynamicSymbols> dynamic_symbols(const std::string& path,
                                       std::span<const std::string_view> prefixes);

}  // namespace photofinish

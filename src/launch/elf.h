// Reads the properties of an ELF file that determine how to start a program: whether it is dynamic,
// its libraries and search paths, and whether it defines a given function.
//
// Rule: every offset and size is checked against the size of the file before use. So a truncated or
// malicious file is an Error, never a crash, and never causes an allocation larger than the file.
// The file is read, not mapped: a file that shrinks meanwhile, as when it is linked, must not cause
// SIGBUS.
//
// Limit: only 64-bit little-endian files, the only ones with preload libraries.
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
  bool has_interpreter = false;  // has PT_INTERP, so LD_PRELOAD works
  bool has_dynamic_section = false;
  bool is_program =
      false;  // not a shared library: ET_EXEC, has an interpreter, or is marked as PIE
  std::string soname;
  std::vector<std::string> needed;
  std::string rpath;  // as stored, with colons and $ORIGIN
  std::string runpath;
};

Result<Elf> read_elf(const std::string& path);

struct SymbolUse {
  bool defined = false;
  bool needed = false;
};

// How the file uses each name, in the order of `names`. Searches .dynsym and, unless stripped,
// .symtab.
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

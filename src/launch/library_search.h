// Finds a shared library as the dynamic loader does, without running anything.
// The order is that of glibc: DT_RPATH of the requesting file and of its parents (unless there is a
// DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH of the requesting file, the loader's cache, the default
// directories.
//
// Limits: glibc-hwcaps subdirectories outside of the cache, LD_PRELOAD and LD_AUDIT are ignored.
// They can only add variants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/elf.h"

namespace photofinish {

// A file that requests libraries, and the file that requested it.
struct LoadedFile {
  Elf elf;
  std::string origin;                  // the value of $ORIGIN
  const LoadedFile* parent = nullptr;  // null for the program
};

// The loader takes the program's place from the kernel, which follows links; a library's place is
// as it was found.
LoadedFile as_loaded_program(const Elf& program);
LoadedFile as_loaded_library(const Elf& library, const LoadedFile& parent);

class LibrarySearch {
 public:
  // Reads LD_LIBRARY_PATH and the loader's cache. A missing or damaged cache counts as empty.
  explicit LibrarySearch(const std::string& cache_path = "/etc/ld.so.cache");

  // Skips files for another machine than that of the requesting file, as on multiarch systems.
  std::optional<std::string> find(const std::string& name, const LoadedFile& asking) const;

 private:
  std::vector<std::string> candidates(const std::string& name, const LoadedFile& asking) const;

  std::string library_path_;
  std::multimap<std::string, std::string> cache_;  // soname → path
};

// "/a::/b" as directories. As in PATH, an empty item is the current directory.
std::vector<std::string> split_search_path(const std::string& path);

}  // namespace photofinish

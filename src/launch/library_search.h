// Where the dynamic loader would find a shared library, without running anything.
// The order is glibc's: DT_RPATH of the asking file and of the files that brought it in (unless
// there is a DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH of the asking file, the loader's cache, the
// default directories. Misses: glibc-hwcaps sub-directories outside of the cache, LD_PRELOAD and
// LD_AUDIT. Both can only add variants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/elf.h"

namespace photofinish {

// A file that asks for libraries, and the file that asked for it.
struct LoadedFile {
  Elf elf;
  std::string origin;                  // what $ORIGIN stands for
  const LoadedFile* parent = nullptr;  // none for the program
};

// The loader takes the program's place from the kernel, which follows links; a library's place is
// as it was found.
LoadedFile as_loaded_program(const Elf& program);
LoadedFile as_loaded_library(const Elf& library, const LoadedFile& parent);

class LibrarySearch {
 public:
  // Reads LD_LIBRARY_PATH and the loader's cache; a cache that is missing or damaged counts as
  // empty.
  explicit LibrarySearch(const std::string& cache_path = "/etc/ld.so.cache");

  // Only files for the same machine as the asking file count, as with several architectures on one
  // system.
  std::optional<std::string> find(const std::string& name, const LoadedFile& asking) const;

 private:
  std::vector<std::string> candidates(const std::string& name, const LoadedFile& asking) const;

  std::string library_path_;
  std::multimap<std::string, std::string> cache_;  // soname → path
};

// "/a::/b" as directories. An empty item is the current directory, for the loader as for PATH.
std::vector<std::string> split_search_path(const std::string& path);

}  // namespace photofinish

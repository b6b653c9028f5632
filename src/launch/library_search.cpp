#include "launch/library_search.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace photofinish {
namespace {

// The format of the cache since glibc 2.2; older systems prepend another one. Offsets are relative
// to `magic`.
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
struct CacheHeader {
  char magic[20];
  uint32_t count;
  uint32_t string_bytes;
  uint32_t unused[5];
};
struct CacheEntry {
  int32_t flags;
  uint32_t name;
  uint32_t path;
  uint32_t os_version;
  uint64_t hwcap;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24, "as glibc writes them");

// On aarch64 and x86_64, in the layouts of Debian, Red Hat and musl. Missing directories are
// skipped.
constexpr const char* kDefaultDirectories[] = {
#if defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#elif defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
};
constexpr const char* kLibVariants[] = {
    "lib64",
    "lib",
#if defined(__aarch64__)
    "lib/aarch64-linux-gnu",
#elif defined(__x86_64__)
    "lib/x86_64-linux-gnu",
#endif
};

std::string cache_string(const std::string& cache, uint32_t offset) {
  if (offset >= cache.size()) return {};
  return std::string(cache.data() + offset, strnlen(cache.data() + offset, cache.size() - offset));
}

std::multimap<std::string, std::string> read_cache(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string cache{std::istreambuf_iterator<char>(file), {}};
  const size_t start = cache.find(kCacheMagic);
  if (start == std::string::npos) return {};
  cache.erase(0, start);

  CacheHeader header;
  if (cache.size() < sizeof header) return {};
  std::memcpy(&header, cache.data(), sizeof header);
  if (header.count > (cache.size() - sizeof header) / sizeof(CacheEntry)) return {};
  std::multimap<std::string, std::string> paths;
  for (uint32_t i = 0; i < header.count; ++i) {
    CacheEntry entry;
    std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
    paths.emplace(cache_string(cache, entry.name), cache_string(cache, entry.path));
  }
  return paths;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

void replace_token(std::string& text, const std::string& name, std::string_view with) {
  replace_all(text, "${" + name + "}", with);
  replace_all(text, "$" + name, with);
}

std::string_view platform() {
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  return name == nullptr ? "" : name;
}

// Several results for $LIB, whose value depends on the distribution.
std::vector<std::string> expand_tokens(std::string item, const std::string& origin) {
  replace_token(item, "ORIGIN", origin);
  replace_token(item, "PLATFORM", platform());
  if (item.find("$LIB") == std::string::npos && item.find("${LIB}") == std::string::npos)
    return {item};
  std::vector<std::string> expanded;
  for (const char* variant : kLibVariants)
    replace_token(expanded.emplace_back(item), "LIB", variant);
  return expanded;
}

void add_candidates(std::vector<std::string>& to, const std::string& search_path,
                    const std::string& origin, const std::string& name) {
  if (search_path.empty()) return;
  for (const std::string& item : split_search_path(search_path))
    for (const std::string& directory : expand_tokens(item, origin))
      to.push_back(directory + "/" + name);
}

// DT_RUNPATH disables DT_RPATH of the same file.
std::string effective_rpath(const Elf& elf) { return elf.runpath.empty() ? elf.rpath : ""; }

std::string directory_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().parent_path().string();
}

}  // namespace

LoadedFile as_loaded_program(const Elf& program) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(program.path, failed);
  return {program, failed ? directory_of(program.path) : real.parent_path().string(), nullptr};
}

LoadedFile as_loaded_library(const Elf& library, const LoadedFile& parent) {
  return {library, directory_of(library.path), &parent};
}

std::vector<std::string> split_search_path(const std::string& path) {
  std::vector<std::string> directories;
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find(':', start), path.size());
    directories.push_back(start == end ? "." : path.substr(start, end - start));
    start = end + 1;
  }
  return directories;
}

LibrarySearch::LibrarySearch(const std::string& cache_path) : cache_(read_cache(cache_path)) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  library_path_ = path == nullptr ? "" : path;
  for (char& c : library_path_)  // unlike an rpath, also separated by semicolons
    if (c == ';') c = ':';
}

std::vector<std::string> LibrarySearch::candidates(const std::string& name,
                                                   const LoadedFile& asking) const {
  if (name.find('/') != std::string::npos) return expand_tokens(name, asking.origin);
  std::vector<std::string> paths;
  if (asking.elf.runpath.empty())
    for (const LoadedFile* file = &asking; file != nullptr; file = file->parent)
      add_candidates(paths, effective_rpath(file->elf), file->origin, name);
  add_candidates(paths, library_path_, asking.origin, name);
  add_candidates(paths, asking.elf.runpath, asking.origin, name);
  const auto [first, last] = cache_.equal_range(name);
  for (auto entry = first; entry != last; ++entry) paths.push_back(entry->second);
  for (const char* directory : kDefaultDirectories)
    paths.push_back(std::string(directory) + "/" + name);
  return paths;
}

std::optional<std::string> LibrarySearch::find(const std::string& name,
                                               const LoadedFile& asking) const {
  for (const std::string& path : candidates(name, asking)) {
    const auto library = read_elf(path);
    if (library && library->machine == asking.elf.machine) return path;
  }
  return std::nullopt;
}

}  // namespace photofinish

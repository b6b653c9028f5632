#include "launch/openmp_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string_view>

#include "launch/library_search.h"

namespace photofinish {
namespace {

constexpr std::array<std::string_view, 3> kPrefixes = {"GOMP_", "GOACC_", "omp_"};
constexpr const char* kOrder =
    "the threads of a rank are checked as one sequence; build the program with clang -fopenmp";

bool is_libgomp(std::string_view name) { return name.starts_with("libgomp.so"); }
bool is_libomp(std::string_view name) { return name.starts_with("libomp.so"); }

std::deque<LoadedFile> loaded_files(const Elf& program, const LibrarySearch& search) {
  std::deque<LoadedFile> files;  // as children point to parents
  std::set<std::string> seen;
  files.push_back(as_loaded_program(program));
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const std::string& name : files[i].elf.needed) {
      if (!seen.insert(name).second) continue;
      const auto path = search.find(name, files[i]);
      if (!path) continue;
      if (const auto library = read_elf(*path))
        files.push_back(as_loaded_library(*library, files[i]));
    }
  return files;
}

std::set<std::string> imported(const std::deque<LoadedFile>& files) {
  std::set<std::string> names;
  for (const LoadedFile& file : files) {
    if (is_libgomp(file.elf.soname)) continue;
    if (const auto symbols = dynamic_symbols(file.elf.path, kPrefixes))
      names.insert(symbols->needed.begin(), symbols->needed.end());
  }
  return names;
}

}  // namespace

OpenMpRuntime choose_openmp_runtime(const std::string& program) {
  const auto elf = read_elf(program);
  if (!elf) return {};
  const LibrarySearch search;
  const std::deque<LoadedFile> files = loaded_files(*elf, search);
  const auto is_needed = [&](bool (*is_it)(std::string_view)) {
    return std::any_of(files.begin(), files.end(), [&](const LoadedFile& file) {
      return std::any_of(file.elf.needed.begin(), file.elf.needed.end(), is_it);
    });
  };
  if (!is_needed(is_libgomp)) return {.is_used = is_needed(is_libomp)};
  const auto libomp = search.find("libomp.so.5", files.front());
  if (!libomp)
    return {true, "",
            fmt::format("{} uses GCC's OpenMP runtime, and LLVM's libomp.so.5 is not "
                        "installed: {}, or install libomp",
                        program, kOrder)};
  const auto provided = dynamic_symbols(*libomp, kPrefixes);
  if (!provided) return {true, "", provided.error().message};
  const std::set<std::string> defined(provided->defined.begin(), provided->defined.end());
  for (const std::string& name : imported(files))
    if (!defined.contains(name))
      return {true, "",
              fmt::format("{} uses {} of GCC's OpenMP runtime, which {} does not provide: {}",
                          program, name, *libomp, kOrder)};
  return {true, *libomp, ""};
}

}  // namespace photofinish

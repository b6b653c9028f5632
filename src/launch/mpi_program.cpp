#include "launch/mpi_program.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <set>
#include <string_view>

#include "launch/elf.h"
#include "launch/library_search.h"

namespace photofinish {
namespace {

#if defined(__aarch64__)
constexpr uint16_t kThisMachine = EM_AARCH64;
#elif defined(__x86_64__)
constexpr uint16_t kThisMachine = EM_X86_64;
#else
#error "the preload libraries exist for aarch64 and x86_64"
#endif

constexpr const char* kGiveFlavour = "give --mpi=openmpi or --mpi=mpich";

// Any text may be between the prefix and the suffix: libmpi_usempif08-gfortran.so.40 is Open MPI,
// too.
struct KnownLibrary {
  std::string_view prefix, suffix;
  MpiFlavour flavour;
};
constexpr KnownLibrary kKnownLibraries[] = {
    {"libmpi.so", ".40", MpiFlavour::OpenMpi},
    {"libmpi_mpifh", ".so.40", MpiFlavour::OpenMpi},
    {"libmpi_usempi", ".so.40", MpiFlavour::OpenMpi},
    {"libmpi_cxx", ".so.40", MpiFlavour::OpenMpi},
    {"libmpich.so", ".12", MpiFlavour::Mpich},
    {"libmpichfort.so", ".12", MpiFlavour::Mpich},
    {"libmpichcxx.so", ".12", MpiFlavour::Mpich},
};

std::optional<MpiFlavour> flavour_of_library(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  for (const KnownLibrary& known : kKnownLibraries)
    if (name.size() >= known.prefix.size() + known.suffix.size() &&
        name.starts_with(known.prefix) && name.ends_with(known.suffix))
      return known.flavour;
  return std::nullopt;
}

bool checks_like_mpi(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  for (const std::string_view prefix :
       {"libmpi.so", "libmpi_", "libmpich", "libmpifort.so", "libfmpich"})
    if (name.starts_with(prefix)) return true;
  return false;
}

struct InitSymbols {
  SymbolUse pmpi_init, mpi_init;
};

Result<InitSymbols> find_init_symbols(const std::string& path) {
  static constexpr std::array<std::string_view, 2> kNames = {"PMPI_Init", "MPI_Init"};
  const auto uses = find_symbols(path, kNames);
  if (!uses) return uses.error();
  return InitSymbols{(*uses)[0], (*uses)[1]};
}

// OpenSHMEM of Open MPI, which runs over its MPI.
bool is_openshmem(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  return name.starts_with("liboshmem.so");
}

bool is_upc_runtime(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  return name.starts_with("libphotofinish-upc-");
}

bool is_coarray_library(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  return name.starts_with("libcaf_") && !name.starts_with("libcaf_single");
}

struct LibraryGraph {
  std::optional<MpiFlavour> flavour;
  bool uses_openshmem = false, uses_upc = false, uses_coarrays = false;
  std::string mpi_library;
  std::string unknown_mpi;       // an unsupported MPI library
  std::string missing;           // the first library that could not be found
  std::deque<LoadedFile> files;  // the program first; a deque, because children point to parents
};

LibraryGraph walk_libraries(const Elf& program) {
  LibraryGraph walk;
  const LibrarySearch search;
  std::set<std::string> seen;
  walk.files.push_back(as_loaded_program(program));
  for (size_t i = 0; i < walk.files.size(); ++i) {
    const LoadedFile& asking = walk.files[i];
    if (std::ranges::any_of(asking.elf.needed, is_openshmem)) walk.uses_openshmem = true;
    if (std::ranges::any_of(asking.elf.needed, is_upc_runtime)) walk.uses_upc = true;
    if (std::ranges::any_of(asking.elf.needed, is_coarray_library)) walk.uses_coarrays = true;
    for (const std::string& name : asking.elf.needed) {
      if (!seen.insert(name).second) continue;
      const auto path = search.find(name, asking);
      if (const auto flavour = flavour_of_library(name)) {
        walk.flavour = flavour;
        walk.mpi_library = path.value_or("");
        return walk;
      }
      if (!path) {
        if (walk.missing.empty()) walk.missing = name;
        if (walk.unknown_mpi.empty() && checks_like_mpi(name)) walk.unknown_mpi = name;
        continue;
      }
      if (const auto library = read_elf(*path))
        walk.files.push_back(as_loaded_library(*library, asking));
    }
  }
  return walk;
}

// Recognized by its symbols, not by its name: vendors use many names, and users call their own
// libraries libmpi_….
std::string find_unknown_mpi(const LibraryGraph& walk) {
  for (size_t i = 1; i < walk.files.size(); ++i) {
    const Elf& library = walk.files[i].elf;
    const auto symbols = find_init_symbols(library.path);
    if (symbols && symbols->pmpi_init.defined)
      return library.soname.empty() ? library.path : library.soname;
  }
  return walk.unknown_mpi;
}

Error unknown_mpi_error(const std::string& path, const std::string& library) {
  if (library == "libmpi.so.12" || library == "libmpifort.so.12")
    return Error{fmt::format(
        "{}: needs {}, an MPI with MPICH's binary interface (MPICH, Intel MPI, MVAPICH, Cray) that "
        "is not the one photofinish was built with; give --mpi=mpich to try",
        path, library)};
  return Error{fmt::format(
      "{}: needs {}, an MPI library that photofinish has no support for; link the program with "
      "Open MPI 4 or 5 (libmpi.so.40) or MPICH (libmpich.so.12)",
      path, library)};
}

Error no_mpi_error(const std::string& path, const LibraryGraph& walk) {
  const std::string missing =
      walk.missing.empty()
          ? ""
          : fmt::format(" ({}, which it needs, was not found: is LD_LIBRARY_PATH set?)",
                        walk.missing);
  return Error{fmt::format("{}: not an MPI program{}; if it loads MPI at run time, {}", path,
                           missing, kGiveFlavour)};
}

Error static_mpi_error(const std::string& path) {
  return Error{path +
               ": MPI is linked into it statically, so its calls cannot be seen; relink it with "
               "the shared MPI "
               "library (libmpi.so or libmpich.so)"};
}

// A program that defines MPI_Init but calls PMPI_Init contains a PMPI tool. That is supported.
bool contains_mpi(const InitSymbols& symbols, const LibraryGraph& walk) {
  if (symbols.pmpi_init.defined) return true;
  return symbols.mpi_init.defined && !symbols.pmpi_init.needed && !walk.flavour;
}

// Linked statically, as the wrapper caf does.
bool contains_coarray_library(const std::string& path) {
  static constexpr std::array<std::string_view, 1> kNames = {"_gfortran_caf_register"};
  const auto uses = find_symbols(path, kNames);
  return uses && (*uses)[0].defined;
}

std::optional<Error> why_not_loadable(const Elf& elf) {
  if (elf.machine != kThisMachine)
    return Error{elf.path + ": built for another machine; build it for this one"};
  if (!elf.is_program)
    return Error{elf.path + ": a shared library, not a program; give the program that uses it"};
  if (!elf.has_interpreter)
    return Error{
        elf.path +
        ": a static executable, so nothing can be loaded into it; relink it without -static"};
  return std::nullopt;
}

Result<MpiProgram> inspect_elf(const std::string& path) {
  const auto elf = read_elf(path);
  if (!elf) return elf.error();
  if (auto error = why_not_loadable(*elf)) return *error;
  const auto symbols = find_init_symbols(path);
  if (!symbols) return symbols.error();
  const LibraryGraph walk = walk_libraries(*elf);
  if (contains_mpi(*symbols, walk)) return static_mpi_error(path);
  if (walk.flavour) {
    MpiProgram program{path, walk.flavour, walk.mpi_library, walk.uses_openshmem, walk.uses_upc};
    program.has_own_coarrays = contains_coarray_library(path);
    program.uses_coarrays = walk.uses_coarrays || program.has_own_coarrays;
    return program;
  }
  if (const std::string library = find_unknown_mpi(walk); !library.empty())
    return unknown_mpi_error(path, library);
  return no_mpi_error(path, walk);
}

bool is_directory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool is_executable(const std::string& path) {
  return !is_directory(path) && access(path.c_str(), X_OK) == 0;
}

Error not_executable_error(const std::string& path) {
  if (path.ends_with(".py"))
    return Error{fmt::format("{0} is a Python script; write python3 {0}", path)};
  for (const char* suffix :
       {".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".F", ".f90", ".F90", ".f08", ".upc"})
    if (path.ends_with(suffix))
      return Error{fmt::format("{} is a source file; compile it, and check the program", path)};
  return Error{fmt::format("{}: not executable; run chmod +x {}, or check that it is the program",
                           path, path)};
}

Result<std::string> find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string not_executable;
  for (const std::string& directory : split_search_path(path == nullptr ? "/usr/bin:/bin" : path)) {
    const std::string candidate = directory + "/" + name;
    if (is_executable(candidate)) return candidate;
    if (not_executable.empty() && exists(candidate) && !is_directory(candidate))
      not_executable = candidate;
  }
  if (!not_executable.empty()) return not_executable_error(not_executable);
  if (is_directory(name))
    return Error{fmt::format("{}: a directory, not a program; give the program in it", name)};
  if (exists(name) && !is_executable(name)) return not_executable_error(name);
  if (exists(name))
    return Error{fmt::format(
        "{}: not found in PATH; for the one in the current directory, write ./{}", name, name)};
  return Error{
      fmt::format("{}: program not found in PATH; check its name, or give its path", name)};
}

bool has_thread_sanitizer(const std::string& path) {
  const std::string_view names[] = {"__tsan_init"};
  const auto symbols = dynamic_symbols(path, names);
  return symbols && (!symbols->needed.empty() || !symbols->defined.empty());
}

}  // namespace

const char* name_of(MpiFlavour flavour) {
  return flavour == MpiFlavour::OpenMpi ? "Open MPI" : "MPICH";
}

Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return Error{"the program's name is empty; give the program to run"};
  if (name.find('/') == std::string::npos) return find_in_path(name);
  if (is_directory(name))
    return Error{fmt::format("{}: a directory, not a program; give the program in it", name)};
  if (!exists(name)) return Error{fmt::format("{}: program not found; check its path", name)};
  if (!is_executable(name)) return not_executable_error(name);
  return name;
}

Result<MpiProgram> inspect_program(const std::string& name) {
  const auto path = find_program(name);
  if (!path) return path.error();
  if (access(path->c_str(), R_OK) != 0)
    return Error{fmt::format("{}: executable but not readable, so its MPI cannot be detected; {}",
                             *path, kGiveFlavour)};
  if (kind_of_file(*path) != FileKind::Elf)
    return MpiProgram{.path = *path, .flavour = {}, .mpi_library = {}};
  if (has_thread_sanitizer(*path))
    return Error{fmt::format(
        "{} is built with ThreadSanitizer, which does not allow the memory that photofinish "
        "reserves: build it without -fsanitize=thread",
        *path)};
  return inspect_elf(*path);
}

Result<MpiProgram> inspect_library(const std::string& path) {
  const auto elf = read_elf(path);
  if (!elf) return elf.error();
  const LibraryGraph walk = walk_libraries(*elf);
  return MpiProgram{path, walk.flavour, walk.mpi_library, walk.uses_openshmem};
}

Error no_flavour_error(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_empty(path, error) && !error)
    return Error{path + ": an empty file; build the program again"};
  return Error{
      fmt::format("{}: cannot detect its MPI, because it is a script or loads MPI at run time; {}",
                  path, kGiveFlavour)};
}

Result<MpiFlavour> find_mpi(const std::string& name) {
  const auto program = inspect_program(name);
  if (!program) return program.error();
  if (!program->flavour) return no_flavour_error(program->path);
  return *program->flavour;
}

}  // namespace photofinish

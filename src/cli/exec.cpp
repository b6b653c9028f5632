// photofinish exec: becomes one rank of the program, with the preload library. It uses exec without
// fork: the launcher keeps the process that it started, with its signals, exit code and position in
// the process tree.
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/commands.h"
#include "cli/launched.h"
#include "cli/preload.h"
#include "launch/elf.h"
#include "launch/launcher.h"
#include "launch/mpi_program.h"
#include "launch/openmp_runtime.h"
#include "launch/python_program.h"

namespace photofinish {
namespace {

Result<MpiFlavour> find_flavour(const Options& options, const MpiProgram& program,
                                const std::vector<std::string>& command) {
  if (const auto chosen = chosen_flavour(options.mpi)) return *chosen;
  if (program.flavour) return *program.flavour;
  if (const auto launcher = flavour_of_launcher()) return *launcher;
  if (const auto script = inspect_python_program(command)) return *script->flavour;
  return no_flavour_error(program.path);
}

// Open MPI and UCX patch mmap, munmap and free in each rank, for memory registered with the
// network. Allocators and tools do so, too, and then ranks crash. Disables the patches, unless the
// user has set these variables.
void set_memory_variables(MpiFlavour flavour, const Options& options) {
  const auto set = [&](const char* name, const char* value) {
    if (std::getenv(name) != nullptr) return;
    setenv(name, value, 1);
    if (options.verbose)
      fail_once(fmt::format("set {}={} for the ranks; set it yourself to override", name, value),
                kExitOk);
  };
  if (flavour == MpiFlavour::OpenMpi) set("OMPI_MCA_memory", "^patcher");
  set("UCX_MEM_EVENTS", "no");
  // PMIx of Open MPI 5 maps its data at an address that a recorded rank may have given to others.
  if (!options.record.empty()) set("PMIX_MCA_gds", "hash");
}

// The runtime that reports what OpenMP threads do, for programs that were linked with another one.
std::string openmp_preload(const std::string& program) {
  const OpenMpRuntime runtime = choose_openmp_runtime(program);
  const char* const tool = std::getenv("OMP_TOOL");
  if (runtime.is_used && tool != nullptr && std::strcmp(tool, "disabled") == 0) {
    fail_once(
        "OMP_TOOL=disabled: the OpenMP threads of a rank are checked as one sequence; unset it to "
        "detect races between them",
        kExitOk);
    return "";
  }
  if (!runtime.problem.empty()) fail_once(runtime.problem, kExitOk);
  return runtime.preload.empty() ? "" : ":" + runtime.preload;
}

// AddressSanitizer refuses to run behind a preloaded library. Ours does not disturb it.
void allow_address_sanitizer(const std::string& program) {
  const auto elf = read_elf(program);
  if (!elf || std::none_of(elf->needed.begin(), elf->needed.end(), [](const std::string& library) {
        return library.starts_with("libasan.so");
      }))
    return;
  const char* const before = std::getenv("ASAN_OPTIONS");
  std::string options = "verify_asan_link_order=0";
  if (before != nullptr && *before != '\0') options += std::string(":") + before;
  setenv("ASAN_OPTIONS", options.c_str(), 1);
}

}  // namespace

int run_exec(const Options& options, const ExecArguments& arguments) {
  if (arguments.line.empty())
    return fail_once("exec needs a program: photofinish exec PROGRAM ARGS…", kExitUsage);
  // --mpi overrides the ELF file, and a shell's ELF file does not show the MPI library.
  auto program = inspect_program(arguments.line[0]);
  if (!program && (options.mpi != "auto" || is_interpreter(arguments.line[0])))
    if (auto path = find_program(arguments.line[0]))
      program = MpiProgram{.path = *path, .flavour = {}, .mpi_library = {}};
  if (!program) return fail_once(program.error().message, kExitUsage);
  const auto flavour = find_flavour(options, *program, arguments.line);
  if (!flavour) return fail_once(flavour.error().message, kExitUsage);
  if (program->flavour && launched_by_other_than(*program->flavour))
    return fail_once(
        fmt::format(
            "{} was built with {}, and this is the launcher of another MPI: start it with {}'s",
            arguments.line[0], name_of(*program->flavour), name_of(*program->flavour)),
        kExitUsage);
  const auto library = preload_library(*flavour);
  if (!library) return fail_once(library.error().message);

  const char* before = std::getenv("LD_PRELOAD");
  std::string preload = *library;
  if (!options.record.empty()) {
    const auto outside = outside_library();
    if (!outside) return fail_once(outside.error().message);
    preload += ":" + *outside;
    // Addresses must be the same in a replay.
    personality(static_cast<unsigned long>(personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
  } else {
    preload += openmp_preload(program->path);
    if (const auto heap = heap_library()) preload += ":" + *heap;
    allow_address_sanitizer(program->path);
  }
  if (before != nullptr && *before != '\0') preload += std::string(":") + before;
  setenv("PHOTOFINISH_PRELOAD_BEFORE", before != nullptr ? before : "", 1);
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv("PHOTOFINISH_OPTIONS", format_options(options).c_str(), 1);
  setenv("PHOTOFINISH_TOKEN", arguments.token.c_str(), 1);
  setenv("PHOTOFINISH_ACTIVE", "1", 1);
  set_memory_variables(*flavour, options);

  std::vector<char*> words;
  for (const std::string& word : arguments.line) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(program->path.c_str(), words.data());
  const int error = errno;
  return fail_once("cannot start " + program->path + ": " + std::strerror(error));
}

}  // namespace photofinish

#include "doctor/program.h"

#include <unistd.h>

#include <filesystem>

#include "launch/elf.h"
#include "launch/launcher.h"
#include "symbols/debug_lines.h"
#include "symbols/pass_notes.h"

namespace photofinish {

ProgramFacts inspect_program(const std::string& name, const std::string& executable) {
  ProgramFacts facts{.name = name};
  const auto program = inspect_program(name);
  if (!program) {
    facts.trouble = program.error().message;
    return facts;
  }
  facts.flavour = program->flavour;
  if (!facts.flavour) return facts;
  facts.mpi_library = program->mpi_library;
  facts.uses_openshmem = program->uses_openshmem;
  facts.uses_coarrays = program->uses_coarrays;
  facts.has_own_coarrays = program->has_own_coarrays;
  if (const auto line = launcher_for(*facts.flavour, 1, facts.mpi_library, program->uses_openshmem))
    facts.launcher = (*line)[0];
  const auto prefix = std::filesystem::path(executable).parent_path().parent_path();
  const char* const ours = *facts.flavour == MpiFlavour::OpenMpi
                               ? "lib/photofinish/libphotofinish-openmpi.so"
                               : "lib/photofinish/libphotofinish-mpich.so";
  facts.has_library = access((prefix / ours).c_str(), R_OK) == 0;
  facts.has_lines = has_debug_lines(program->path);
  static constexpr std::string_view kNames[] = {"MPI_Init", "PMPI_Init"};
  if (const auto uses = find_symbols(program->path, kNames))
    facts.wraps_mpi = (*uses)[0].defined && (*uses)[1].needed;
  if (const auto elf = read_elf(program->path))
    for (const std::string& library : elf->needed)
      if (library.starts_with("libasan.so") || library.starts_with("libtsan.so") ||
          library.starts_with("libmsan.so"))
        facts.sanitizer = library;
  const PassNotes notes = pass_notes(program->path);
  facts.with = notes.with;
  facts.without = notes.without;
  return facts;
}

}  // namespace photofinish

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "doctor/judge.h"

namespace photofinish {
namespace {

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const std::size_t named = std::min(kMost, names.size());
  return fmt::format(
      "{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      named < names.size() ? fmt::format(" and {} more", names.size() - named) : "");
}

Judgement judge_pass(const ProgramFacts& program) {
  if (program.with.empty() && program.uses_openshmem)
    return {Level::Note, "not instrumented: OpenSHMEM calls are checked, loads and stores are not",
            "to check loads and stores, rebuild it with pfoshcc or pfoshcxx"};
  if (program.with.empty() && program.uses_coarrays)
    return {Level::Note,
            "not instrumented: coindexed accesses are checked, loads and stores are not",
            "to check loads and stores, rebuild it with pfcaf"};
  if (program.with.empty())
    return {Level::Note, "not instrumented: MPI calls are checked, loads and stores are not",
            "to check loads and stores, rebuild it with pfmpicc, pfmpicxx or pfmpifort"};
  if (!program.without.empty())
    return {Level::Note, fmt::format("instrumented, except {}", some_of(program.without)),
            "rebuild these with pfmpicc to check their loads and stores"};
  return {Level::Ok, fmt::format("instrumented: {}", some_of(program.with)), ""};
}

}  // namespace

Section judge(const ProgramFacts& program) {
  Section section{program.name, {}};
  auto& all = section.judgements;
  if (!program.trouble.empty()) {
    // Errors have the form "what is wrong; what to do".
    const std::size_t semicolon = program.trouble.find("; ");
    all.push_back({Level::Problem, program.trouble.substr(0, semicolon),
                   semicolon == std::string::npos ? "" : program.trouble.substr(semicolon + 2)});
    return section;
  }
  if (!program.flavour) {
    all.push_back({Level::Note, "a script: the MPI of its programs is unknown",
                   "photofinish check --mpi=openmpi|mpich, or doctor on the program itself"});
    return section;
  }
  const std::string mpi = name_of(*program.flavour);
  if (program.mpi_library.empty())
    all.push_back({Level::Problem, fmt::format("needs {}, which the loader does not find", mpi),
                   "set LD_LIBRARY_PATH, or load your site's module"});
  else if (!program.has_library)
    all.push_back(
        {Level::Problem,
         fmt::format("needs {} ({}), and this photofinish has no library for it", mpi,
                     program.mpi_library),
         fmt::format("build photofinish where {} is installed with its development files", mpi)});
  else if (program.launcher.empty())
    all.push_back({Level::Problem,
                   fmt::format("needs {} ({}), of which there is no launcher in PATH", mpi,
                               program.mpi_library),
                   "install it, or: photofinish check -- LAUNCHER ... PROGRAM"});
  else
    all.push_back(
        {Level::Ok,
         fmt::format("uses {} ({}), started with {}", mpi, program.mpi_library, program.launcher),
         ""});
  if (program.uses_openshmem)
    all.push_back({Level::Note, "an OpenSHMEM program: explore and group do not support it",
                   "without photofinish, Open MPI 4.1 may crash in shmem_finalize: export "
                   "OMPI_MCA_memory=^patcher"});
  if (program.has_own_coarrays)
    all.push_back({Level::Problem,
                   "linked statically with its coarray library: only the library's MPI calls are "
                   "checked, not coarrays",
                   "link it with pfcaf, or with the shared library of OpenCoarrays"});
  else if (program.uses_coarrays)
    all.push_back(
        {Level::Note, "a coarray program: explore, record and group do not support it", ""});
  if (program.wraps_mpi)
    all.push_back({Level::Note,
                   "defines MPI functions itself, as PMPI tools do: calls that these do not "
                   "forward are not recorded",
                   ""});
  if (!program.sanitizer.empty())
    all.push_back(
        {Level::Problem,
         fmt::format("needs {}, which must be loaded before anything else", program.sanitizer),
         "build it without -fsanitize to check it"});
  all.push_back(
      program.has_lines
          ? Judgement{Level::Ok, "has line information", ""}
          : Judgement{Level::Note,
                      "has no line information: reports name functions and addresses only",
                      "build it with -g"});
  all.push_back(judge_pass(program));
  return section;
}

}  // namespace photofinish

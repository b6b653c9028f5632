#include "doctor/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace photofinish {
namespace {

const char* package_of(MpiFlavour flavour) {
  return flavour == MpiFlavour::OpenMpi ? "openmpi-bin" : "mpich";
}
const char* development_package_of(MpiFlavour flavour) {
  return flavour == MpiFlavour::OpenMpi ? "libopenmpi-dev" : "libmpich-dev";
}

bool works(const MpiFacts& mpi) {
  return mpi.has_library && !mpi.launcher.empty() && mpi.trouble.empty();
}

// A missing part of an MPI library is a problem only if no other one works: few machines have both.
Judgement judge_one(const MpiFacts& mpi, bool another_works) {
  const std::string name =
      std::string(name_of(mpi.flavour)) + (mpi.version.empty() ? "" : " " + mpi.version);
  const Level missing = another_works ? Level::Note : Level::Problem;
  if (mpi.launcher.empty() && mpi.compiler.empty() && !mpi.has_library)
    return {missing, fmt::format("{}: not here", name),
            another_works
                ? ""
                : fmt::format("install it ({} and {}, or your site's module), and build "
                              "photofinish where it is",
                              package_of(mpi.flavour), development_package_of(mpi.flavour))};
  if (!mpi.has_library)
    return {missing, fmt::format("{}: this photofinish has no library for it", name),
            fmt::format("build photofinish where {} is installed with its development files ({})",
                        name_of(mpi.flavour), development_package_of(mpi.flavour))};
  if (mpi.launcher.empty())
    return {missing, fmt::format("{}: its mpirun is not in PATH", name),
            fmt::format("install {}, or load your site's module; or name a launcher: photofinish "
                        "check -- LAUNCHER ... PROGRAM",
                        package_of(mpi.flavour))};
  if (!mpi.trouble.empty())
    return {Level::Problem,
            fmt::format("{}: {} does not start a process: {}", name, mpi.launcher, mpi.trouble),
            fmt::format("find out why: {} -n 1 true", mpi.launcher)};
  return {Level::Ok,
          fmt::format("{}: {} starts processes, {}{}", name, mpi.launcher,
                      mpi.compiler.empty() ? "no mpicc" : mpi.compiler,
                      mpi.has_analysis ? ", analyze -n works with it" : ""),
          ""};
}

}  // namespace

Section judge_mpi(const Machine& machine) {
  Section section{"MPI", {}};
  for (const MpiFacts& mpi : machine.mpis) {
    const bool another =
        std::any_of(machine.mpis.begin(), machine.mpis.end(),
                    [&](const MpiFacts& other) { return &other != &mpi && works(other); });
    section.judgements.push_back(judge_one(mpi, another));
    if (works(mpi) && mpi.compiler.empty())
      section.judgements.push_back(
          {Level::Note,
           fmt::format("{}: its mpicc is not in PATH, so pfmpicc cannot use it",
                       name_of(mpi.flavour)),
           fmt::format("install {}, or: pfmpicc --mpi=/path/to/mpicc",
                       development_package_of(mpi.flavour))});
    // Detected by a test run, where a crash is possible.
    const bool crashes = mpi.swap == MpiFacts::Swap::Crashes ||
                         (mpi.swap == MpiFacts::Swap::Unknown && mpi.version == "4.1.4");
    if (works(mpi) && mpi.flavour == MpiFlavour::OpenMpi && crashes)
      section.judgements.push_back(
          {Level::Note,
           fmt::format("Open MPI {}: MPI_Compare_and_swap on 8 bytes crashes in its component "
                       "osc/rdma, with and without photofinish",
                       mpi.version),
           "for programs that use it: export OMPI_MCA_osc=sm,pt2pt"});
  }
  return section;
}

Section judge_compilers(const Machine& machine) {
  Section section{"Compilers (for loads and stores)", {}};
  if (machine.clangs.empty())
    section.judgements.push_back(
        {Level::Note,
         "this photofinish was built without LLVM: it checks MPI calls only, not loads and stores",
         "build it where llvm-19-dev and clang-19 are installed"});
  const bool one_works = std::any_of(
      machine.clangs.begin(), machine.clangs.end(),
      [](const ClangFacts& clang) { return !clang.clang.empty() && clang.trouble.empty(); });
  for (const ClangFacts& clang : machine.clangs) {
    if (clang.clang.empty()) {
      section.judgements.push_back({one_works ? Level::Note : Level::Problem,
                                    fmt::format("clang {}: not in PATH", clang.version),
                                    one_works
                                        ? ""
                                        : fmt::format("install clang-{}: pfmpicc and pfmpicxx need "
                                                      "it to instrument loads and stores",
                                                      clang.version)});
      continue;
    }
    if (!clang.trouble.empty()) {
      section.judgements.push_back(
          {Level::Problem, fmt::format("{} does not load the pass: {}", clang.clang, clang.trouble),
           fmt::format("rebuild photofinish with the llvm-{}-dev that belongs to this clang, or "
                       "choose another with PHOTOFINISH_LLVM",
                       clang.version)});
      continue;
    }
    std::vector<std::string> wrappers{"pfmpicc"};
    if (!clang.clangxx.empty()) wrappers.push_back("pfmpicxx");
    if (!clang.flang.empty() && clang.has_modules) wrappers.push_back("pfmpifort");
    section.judgements.push_back(
        {Level::Ok, fmt::format("{} loads the pass: {}", clang.clang, fmt::join(wrappers, ", ")),
         ""});
    if (clang.flang.empty() && clang.has_modules)
      section.judgements.push_back(
          {Level::Note,
           fmt::format("flang {}: not in PATH, so pfmpifort cannot use it", clang.version),
           fmt::format("for Fortran: install flang-{}", clang.version)});
  }
  return section;
}

std::vector<Section> judge(const Machine& machine) {
  return {judge_mpi(machine), judge_compilers(machine), judge_environment(machine),
          judge_system(machine)};
}

}  // namespace photofinish

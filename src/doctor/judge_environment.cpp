// Judges environment variables: those of the loader, of MPI, and of the tool.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/judge.h"

namespace photofinish {
namespace {

Judgement judge_preload(const PreloadFacts& library) {
  if (library.ours)
    return {Level::Problem,
            "LD_PRELOAD already has " + library.path +
                " in it: check and exec set it for the ranks; it does not belong in a shell",
            "unset LD_PRELOAD"};
  if (!library.found)
    return {Level::Problem,
            "LD_PRELOAD names " + library.path +
                ", which cannot be read: every process prints a loader error",
            "unset LD_PRELOAD, or give its whole path"};
  if (library.wraps_mpi)
    return {Level::Problem, "LD_PRELOAD has another tool that intercepts MPI: " + library.path,
            "take it out of LD_PRELOAD (or unload its module) while photofinish runs: each would "
            "record the other's calls"};
  if (library.wraps_malloc)
    return {Level::Note, "LD_PRELOAD replaces malloc: " + library.path,
            "if ranks crash in malloc or free, try without it"};
  return {Level::Note,
          "LD_PRELOAD has " + library.path +
              " in it: in the ranks it is loaded after the photofinish library",
          ""};
}

std::string value_of(const Machine& machine, const std::string& name) {
  const auto found = machine.environment.find(name);
  return found != machine.environment.end() ? found->second : "";
}

bool has_open_mpi(const Machine& machine) {
  return std::any_of(machine.mpis.begin(), machine.mpis.end(), [](const MpiFacts& mpi) {
    return mpi.flavour == MpiFlavour::OpenMpi && !mpi.launcher.empty();
  });
}

}  // namespace

Section judge_environment(const Machine& machine) {
  Section section{"Environment", {}};
  auto& all = section.judgements;
  for (const PreloadFacts& library : machine.preloads) all.push_back(judge_preload(library));
  if (const std::string audit = value_of(machine, "LD_AUDIT"); !audit.empty())
    all.push_back(
        {Level::Note, "LD_AUDIT is set: " + audit, "if ranks do not start, try without it"});
  if (!machine.options_trouble.empty())
    all.push_back({Level::Problem, "PHOTOFINISH_OPTIONS: " + machine.options_trouble,
                   "correct or unset it: every command reads it"});
  else if (const std::string options = value_of(machine, "PHOTOFINISH_OPTIONS"); !options.empty())
    all.push_back({Level::Note,
                   fmt::format("PHOTOFINISH_OPTIONS=\"{}\" applies to every command", options),
                   ""});
  if (!value_of(machine, "PHOTOFINISH_ACTIVE").empty())
    all.push_back({Level::Problem,
                   "PHOTOFINISH_ACTIVE is set: this is a rank of a run that is being recorded",
                   "start photofinish outside of it"});

  if (has_open_mpi(machine)) {
    // Open MPI and UCX replace mmap, munmap and free in the process, and so may a program's
    // allocator. The tool disables that in its ranks (cli/exec.cpp), unless the user sets these
    // variables.
    const std::string memory = value_of(machine, "OMPI_MCA_memory"),
                      events = value_of(machine, "UCX_MEM_EVENTS");
    const bool patches = (!memory.empty() && memory.find("^patcher") == std::string::npos) ||
                         (!events.empty() && events != "no" && events != "n" && events != "0");
    const bool allocator = std::any_of(machine.preloads.begin(), machine.preloads.end(),
                                       [](const PreloadFacts& one) { return one.wraps_malloc; });
    if (allocator && patches)
      all.push_back(
          {Level::Problem,
           "Open MPI is set to patch memory functions that a library in LD_PRELOAD also replaces",
           "unset OMPI_MCA_memory UCX_MEM_EVENTS: photofinish disables the patching for its "
           "ranks"});
    else if (patches)
      all.push_back({Level::Note, "Open MPI is set to patch memory functions, which usually works",
                     "if ranks crash in munmap or free, or at their end: unset OMPI_MCA_memory "
                     "UCX_MEM_EVENTS"});
    const bool allowed = !value_of(machine, "OMPI_ALLOW_RUN_AS_ROOT").empty() &&
                         !value_of(machine, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM").empty();
    if (machine.root && !allowed)
      all.push_back(
          {Level::Note,
           "you are root: check -n allows Open MPI to run as root; launchers that you start "
           "yourself refuse",
           "for those: export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  if (all.empty()) all.push_back({Level::Ok, "no conflicting variables", ""});
  return section;
}

}  // namespace photofinish

#include "launch/launcher.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <span>

#include "launch/child_output.h"

namespace photofinish {
namespace {

namespace fs = std::filesystem;
// Names that identify the MPI library, best first.
constexpr const char* kOpenMpiNames[] = {"mpirun.openmpi", "mpiexec.openmpi"};
constexpr const char* kOpenShmemNames[] = {"oshrun.openmpi", "oshrun"};
constexpr const char* kMpichNames[] = {"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra"};
// Names that any MPI library may use: the launcher must be queried.
constexpr const char* kCommonNames[] = {"mpirun", "mpiexec"};

constexpr const char* kResourceManagers[] = {"SLURM_JOB_ID", "SLURM_JOBID",  "PBS_JOBID",
                                             "LSB_JOBID",    "PE_HOSTFILE",  "COBALT_JOBID",
                                             "FLUX_JOB_ID",  "LOADL_STEP_ID"};

std::span<const char* const> own_names(MpiFlavour flavour, bool uses_openshmem) {
  if (uses_openshmem) return kOpenShmemNames;
  if (flavour == MpiFlavour::OpenMpi) return kOpenMpiNames;
  return kMpichNames;
}

bool is_of_flavour(const std::string& launcher, MpiFlavour flavour) {
  const std::string text = child_output({launcher, "--version"});
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (flavour == MpiFlavour::OpenMpi)
    return says("Open MPI") || says("OpenRTE") || says("open-mpi.org");
  return says("HYDRA") || says("MPICH");
}

// PREFIX/lib/libmpi.so.40 → PREFIX/bin, also with one more level (lib/aarch64-linux-gnu).
std::vector<fs::path> bin_directories_near(const std::string& library) {
  if (library.empty()) return {};
  std::error_code failed;
  const fs::path directory =
      fs::weakly_canonical(fs::path(library).parent_path(), failed);  // /lib may be a link to
                                                                      // /usr/lib
  std::vector<fs::path> near;
  for (const fs::path& prefix : {directory.parent_path(), directory.parent_path().parent_path()})
    if (prefix != prefix.root_path())
      near.push_back(prefix / "bin");  // Open MPI does not accept / as its prefix
  return near;
}

std::optional<std::string> find_beside(const std::string& library, MpiFlavour flavour,
                                       bool uses_openshmem) {
  for (const fs::path& bin : bin_directories_near(library)) {
    for (const char* name : own_names(flavour, uses_openshmem))
      if (const auto path = find_program(bin / name)) return *path;
    for (const char* name : kCommonNames)
      if (const auto path = find_program(bin / name); path && is_of_flavour(*path, flavour))
        return *path;
  }
  return std::nullopt;
}

std::optional<std::string> find_launcher(MpiFlavour flavour, const std::string& library,
                                         bool uses_openshmem) {
  if (auto beside = find_beside(library, flavour, uses_openshmem)) return beside;
  for (const char* name : own_names(flavour, uses_openshmem))
    if (const auto path = find_program(name)) return *path;
  for (const char* name : kCommonNames)
    if (const auto path = find_program(name); path && is_of_flavour(*path, flavour)) return *path;
  return std::nullopt;
}

// If called by an absolute path, Open MPI's mpirun implies --prefix and changes the ranks'
// environment. So it is called by name if the name resolves to the same file.
std::string as_user_calls_it(const std::string& launcher) {
  const std::string name = fs::path(launcher).filename();
  const auto in_path = find_program(name);
  std::error_code failed;
  return in_path && fs::equivalent(*in_path, launcher, failed) ? name : launcher;
}

// Cores, not hardware threads: Open MPI counts slots that way. Hardware threads of one core have
// the same siblings.
int usable_cores() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable)) continue;
    std::ifstream file(
        fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    std::string siblings;
    if (!std::getline(file, siblings)) siblings = fmt::format("cpu{}", cpu);
    cores.insert(siblings);
  }
  return static_cast<int>(cores.size());
}

bool under_resource_manager() {
  return std::ranges::any_of(kResourceManagers,
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

Error no_launcher_error(MpiFlavour flavour) {
  const bool open_mpi = flavour == MpiFlavour::OpenMpi;
  return Error{
      fmt::format("the program needs {}, but no mpirun of it is in PATH; install it ({}), or "
                  "write: photofinish "
                  "check -- LAUNCHER ... PROGRAM",
                  name_of(flavour),
                  open_mpi ? "openmpi-bin or your site's module" : "mpich or your site's module")};
}

}  // namespace

Result<std::vector<std::string>> launcher_for(MpiFlavour flavour, int ranks,
                                              const std::string& mpi_library, bool uses_openshmem) {
  if (ranks < 1) return Error{fmt::format("cannot start {} ranks; give -n 1 or more", ranks)};
  const auto launcher = find_launcher(flavour, mpi_library, uses_openshmem);
  if (!launcher) return no_launcher_error(flavour);
  std::vector<std::string> words = {as_user_calls_it(*launcher), "-n", std::to_string(ranks)};
  // Under a resource manager the slots are those of the job, and exceeding them is an error that
  // the site intends.
  if (flavour == MpiFlavour::OpenMpi && !under_resource_manager() && ranks > usable_cores())
    words.push_back("--oversubscribe");
  return words;
}

}  // namespace photofinish

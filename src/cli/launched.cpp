#include "cli/launched.h"

#include <algorithm>
#include <cstdlib>

#include "launch/launcher_variables.h"

namespace photofinish {
namespace {

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

bool speaks_for_all() { return rank_of_launcher().value_or(0) == 0; }

}  // namespace

std::optional<MpiFlavour> flavour_of_launcher() {
  if (is_set("OMPI_COMM_WORLD_RANK")) return MpiFlavour::OpenMpi;
  if (is_set("MPI_LOCALRANKID") || is_set("HYDI_CONTROL_FD") || is_set("PMI_RANK"))
    return MpiFlavour::Mpich;
  return std::nullopt;
}

bool launched_by_other_than(MpiFlavour flavour) {
  const bool by_open_mpi = is_set("OMPI_COMM_WORLD_RANK"),
             by_mpich = is_set("MPI_LOCALRANKID") || is_set("HYDI_CONTROL_FD");
  return flavour == MpiFlavour::OpenMpi ? by_mpich && !by_open_mpi : by_open_mpi && !by_mpich;
}

int launched_processes() {
  // For Slurm the variable that only srun sets: the others are also set in a batch script.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* size = std::getenv(name)) return std::max(1, std::atoi(size));
  return 1;
}

int fail_once(const std::string& message, int code) {
  return speaks_for_all() ? fail(message, code) : code;
}

}  // namespace photofinish

#include "launch/launcher_variables.h"

#include <cstdlib>
#include <string_view>

#include "record/start_info.h"

namespace photofinish {
namespace {

// Prefixes of variables by which a rank finds its launcher, rank, peers and network. The first
// matching row decides.
struct LauncherVariables {
  std::string_view prefix;
  bool of_launcher = true;
};
constexpr LauncherVariables kLauncherVariables[] = {
    // Open MPI: ORTE in version 4, PRRTE in version 5. Other parameters are the user's.
    {"OMPI_MCA_orte"},
    {"OMPI_MCA_ess"},
    {"OMPI_MCA_pmix"},
    {"OMPI_MCA_plm"},
    {"OMPI_MCA_oob"},
    {"OMPI_MCA_shmem_RUNTIME"},
    {"OMPI_MCA_", false},
    {"OMPI_"},
    {"ORTE_"},
    {"PRTE_"},
    {"PRRTE_"},
    // PMIx and both versions of PMI, of any server.
    {"PMIX_"},
    {"PMI_"},
    {"PMI2_"},
    // MPICH, Intel MPI.
    {"HYDI_"},
    {"HYDRA_"},
    {"MPI_LOCAL"},
    {"MPIR_CVAR_CH3"},
    {"I_MPI_HYDRA_"},
    {"GFORTRAN_UNBUFFERED"},
    // MVAPICH.
    {"MPIRUN_"},
    {"MPISPAWN_"},
    {"MV2_COMM_WORLD_"},
    {"MVP_COMM_WORLD_"},
    // Slurm.
    {"SLURM_"},
    {"SLURMD_"},
    {"SRUN_"},
    {"SBATCH_"},
    {"SALLOC_"},
    // Flux.
    {"FLUX_"},
    // Cray's PALS and ALPS.
    {"PALS_"},
    {"ALPS_"},
    // LSF, and its job step manager. (Not LS_COLORS.)
    {"LSB_"},
    {"LSF_"},
    {"LS_JOBPID="},
    {"LS_SUBCWD="},
    {"JSM_"},
    // Networks: a replayed rank runs alone, possibly on a machine without them.
    {"UCX_TLS="},
    {"UCX_NET_DEVICES="},
    {"FI_PROVIDER="},
    {"FI_TCP_IFACE="},
    // Photofinish.
    {"PHOTOFINISH_"},
    {"LD_PRELOAD="},
};

}  // namespace

bool is_of_launcher(const std::string& variable) {
  for (const LauncherVariables& row : kLauncherVariables)
    if (variable.starts_with(row.prefix)) return row.of_launcher;
  return false;
}

std::optional<int> rank_of_launcher() {
  // The first one decides: ranks of mpirun in a batch script also have the script's SLURM_PROCID.
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return std::nullopt;
}

}  // namespace photofinish

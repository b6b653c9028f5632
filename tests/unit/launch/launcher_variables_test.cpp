#include "launch/launcher_variables.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "record/start_info.h"

namespace photofinish {
namespace {

// As set under Slurm 22 (PMIx and PMI-2), Hydra 4, Open MPI 4 and 5, and as documented for the
// other launchers.
TEST(LauncherVariables, KeptFromMpiInAReplay) {
  for (const char* variable : {"SLURM_JOB_ID=3",
                               "SLURM_PROCID=1",
                               "SLURM_NODELIST=node[1-3]",
                               "SLURM_STEP_ID=0",
                               "SLURMD_NODENAME=node2",
                               "SRUN_DEBUG=3",
                               "SBATCH_EXPORT=ALL",
                               "SALLOC_PARTITION=all",
                               "PMIX_RANK=1",
                               "PMIX_NAMESPACE=slurm.pmix.3.0",
                               "PMIX_SERVER_URI41=tcp4://",
                               "PMI_FD=6",
                               "PMI_JOBID=3.0",
                               "PMI2_SPAWN=1",
                               "HYDI_CONTROL_FD=8",
                               "HYDRA_LAUNCHER=ssh",
                               "MPI_LOCALRANKID=0",
                               "OMPI_COMM_WORLD_RANK=2",
                               "OMPI_MCA_ess_base_jobid=1",
                               "OMPI_MCA_orte_hnp_uri=1",
                               "OMPI_MCA_plm_rsh_agent=ssh",
                               "OMPI_MCA_oob_tcp_if_include=ib0",
                               "PRTE_MCA_plm=ssh",
                               "PRRTE_LAUNCHED=1",
                               "FLUX_JOB_ID=f1",
                               "FLUX_URI=local:///run",
                               "PALS_RANKID=0",
                               "PALS_APID=1",
                               "ALPS_APP_PE=0",
                               "LSB_JOBID=1",
                               "LSF_BINDIR=/lsf",
                               "LS_JOBPID=1",
                               "JSM_NAMESPACE_RANK=0",
                               "MPIRUN_RANK=0",
                               "MPISPAWN_ID=0",
                               "MV2_COMM_WORLD_RANK=0",
                               "UCX_NET_DEVICES=mlx5_0:1",
                               "FI_PROVIDER=cxi",
                               "PHOTOFINISH_TOKEN=1",
                               "LD_PRELOAD=/lib/a.so"})
    EXPECT_TRUE(is_of_launcher(variable)) << variable;
}

TEST(LauncherVariables, WhatTheUserSetStays) {
  for (const char* variable :
       {"PATH=/bin", "HOME=/root", "OMP_NUM_THREADS=4", "LS_COLORS=di=01", "OMPI_MCA_btl=tcp,self",
        "OMPI_MCA_mpi_yield_when_idle=1", "MV2_ENABLE_AFFINITY=0", "I_MPI_FABRICS=shm",
        "UCX_LOG_LEVEL=info", "LD_LIBRARY_PATH=/lib", "SLURMLIKE=1", "MPICH_ASYNC_PROGRESS=1"})
    EXPECT_FALSE(is_of_launcher(variable)) << variable;
}

TEST(LauncherVariables, TheLauncherNextToTheRankNumbersIt) {
  const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (const char* name : names) unsetenv(name);
  EXPECT_EQ(rank_of_launcher(), std::nullopt);
  setenv("SLURM_PROCID", "0", 1);  // of a batch script …
  EXPECT_EQ(rank_of_launcher(), 0);
  setenv("PMI_RANK", "2", 1);  // … that starts Hydra
  EXPECT_EQ(rank_of_launcher(), 2);
  for (const char* name : names) unsetenv(name);
}

}  // namespace
}  // namespace photofinish

// photofinish-analyze-MPI: one process of a parallel photofinish analyze, linked with the MPI
// library whose launcher starts it.
//
//   photofinish-analyze-MPI report|findings PROCESSES RUN OPTIONS
//   photofinish-analyze-MPI swap
//
// report: process 0 prints the report; its exit code says whether there are findings.
// swap: for photofinish doctor: whether this MPI's MPI_Compare_and_swap works.
// findings: only writes them; the parent prints the report. Not for users: photofinish analyze
// starts this program, or becomes it by exec.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyze/analyze_run.h"
#include "analyze/mpi_transport.h"
#include "cli/commands.h"

namespace photofinish {
namespace {

int run(const std::string& what, int processes, const std::string& directory,
        const std::string& text) {
  const auto options = parse_options(text);
  if (!options) return fail(options.error().message, kExitUsage);
  MpiTransport transport;
  if (transport.processes() != processes)
    return fail("the launcher started " + std::to_string(processes) + " processes, and MPI finds " +
                std::to_string(transport.processes()) +
                " of them: it is the launcher of another MPI; choose one with --mpi=openmpi or "
                "--mpi=mpich");
  const auto done = analyze_run(directory, *options, transport,
                                [](const std::string& message) { fail(message); });
  if (!done) return done.error().message.empty() ? kExitToolError : fail(done.error().message);
  setenv("NO_COLOR", "1",
         1);  // a launcher may provide a terminal of its own but write elsewhere
  return what == "report" && transport.process() == 0 ? run_report(*options, {.run = directory})
                                                      : kExitOk;
}

// Crashes with osc/rdma of Open MPI 4.1.4.
int swap() {
  MPI_Init(nullptr, nullptr);
  std::int64_t *base = nullptr, fresh = 1, expected = 0, found = 0;
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  base[0] = base[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Compare_and_swap(&fresh, &expected, &found, MPI_INT64_T, 0, 1, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return kExitOk;
}

}  // namespace
}  // namespace photofinish

int main(int argc, char** argv) {
  using namespace photofinish;
  if (argc == 2 && std::string_view(argv[1]) == "swap") return swap();
  if (argc != 5) return fail("photofinish analyze starts this program", kExitUsage);
  return run(argv[1], std::atoi(argv[2]), argv[3], argv[4]);
}

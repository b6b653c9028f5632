// photofinish-analyze-MPI: one process of a photofinish analyze by several, linked with the MPI
// whose launcher starts it.
//
//   photofinish-analyze-MPI report|findings PROCESSES RUN OPTIONS
//
// report: process 0 prints the report, and its exit code tells whether there are findings.
// findings: only writes them; whoever started the processes prints. Not for users: photofinish
// analyze starts it, or becomes it.
#include <cstdlib>
#include <string>

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
         1);  // a launcher may have given us a terminal of its own, and write to something else
  return what == "report" && transport.process() == 0 ? run_report(*options, {.run = directory})
                                                      : kExitOk;
}

}  // namespace
}  // namespace photofinish

int main(int argc, char** argv) {
  using namespace photofinish;
  if (argc != 5) return fail("photofinish analyze starts this program", kExitUsage);
  return run(argv[1], std::atoi(argv[2]), argv[3], argv[4]);
}

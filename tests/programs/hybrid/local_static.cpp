// Correct: a local static variable whose constructor receives; the compiler's guard makes other
// threads wait.
#include <thread>
#include <vector>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: 12
// expect no race
struct Parameters {
  int values[16];
  Parameters() {
    int mine[16] = {0, 3};
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
};

static const Parameters& parameters() {
  static const Parameters all;
  return all;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int sums[4] = {0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([i, &sums] { sums[i] = parameters().values[1]; });
  for (std::thread& worker : workers) worker.join();
  if (rank == 0) printf("%d\n", sums[0] + sums[1] + sums[2] + sums[3]);
  MPI_Finalize();
}

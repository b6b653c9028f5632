// A 5-point stencil on rows that are divided among the PEs. The outer rows go to the neighbors with
// a put, a fence and a flag; nobody else waits. With OpenMP, threads share the rows of a PE.
// Arguments: steps, cells of a side.
#include "pes.h"

static void send_row(double* row, const double* from, long columns, long* flag, long step, int to) {
  shmem_double_put(row, from, (size_t)columns, to);
  shmem_fence();
  shmem_long_p(flag, step, to);
}

static void relax(double* to, const double* from, long rows, long columns) {
#pragma omp parallel for
  for (long row = 1; row <= rows; ++row)
    for (long column = 1; column < columns - 1; ++column) {
      const long at = row * columns + column;
      to[at] =
          0.2 * (from[at] + from[at - 1] + from[at + 1] + from[at - columns] + from[at + columns]);
    }
}

int main(int argc, char** argv) {
  start();
  const int steps = argument(argc, argv, 1, 10);
  const long columns = argument(argc, argv, 2, 64);
  const long first = share_begin(columns, me), rows = share_begin(columns, me + 1) - first;
  const size_t bytes = (size_t)(columns / pes + 3) * (size_t)columns * sizeof(double);
  double* grids[2] = {zeros(bytes), zeros(bytes)};
  long* arrived = zeros(2 * sizeof *arrived);  // from above and from below
  for (int copy = 0; copy < 2; ++copy)
    for (long at = 0; at < (rows + 2) * columns; ++at)
      grids[copy][at] = (double)(mix((uint64_t)((first - 1) * columns + at)) % 1000);
  const double began = synchronized_time();
  for (long step = 1; step <= steps; ++step) {
    double *from = grids[step % 2], *to = grids[(step + 1) % 2];
    relax(to, from, rows, columns);
    // A neighbor's last row is its own number of rows.
    const long above = me > 0 ? share_begin(columns, me) - share_begin(columns, me - 1) : 0;
    if (me > 0)
      send_row(&to[(above + 1) * columns], &to[columns], columns, &arrived[1], step, me - 1);
    if (me < pes - 1) send_row(to, &to[rows * columns], columns, &arrived[0], step, me + 1);
    if (me > 0) shmem_long_wait_until(&arrived[0], SHMEM_CMP_GE, step);
    if (me < pes - 1) shmem_long_wait_until(&arrived[1], SHMEM_CMP_GE, step);
  }
  const double seconds = synchronized_time() - began;
  uint64_t checksum = 0, bits;
  for (long at = columns; at < (rows + 1) * columns; ++at) {
    memcpy(&bits, &grids[(steps + 1) % 2][at], sizeof bits);
    checksum += mix(bits ^ mix((uint64_t)((first - 1) * columns + at)));
  }
  return finish(seconds, checksum);
}

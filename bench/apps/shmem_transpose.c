// A matrix is transposed: each PE computes its rows, and puts their blocks as columns of the
// others' rows. Arguments: rounds, rows.
#include "pes.h"

int main(int argc, char** argv) {
  start();
  const int rounds = argument(argc, argv, 1, 4);
  const long rows = argument(argc, argv, 2, 64) / pes * pes, mine = rows / pes;
  double* matrix = zeros((size_t)(mine * rows) * sizeof *matrix);
  double* transposed = zeros((size_t)(mine * rows) * sizeof *transposed);
  double* block = malloc((size_t)(mine * mine) * sizeof *block);
  for (long at = 0; at < mine * rows; ++at)
    matrix[at] = (double)(mix((uint64_t)(me * mine * rows + at)) % 1000);
  const double began = synchronized_time();
  for (int round = 0; round < rounds; ++round) {
    for (int shift = 0; shift < pes; ++shift) {
      const int pe = (me + shift) % pes;
      for (long row = 0; row < mine; ++row)
        for (long column = 0; column < mine; ++column)
          block[column * mine + row] = matrix[row * rows + pe * mine + column];
      for (long column = 0; column < mine; ++column)
        shmem_double_put(&transposed[column * rows + me * mine], &block[column * mine],
                         (size_t)mine, pe);
    }
    shmem_barrier_all();
    for (long at = 0; at < mine * rows; ++at) matrix[at] = 0.5 * (matrix[at] + transposed[at]);
    shmem_barrier_all();
  }
  const double seconds = synchronized_time() - began;
  uint64_t checksum = 0, bits;
  for (long at = 0; at < mine * rows; ++at) {
    memcpy(&bits, &matrix[at], sizeof bits);
    checksum += mix(bits ^ mix((uint64_t)(me * mine * rows + at)));
  }
  return finish(seconds, checksum);
}

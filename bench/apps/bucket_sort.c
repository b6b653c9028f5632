// Sorts integers by counting: bucket_sort STEPS KEYS
// Each rank has a share of the keys and owns a range of their values. It puts keys of other ranges
// into the windows of their owners, and counts the keys in its own window. The table of counts is
// in the window, too, so that other ranks can read it at the end of a step.
#include "app.h"

enum { kValues = 1 << 19, kLookups = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 10), all_keys = argument(argc, argv, 2, 1 << 22);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long begin = share_begin(all_keys, rank, ranks),
             keys = share_begin(all_keys, rank + 1, ranks) - begin;
  const long values = (kValues + ranks - 1) / ranks;  // of each rank
  const long room =
      2 * (all_keys / ranks) + 1024;  // for incoming keys: random keys are less uneven

  int *counts, *came;
  MPI_Win count_win, key_win;
  MPI_Win_allocate(whole_lines(values * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &counts, &count_win);
  MPI_Win_allocate(whole_lines(room * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &came, &key_win);
  int* mine = malloc(keys * sizeof(int));
  int* grouped = malloc(keys * sizeof(int));
  int *to_each = malloc(ranks * sizeof(int)), *first = malloc(ranks * sizeof(int)),
      *there = malloc(ranks * sizeof(int)), *next = malloc(ranks * sizeof(int));

  uint64_t checksum = 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, count_win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, key_win);
  for (long i = 0; i < keys; ++i) mine[i] = (int)(mix(begin + i) % kValues);
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    mine[step % keys] = (int)((mine[step % keys] + step) % kValues);
    memset(to_each, 0, ranks * sizeof(int));
    for (long i = 0; i < keys; ++i) ++to_each[mine[i] / values];
    for (int to = 0, sum = 0; to < ranks; sum += to_each[to++]) first[to] = next[to] = sum;
    for (long i = 0; i < keys; ++i) grouped[next[mine[i] / values]++] = mine[i];
    // Where this rank's keys begin in each window, and how many keys it receives.
    MPI_Exscan(to_each, there, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) memset(there, 0, ranks * sizeof(int));
    int coming;
    MPI_Reduce_scatter_block(to_each, &coming, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (coming > room) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int to = 0; to < ranks; ++to)
      MPI_Put(grouped + first[to], to_each[to], MPI_INT, to, there[to], to_each[to], MPI_INT,
              key_win);
    MPI_Win_fence(0, key_win);

    memset(counts, 0, values * sizeof(int));
    for (long i = 0; i < coming; ++i) ++counts[came[i] - rank * values];
    for (long value = 1; value < values; ++value) counts[value] += counts[value - 1];

    MPI_Win_fence(0, count_win);
    int checked_up[kLookups];
    for (int i = 0; i < kLookups; ++i) {
      const long value = (long)(mix((step * ranks + rank) * kLookups + i) % kValues);
      MPI_Get(&checked_up[i], 1, MPI_INT, (int)(value / values), value % values, 1, MPI_INT,
              count_win);
    }
    MPI_Win_fence(0, count_win);
    for (int i = 0; i < kLookups; ++i)
      checksum += mix((uint64_t)checked_up[i] ^ mix((step * ranks + rank) * kLookups + i));
    MPI_Win_fence(0, key_win);
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, key_win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, count_win);

  MPI_Win_free(&key_win);
  MPI_Win_free(&count_win);
  free(mine);
  free(grouped);
  free(to_each);
  free(first);
  free(there);
  free(next);
  return finish(seconds, checksum);
}

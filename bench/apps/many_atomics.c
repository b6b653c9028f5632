// Thousands of atomics from one buffer: many_atomics STEPS ATOMICS SLOTS
// In each step a rank adds to ATOMICS random counters of others, with one operand for all of them,
// and completes these operations together. Then it fetches as many, each into an element of its
// own, with one operand buffer that is not used.
#include "app.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 20), atomics = argument(argc, argv, 2, 10000);
  const long slots = argument(argc, argv, 3, 4096);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  int64_t* counters;
  MPI_Win win;
  MPI_Win_allocate(slots * (MPI_Aint)sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &counters, &win);
  memset(counters, 0, slots * sizeof(int64_t));
  int64_t* fetched = calloc(atomics, sizeof(int64_t));
  const int64_t one = 1, unused = 0;

  MPI_Win_lock_all(0, win);
  uint64_t sum = 0;
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    for (long i = 0; i < atomics; ++i) {
      const uint64_t random = mix((step * ranks + rank) * atomics + i);
      MPI_Accumulate(&one, 1, MPI_INT64_T, (int)(random % ranks),
                     (MPI_Aint)((random >> 32) % slots), 1, MPI_INT64_T, MPI_SUM, win);
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < atomics; ++i) {
      const uint64_t random = mix((step * ranks + rank) * atomics + i);
      MPI_Fetch_and_op(&unused, &fetched[i], MPI_INT64_T, (int)(random % ranks),
                       (MPI_Aint)((random >> 32) % slots), MPI_NO_OP, win);
    }
    MPI_Win_flush_all(win);
    for (long i = 0; i < atomics; ++i) sum += mix(fetched[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  free(fetched);
  return finish(seconds, sum);
}

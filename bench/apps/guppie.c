// Random updates of a distributed table, without other work: guppie UPDATES BATCH
// UPDATES in total, divided by the ranks. After BATCH updates each rank flushes and waits for the
// others.
#include "app.h"

enum { kTable = 1 << 18 };  // elements in total

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long updates = argument(argc, argv, 1, 1000000), batch = argument(argc, argv, 2, 512);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long elements = (kTable + ranks - 1) / ranks;  // of each rank
  const size_t bytes = whole_lines(elements * sizeof(uint64_t));
  uint64_t* table;
  MPI_Win win;
  MPI_Win_allocate(bytes, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
  memset(table, 0, bytes);
  uint64_t* values =
      aligned_alloc(kLine, whole_lines(batch * sizeof(uint64_t)));  // in use until the flush

  const long begin = share_begin(updates, rank, ranks), end = share_begin(updates, rank + 1, ranks);
  const long batches =
      ((updates + ranks - 1) / ranks + batch - 1) / batch;  // the same on all ranks
  MPI_Win_lock_all(0, win);
  const double started = synchronised_time();
  for (long done = 0; done < batches; ++done) {
    const long from = begin + done * batch;
    for (long i = from; i < from + batch && i < end; ++i) {
      values[i - from] = mix(i);
      const long location = values[i - from] % kTable;
      MPI_Accumulate(&values[i - from], 1, MPI_UINT64_T, (int)(location / elements),
                     location % elements, 1, MPI_UINT64_T, MPI_BXOR, win);
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);

  uint64_t checksum = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (long i = 0; i < elements && rank * elements + i < kTable; ++i)
    checksum += mix(table[i] ^ mix(rank * elements + i));
  MPI_Win_unlock(rank, win);
  free(values);
  MPI_Win_free(&win);
  return finish(seconds, checksum);
}

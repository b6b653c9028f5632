// Updates of a distributed table, in any order, and a shared counter that hands out the work.
// run: ranks=4 groups=0;3;1,2;0-3
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kEach = 64, kUpdates = 400 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static int table[kEach];
  long* counter;
  MPI_Win tables, counters;
  memset(table, 0, sizeof table);
  MPI_Win_create(table, sizeof table, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &tables);
  MPI_Win_allocate(sizeof(long) * 8, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                   &counters);
  memset(counter, 0, sizeof(long) * 8);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, tables);
  MPI_Win_lock_all(0, counters);
  long mine = 0, taken = 0, last = 0;
  const long one = 1;
  for (;;) {
    MPI_Fetch_and_op(&one, &mine, MPI_LONG, 0, 0, MPI_SUM, counters);
    MPI_Win_flush(0, counters);
    if (mine >= kUpdates) break;
    ++taken;
    const unsigned long key = (unsigned long)mine * 2654435761u;
    const int value = (int)(key >> 7 & 0xffff) ^ rank;
    const int owner = (int)(key % (unsigned long)ranks);
    MPI_Aint at = (MPI_Aint)(key / 16 % kEach);
    int before, compare = 0, swapped;
    MPI_Get_accumulate(&value, 1, MPI_INT, &before, 1, MPI_INT, owner, at, 1, MPI_INT, MPI_BXOR,
                       tables);
    MPI_Win_flush(owner, tables);
    last = last * 5 + before;
    MPI_Request request;
    MPI_Rget(&before, 1, MPI_INT, owner, (at + 1) % kEach, 1, MPI_INT, tables, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (before == compare) {
      MPI_Compare_and_swap(&value, &compare, &swapped, MPI_INT, owner, (at + 2) % kEach, tables);
      MPI_Win_flush_local(owner, tables);
      last = last * 3 + swapped;
    }
  }
  MPI_Win_unlock_all(counters);
  MPI_Win_unlock_all(tables);
  MPI_Barrier(MPI_COMM_WORLD);
  long sum = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, tables);
  for (int i = 0; i < kEach; ++i) sum += table[i] * (i + 1);
  MPI_Win_unlock(rank, tables);
  printf("rank %d: %ld updates, %lx, table %lx\n", rank, taken, last, sum);
  MPI_Win_free(&counters);
  MPI_Win_free(&tables);
  MPI_Finalize();
  return 0;
}

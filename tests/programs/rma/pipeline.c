// Correct: blocks flow through a pipeline of ranks with request-based operations: rget from the
// left with two pending blocks, work on whichever is complete, rput of the result, raccumulate of
// statistics, rget_accumulate of a ticket; a message says what is ready.
#include "rma.h"
// run: ranks=3
// output: last block 32, statistics 8, tickets 8
// expect no race
enum { kBlocks = 4, kLength = 4, kStatistics = kBlocks * kLength, kTickets, kMemory };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(kMemory, &win);
  const int one = 1;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    for (int block = 0; block < kBlocks; ++block) {
      for (int i = 0; i < kLength; ++i) STORE(memory[block * kLength + i], block + 1);
      tell(1);
    }
  } else {
    int blocks[kBlocks][kLength], tickets[kBlocks];
    MPI_Request gets[kBlocks], puts[kBlocks], counts[2 * kBlocks];
    for (int block = 0; block < kBlocks; ++block) {
      hear(rank - 1);
      MPI_Rget(blocks[block], kLength, MPI_INT, rank - 1, block * kLength, kLength, MPI_INT, win,
               &gets[block]);
      if (block % 2 == 0) continue;
      for (int i = 0; i < 2; ++i) {
        int which;
        MPI_Waitany(2, &gets[block - 1], &which, MPI_STATUS_IGNORE);
        which += block - 1;
        for (int k = 0; k < kLength; ++k)
          STORE(blocks[which][k], LOAD(blocks[which][k]) * (rank == 1 ? 2 : 4));
        MPI_Rput(blocks[which], kLength, MPI_INT, rank, which * kLength, kLength, MPI_INT, win,
                 &puts[which]);
        MPI_Raccumulate(&one, 1, MPI_INT, 0, kStatistics, 1, MPI_INT, MPI_SUM, win,
                        &counts[2 * which]);
        MPI_Rget_accumulate(&one, 1, MPI_INT, &tickets[which], 1, MPI_INT, 0, kTickets, 1, MPI_INT,
                            MPI_SUM, win, &counts[2 * which + 1]);
      }
      MPI_Waitall(2, &puts[block - 1], MPI_STATUSES_IGNORE);
      MPI_Win_flush(rank, win);  // the requests do not imply completion at the target
      if (rank < size - 1)
        for (int i = 0; i < 2; ++i) tell(rank + 1);
    }
    MPI_Waitall(2 * kBlocks, counts, MPI_STATUSES_IGNORE);
    for (int block = 0; block < kBlocks; ++block) CHECK(LOAD(tickets[block]) < 2 * kBlocks);
  }
  MPI_Win_unlock_all(win);
  int last = LOAD(memory[kStatistics - 1]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) MPI_Send(&last, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&last, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("last block %d, statistics %d, tickets %d\n", last, LOAD(memory[kStatistics]),
           LOAD(memory[kTickets]));
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}

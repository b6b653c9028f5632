// MC-Checker's `ping-pong`: pairs of ranks send a ball back and forth with puts. After each round
// both partners write to rank 0's scoreboard, with a shared lock and in the line of the pair: two
// puts to one address. Fixed: a line for each rank.
#include "rma.h"
// run: ranks=4
// output: balls 6 6
// expect race: put @{score} put @{score}
enum { kRounds = 3, kBall = 0, kScore = 1 };

static MPI_Win win;

static void put_int(int value, int target, int place) {
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
  MPI_Put(&value, 1, MPI_INT, target, place, 1, MPI_INT, win);
  MPI_Win_unlock(target, win);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(1 + 4, &win);
  const int partner = rank ^ 1;
#ifdef FIXED
  const int line = rank;
#else
  const int line = rank / 2;
#endif
  int ball = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int half = 0; half < 2; ++half) {
      if (rank % 2 == half) {
        put_int(ball + 1, partner, kBall);
        tell(partner);
      } else {
        hear(partner);
        ball = LOAD(memory[kBall]);
      }
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Put(&round, 1, MPI_INT, 0, kScore + line, 1, MPI_INT, win); /*{score}*/
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int balls[4];
  MPI_Gather(&ball, 1, MPI_INT, balls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("balls %d %d\n", balls[0], balls[2]);
  MPI_Win_free(&win);
  MPI_Finalize();
}

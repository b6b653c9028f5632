// Global and static variables as buffers: a store to one while it is sent, a load of one while it
// is received into, also in another file. Fixed: the waits come first.
#include "../rma/rma.h"
#include "parts/totals.h"
// run: ranks=2
// build: source=parts/totals.c
// output: total 3 at 1
// output buggy: total * at *
// expect race: load @{send} store @{store}
// expect race: store @{receive} load @{load}
// expect race: store @{receive_total} load @{load_total}

static int steps = 1;
int received;

__attribute__((noinline)) static int look(void) { return received; /*{load}*/ }

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Request requests[4];
  const int mine = 3;
  MPI_Irecv(&received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]); /*{receive}*/
  MPI_Irecv(&total, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);    /*{receive_total}*/
  MPI_Isend(&steps, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[2]);    /*{send}*/
  MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[3]);
#ifdef FIXED
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#endif
  const int seen = look();
  const int all = total_so_far();
  steps += argc; /*{store}*/
#ifndef FIXED
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#endif
  if (rank == 0) printf("total %d at %d\n", all, seen);
  MPI_Finalize();
  return steps == 99;
}

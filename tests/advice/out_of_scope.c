// A function sends from a local array and returns before the send is complete. Advice: wait before
// the variable goes out of scope.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 8
// expect race: load @{isend} release @{return}
// expect report buggy: The accesses are concurrent: `halo`, local of send_halo, goes out of scope at {return} while MPI_Isend is pending; MPI_Wait out_of_scope.c:* completes it later.
// expect report buggy: Try: MPI_Wait for its request before `halo` goes out of scope.

__attribute__((noinline)) static void send_halo(MPI_Request* request) {
  int halo[8];
  for (int i = 0; i < 8; ++i) halo[i] = i + 1;
  MPI_Isend(halo, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, request); /*{isend}*/
#ifdef FIXED
  MPI_Wait(request, MPI_STATUS_IGNORE);
#endif
} /*{return}*/

int main(int argc, char** argv) {
  begin(argc, argv);
  if (rank == 0) {
    MPI_Request request;
    send_halo(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    int received[8];
    MPI_Recv(received, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d\n", received[7]);
  }
  MPI_Finalize();
}

// Windows of every flavor, with names and displacement units that differ between ranks: target
// addresses are in bytes.
#include <stdlib.h>
#include "check.h"
// run: ranks=3
// output: windows right
// expect rank all: MPI_Win_create comm=MPI_COMM_WORLD newwin=$made
// expect define rank 0: $made id=1 uid=$MADE comm=MPI_COMM_WORLD flavour=create size=64 unit=1
// expect define rank 1: $made uid=$MADE base=0x* size=64 unit=2
// expect define rank 2: $made uid=$MADE flavour=create size=64 unit=3
// expect rank all: MPI_Win_set_name win=$made
// expect rank 0: MPI_Put win=$made target=1 reads=*+4(1xMPI_INT) target_writes=+0x10+4(1xMPI_INT)
// expect rank 1: MPI_Put win=$made target=2 target_writes=+0x18+4(1xMPI_INT)
// expect rank 2: MPI_Put win=$made target=0 target_writes=+0x8+4(1xMPI_INT)
// expect rank all: MPI_Win_allocate newwin=$allocated
// expect define rank 0,1: $allocated uid=$ALLOCATED flavour=allocate size=80 unit=8
// expect define rank 2: $allocated uid=$ALLOCATED flavour=allocate size=0 unit=8
// expect rank all: MPI_Win_allocate_shared newwin=$shared
// expect define rank all: $shared uid=$SHARED flavour=shared size=16 unit=4
// expect rank all: MPI_Win_shared_query win=$shared target=1 size=16 address=0x*
// expect rank all: MPI_Win_create_dynamic newwin=$dynamic
// expect define rank all: $dynamic uid=$DYNAMIC flavour=dynamic base=0x0 size=0
// expect rank 1: MPI_Win_attach win=$dynamic address=$PIECE size=40
// expect rank 0: MPI_Put win=$dynamic target=1 target_writes=$PIECE+4(1xMPI_INT)
// expect rank 1: MPI_Win_detach win=$dynamic address=$PIECE
// expect rank all: MPI_Win_free win=$dynamic
// expect rank all: MPI_Comm_split new=$backwards
// expect rank all: MPI_Win_create comm=$backwards newwin=$sub
// expect define rank all: $sub uid=$SUB comm=$backwards
// expect rank 2: MPI_Get win=$sub target=1 writes=*+4(1xMPI_INT) target_reads=+0x0+4(1xMPI_INT)
// expect rank all: MPI_Alloc_mem size=32 address=$memory
// expect rank all: MPI_Free_mem address=$memory
// expect distinct: $MADE $ALLOCATED $SHARED $DYNAMIC

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  _Alignas(64) int memory[16] = {0};  // MPICH 4.0 with UCX fails for windows that begin elsewhere
  MPI_Win made, allocated, shared, dynamic, sub;
  const int next = (rank + 1) % 3;
  MPI_Win_create(memory, sizeof memory, rank + 1, MPI_INFO_NULL, world, &made);
  MPI_Win_set_name(made, "made");
  MPI_Win_fence(0, made);
  MPI_Put(&rank, 1, MPI_INT, next, 8, 1, MPI_INT, made);
  MPI_Win_fence(0, made);
  CHECK(memory[(rank + 1) * 8 / 4] == (rank + 2) % 3);

  double* own;
  int* mine;
  MPI_Win_allocate(rank == 2 ? 0 : 80, 8, MPI_INFO_NULL, world, &own, &allocated);
  MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, world, &mine, &shared);
  MPI_Aint size;
  int unit, *theirs;
  MPI_Win_shared_query(shared, 1, &size, &unit, &theirs);
  CHECK(size == 16 && unit == 4);

  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &dynamic);
  int* piece = malloc(40);
  MPI_Aint address = 0;
  if (rank == 1) {
    piece[0] = 0;
    MPI_Win_attach(dynamic, piece, 40);
    MPI_Get_address(piece, &address);
  }
  MPI_Bcast(&address, 1, MPI_AINT, 1, world);
  MPI_Win_fence(0, dynamic);
  const int answer = 42;
  if (rank == 0) MPI_Put(&answer, 1, MPI_INT, 1, address, 1, MPI_INT, dynamic);
  MPI_Win_fence(0, dynamic);
  if (rank == 1) {
    CHECK(piece[0] == 42);
    MPI_Win_detach(dynamic, piece);
  }
  MPI_Win_free(&dynamic);
  MPI_Win_free(&shared);
  MPI_Win_free(&allocated);
  MPI_Win_free(&made);

  // A window of another communicator: its rank 0 is world rank 2.
  MPI_Comm backwards;
  MPI_Comm_split(world, 0, -rank, &backwards);
  memory[0] = rank;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, backwards, &sub);
  MPI_Win_fence(0, sub);
  int got = -1;
  if (rank == 2) MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, sub);
  MPI_Win_fence(0, sub);
  if (rank == 2) CHECK(got == 1);
  MPI_Win_free(&sub);
  MPI_Comm_free(&backwards);

  void* given;
  MPI_Alloc_mem(32, MPI_INFO_NULL, &given);
  MPI_Free_mem(given);
  free(piece);
  if (rank == 0) printf("windows right\n");
  MPI_Finalize();
}

// Packing: only the bytes that are actually written to and read from the packed buffer, not its
// whole length.
#include "check.h"
// run: ranks=2
// output: unpacked 3 2.5
// expect rank 0: MPI_Pack writes=$p+8(8xMPI_BYTE) reads=*+8(2xMPI_INT)
// expect rank 0: MPI_Pack writes=${p+8}+8(8xMPI_BYTE) reads=*+8(1xMPI_DOUBLE)
// expect rank 0: MPI_Send reads=$p+16(16xMPI_PACKED)
// expect rank 1: MPI_Recv writes=$q+100(100xMPI_PACKED) bytes=16
// expect rank 1: MPI_Unpack reads=$q+8(8xMPI_BYTE) writes=*+8(2xMPI_INT)
// expect rank 1: MPI_Unpack reads=${q+8}+8(8xMPI_BYTE) writes=*+8(1xMPI_DOUBLE)
// expect rank all: MPI_Pack_external reads=*+8(2xMPI_INT) writes=$e+8(8xMPI_BYTE)
// expect rank all: MPI_Unpack_external reads=$e+8(8xMPI_BYTE) writes=*+8(2xMPI_INT)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, position = 0, i[2] = {1, 2};
  double d = 2.5;
  char packed[100];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Pack(i, 2, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Pack(&d, 1, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Send(packed, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
  } else {
    d = 0;
    MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Unpack(packed, sizeof packed, &position, i, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(packed, sizeof packed, &position, &d, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    printf("unpacked %d %g\n", i[0] + i[1], d);
  }
  MPI_Aint place = 0;
  MPI_Pack_external("external32", i, 2, MPI_INT, packed, sizeof packed, &place);
  place = 0;
  MPI_Unpack_external("external32", packed, sizeof packed, &place, i, 2, MPI_INT);
  CHECK(i[1] == 2);
  MPI_Finalize();
}

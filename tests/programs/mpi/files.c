// MPI-IO: the memory that files are written from and read into.
#include "check.h"
// run: ranks=2
// output: read back
// expect rank all: MPI_File_open comm=MPI_COMM_WORLD
// expect rank all: MPI_File_write_at reads=*+16(4xMPI_INT)
// expect rank all: MPI_File_iwrite_at request=$w reads=*+8(2xMPI_INT)
// expect rank all: MPI_Wait requests=[$w] done=[$w]
// expect rank all: MPI_File_sync
// expect rank all: MPI_File_read_at_all writes=*+16(4xMPI_INT)
// expect rank all: MPI_File_set_view
// expect rank all: MPI_File_write_all_begin file=$file reads=*+4(1xMPI_INT)
// expect rank all: MPI_File_write_all_end file=$file
// expect rank all: MPI_File_iread_at request=$r writes=*+4(1xMPI_INT)
// expect rank all: MPI_Wait requests=[$r] done=[$r]
// expect rank all: MPI_File_close
// expect not rank all: MPI_Allreduce
// expect not rank all: MPI_Comm_dup

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file;
  int out[6] = {rank, rank, rank, rank, 7, 8}, in[4];
  MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 24 * rank, out, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Request request;
  MPI_File_iwrite_at(file, 24 * rank + 16, &out[4], 2, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at_all(file, 24 * (1 - rank), in, 4, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(in[0] == 1 - rank && in[3] == 1 - rank);
  MPI_File_set_view(file, 48 + 4 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_all_begin(file, out, 1, MPI_INT);
  MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, 0, in, 1, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in[0] == rank);
  MPI_File_close(&file);
  if (rank == 0) printf("read back\n");
  MPI_Finalize();
}

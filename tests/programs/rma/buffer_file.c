// The buffer of a nonblocking write to a file is overwritten before the write completes. Fixed:
// after its wait.
#include "rma.h"
// run: ranks=2
// output: file has 1 2
// expect race: load @{write} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  char name[4096];
  const char* folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/buffer_file.data", folder ? folder : "/tmp");
  int value = rank + 1, both[2] = {0};
  MPI_File file;
  MPI_Request request;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_iwrite_at(file, rank * sizeof(int), &value, 1, MPI_INT, &request); /*{write}*/
#ifdef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  STORE(value, -1); /*{store}*/
#ifndef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  if (rank == 0) {
    MPI_File_read_at(file, 0, both, 2, MPI_INT, MPI_STATUS_IGNORE);
    printf("file has %d %d\n", LOAD(both[0]), LOAD(both[1]));
  }
  MPI_File_close(&file);
  MPI_Finalize();
}

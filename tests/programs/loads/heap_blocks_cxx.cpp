// Reports name the memory of a container and of an array by the line of the program that allocates
// it, not by one of the C++ library.
#include <memory>
#include <vector>

#include "../rma/rma.h"
// run: ranks=2
// output: done
// expect race: load @{send-vector} store @{store-vector}
// expect race: load @{send-array} store @{store-array}
// expect report buggy: block of 800 bytes allocated in *{vector}: memory of rank 0 at *, the buffer `halo.data()` of MPI_Isend
// expect report buggy: block of 64 bytes allocated in *{array}: memory of rank 0 at *, the buffer `row.get()` of MPI_Isend

int main(int argc, char** argv) {
  begin(argc, argv);
  std::vector<double> halo(100, 1.0);           /*{vector}*/
  std::unique_ptr<double[]> row(new double[8]); /*{array}*/
  row[0] = 1;
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Isend(halo.data(), 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]); /*{send-vector}*/
    MPI_Isend(row.get(), 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[1]);   /*{send-array}*/
#ifdef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
    halo[1] = 2; /*{store-vector}*/
    row[1] = 2;  /*{store-array}*/
#ifndef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
  } else {
    for (int i = 0; i < 2; ++i)
      MPI_Recv(halo.data(), 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("done\n");
  }
  MPI_Finalize();
}

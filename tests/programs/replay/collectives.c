// Sub-communicators, groups, a grid, derived datatypes, collectives of all kinds, also nonblocking,
// matched probes. On 4 ranks or more.
// run: ranks=6 groups=0;5;1,4;0-3
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 64 };  // most ranks

static double mixed = 0;
static void mix(const double* values, int count) {
  for (int i = 0; i < count; ++i) mixed = mixed * 0.75 + values[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(name, &length);

  MPI_Comm half, grid;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  int half_rank, half_size;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");

  int dims[2] = {ranks < 6 ? 2 : 3, 2}, periods[2] = {1, 0}, coords[2], low, high;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  if (grid != MPI_COMM_NULL) {
    int grid_rank;
    MPI_Comm_rank(grid, &grid_rank);
    MPI_Cart_coords(grid, grid_rank, 2, coords);
    MPI_Cart_shift(grid, 0, 1, &low, &high);
    double mine = grid_rank, around[4] = {-1, -1, -1, -1};
    MPI_Neighbor_allgather(&mine, 1, MPI_DOUBLE, around, 1, MPI_DOUBLE, grid);
    mix(around, 4);
    printf("rank %d: grid %d,%d, neighbours %d and %d\n", rank, coords[0], coords[1], low, high);
  }

  double values[12], sums[12], all[12 * kMost];
  for (int i = 0; i < 12; ++i) values[i] = rank + 0.125 * i + MPI_Wtime();
  MPI_Allreduce(values, sums, 12, MPI_DOUBLE, MPI_SUM, half);
  mix(sums, 12);
  MPI_Scan(MPI_IN_PLACE, values, 12, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  mix(values, 12);
  memset(all, 0, sizeof all);
  MPI_Gather(values, 12, MPI_DOUBLE, all, 12, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  if (rank == 1) mix(all, 12 * ranks);
  int counts[kMost], displs[kMost];
  for (int i = 0; i < ranks; ++i) counts[i] = 1 + i % 2, displs[i] = 2 * i;
  MPI_Allgatherv(values, counts[rank], MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
  mix(all, 2 * ranks);

  MPI_Request requests[3];
  double root_value = rank == 2 ? MPI_Wtime() : 0, total = 0, ones[kMost], theirs[kMost];
  for (int i = 0; i < ranks; ++i) ones[i] = rank * 10 + i;
  MPI_Ibcast(&root_value, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Ialltoall(ones, 1, MPI_DOUBLE, theirs, 1, MPI_DOUBLE, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallreduce(&ones[1], &total, 1, MPI_DOUBLE, MPI_SUM, half, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  mix(&root_value, 1), mix(theirs, ranks), mix(&total, 1);

  // Every second column of a matrix, into the odd rows of another one.
  MPI_Datatype column, rows;
  double matrix[4][6], other[8][4];
  for (int i = 0; i < 24; ++i) (&matrix[0][0])[i] = rank + i + MPI_Wtime();
  memset(other, 0, sizeof other);
  MPI_Type_vector(4, 3, 6, MPI_DOUBLE, &column);
  MPI_Type_create_hvector(4, 3, 2 * sizeof other[0], MPI_DOUBLE, &rows);
  MPI_Type_commit(&column);
  MPI_Type_commit(&rows);
  MPI_Sendrecv(&matrix[0][1], 1, column, (rank + 1) % ranks, 4, &other[1][0], 1, rows,
               MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  mix(&other[0][0], 32);
  MPI_Type_free(&column);
  MPI_Type_free(&rows);

  if (rank % 2 == 0 && rank + 1 < ranks) {
    char text[] = "so many letters";
    MPI_Send(text, rank % 12 + 3, MPI_CHAR, rank + 1, 6, MPI_COMM_WORLD);
  } else if (rank % 2 == 1) {
    MPI_Message message;
    MPI_Status status;
    int flag = 0, count;
    char text[32] = "";
    while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    MPI_Mrecv(text, count, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    printf("rank %d: '%s' from %d, message %s\n", rank, text, status.MPI_SOURCE,
           message == MPI_MESSAGE_NULL ? "null" : "left");
  }

  MPI_Group world, few, rest;
  int members[2] = {ranks - 2, 1}, where[2], size;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, members, &few);
  MPI_Group_difference(world, few, &rest);
  MPI_Group_size(rest, &size);
  MPI_Group_translate_ranks(few, 2, (int[]){0, 1}, world, where);
  MPI_Comm pair;
  MPI_Comm_create(MPI_COMM_WORLD, few, &pair);
  if (pair != MPI_COMM_NULL) {
    MPI_Bcast(&total, 1, MPI_DOUBLE, 0, pair);
    MPI_Comm_free(&pair);
  }
  MPI_Group_free(&few), MPI_Group_free(&rest), MPI_Group_free(&world);

  char half_name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_get_name(half, half_name, &length);
  printf("rank %d of %d on %s, %d of %d in %s, others %d, %d and %d: %.17g %.17g\n", rank, ranks,
         name, half_rank, half_size, half_name, size, where[0], where[1], mixed, total);
  MPI_Comm_free(&half);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}

// The data map of every datatype constructor, and the bytes that a send of such a type reads.
#include <stddef.h>
#include "check.h"
// run: ranks=2
// output: types right
// expect rank all: MPI_Type_contiguous newtype=$contiguous
// expect define rank all: $contiguous size=12 extent=12 map=+12 element=MPI_INT
// expect rank all: MPI_Type_vector newtype=$vector
// expect define rank all: $vector size=24 extent=56 map={+0:8x3/24} element=MPI_INT
// expect rank all: MPI_Type_create_hvector newtype=$hvector
// expect define rank all: $hvector size=24 map={+0:8x3/24}
// expect rank all: MPI_Type_indexed newtype=$indexed
// expect define rank all: $indexed size=16 extent=24 map={+0:4,+12:12} element=MPI_INT
// expect rank all: MPI_Type_create_hindexed newtype=$hindexed
// expect define rank all: $hindexed size=16 map={+0:4,+18:12}
// expect rank all: MPI_Type_create_indexed_block newtype=$block
// expect define rank all: $block size=16 map={+0:8x2/20}
// expect rank all: MPI_Type_create_hindexed_block newtype=$hblock
// expect define rank all: $hblock size=16 map={+0:8x2/20}
// expect rank all: MPI_Type_create_struct newtype=$struct
// expect define rank all: $struct size=13 extent=16 map={+0:1,+4:12} element=mixed
// expect rank all: MPI_Type_create_subarray newtype=$subarray
// expect define rank all: $subarray size=16 extent=96 map={+28:8x2/24} element=MPI_INT
// expect rank all: MPI_Type_create_darray newtype=$darray
// expect rank all: MPI_Type_create_resized newtype=$resized
// expect define rank all: $resized size=24 extent=8 lb=0 map={+0:8x3/24}
// expect rank all: MPI_Type_dup newtype=$dup
// expect rank all: MPI_Type_vector newtype=$nested
// expect define rank all: $nested size=26 map={+0:1x2/32,+4:12x2/32} element=mixed
// expect rank all: MPI_Type_commit type=$nested
// expect rank 0: MPI_Send to=1 tag=0 reads=$a{+0:16x3/24}(2x$resized)
// expect rank 1: MPI_Recv from=0 bytes=48 writes=*+48(12xMPI_INT)
// expect rank all: MPI_Type_create_hindexed newtype=$absolute
// expect rank 0: MPI_Send to=1 tag=1 reads=0x0{+*:4*}(1x$absolute)
// expect rank all: MPI_Type_free type=$nested

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype t[14];
  const int lengths[2] = {1, 3}, places[2] = {0, 3}, far[2] = {0, 5};
  const MPI_Aint bytes[2] = {0, 18}, block_bytes[2] = {0, 20};
  struct record {
    char c;
    int i;
    double d;
  };
  const int ones[3] = {1, 1, 1};
  const MPI_Aint members[3] = {offsetof(struct record, c), offsetof(struct record, i),
                               offsetof(struct record, d)};
  const MPI_Datatype kinds[3] = {MPI_CHAR, MPI_INT, MPI_DOUBLE};
  const int whole[2] = {4, 6}, part[2] = {2, 2}, first[2] = {1, 1};
  const int block[1] = {MPI_DISTRIBUTE_BLOCK}, standard[1] = {MPI_DISTRIBUTE_DFLT_DARG},
            grid[1] = {2}, cells[1] = {10};
  MPI_Type_contiguous(3, MPI_INT, &t[0]);
  MPI_Type_vector(3, 2, 6, MPI_INT, &t[1]);
  MPI_Type_create_hvector(3, 2, 24, MPI_INT, &t[2]);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &t[3]);
  MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t[4]);
  MPI_Type_create_indexed_block(2, 2, far, MPI_INT, &t[5]);
  MPI_Type_create_hindexed_block(2, 2, block_bytes, MPI_INT, &t[6]);
  MPI_Type_create_struct(3, ones, members, kinds, &t[7]);
  MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, MPI_INT, &t[8]);
  MPI_Type_create_darray(2, rank, 1, cells, block, standard, grid, MPI_ORDER_C, MPI_INT, &t[9]);
  MPI_Type_create_resized(t[1], 0, 8, &t[10]);
  MPI_Type_dup(t[10], &t[11]);
  MPI_Type_vector(2, 1, 2, t[7], &t[12]);  // every second record
  MPI_Type_commit(&t[12]);
  MPI_Type_commit(&t[10]);

  int a[24], b[12] = {0};
  for (int i = 0; i < 24; ++i) a[i] = i;
  if (rank == 0)
    MPI_Send(a, 2, t[10], 1, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(b, 12, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) CHECK(b[1] == 1 && b[2] == 6 && b[6] == 2 && b[11] == 15);

  // Two unrelated variables, by their addresses.
  static int here = 5, there[100] = {0};
  MPI_Aint addresses[2];
  MPI_Get_address(&here, &addresses[0]);
  MPI_Get_address(&there[50], &addresses[1]);
  MPI_Type_create_hindexed(2, ones, addresses, MPI_INT, &t[13]);
  MPI_Type_commit(&t[13]);
  if (rank == 0)
    MPI_Send(MPI_BOTTOM, 1, t[13], 1, 1, MPI_COMM_WORLD);
  else
    MPI_Recv(b, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 14; ++i) MPI_Type_free(&t[i]);
  if (rank == 0) printf("types right\n");
  MPI_Finalize();
}

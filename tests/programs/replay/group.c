// Messages inside the group, by all kinds of MPI calls: a replay regenerates them from the other
// ranks, and the journal stores none of them.
// run: ranks=4 groups=0-3;1,2;0,3;2 most=40000
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWords = 3000 };
static int rank, ranks;
static unsigned long state, sum;

static void make(int* words, int count) {
  for (int i = 0; i < count; ++i)
    words[i] = (int)((state = state * 6364136223846793005ul + 1442695040888963407ul) >> 33);
}
static void find(const char* what, const int* words, int count) {
  for (int i = 0; i < count; ++i) sum = sum * 1099511628211ul + (unsigned)words[i];
  state += sum;  // the next payload depends on the preceding ones
  printf("%s %016lx\n", what, sum);
}

static void messages(int* out, int* in) {
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  MPI_Status status;
  make(out, kWords);
  MPI_Sendrecv(out, kWords, MPI_INT, right, 1, in, kWords, MPI_INT, left, 1, MPI_COMM_WORLD,
               &status);
  find("sendrecv", in, kWords);
  make(out, kWords);
  MPI_Irecv(in, kWords, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, kWords - rank, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  find("isend", in, kWords - left);
  make(in, kWords);
  MPI_Sendrecv_replace(in, kWords, MPI_INT, left, 3, right, 3, MPI_COMM_WORLD, &status);
  find("replace", in, kWords);
  if (rank % 2 == 0) {
    make(out, kWords);
    MPI_Bsend(out, kWords, MPI_INT, (rank + 1) % ranks, 4, MPI_COMM_WORLD);
  } else {
    MPI_Message message;
    MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, kWords, MPI_INT, &message, &status);
    find("bsend", in, kWords);
  }

  // Started repeatedly.
  MPI_Recv_init(in, kWords, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, kWords, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    make(out, kWords);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    find("start", in, kWords);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  // Columns at one end, a row at the other.
  MPI_Datatype column;
  MPI_Type_vector(30, 10, 100, MPI_INT, &column);
  MPI_Type_commit(&column);
  make(out, kWords);
  memset(in, 0, kWords * sizeof *in);
  MPI_Sendrecv(out + 20, 1, column, right, 6, in, 300, MPI_INT, left, 6, MPI_COMM_WORLD, &status);
  find("from columns", in, 300);
  memset(in, 0, kWords * sizeof *in);
  MPI_Sendrecv(out, 300, MPI_INT, right, 7, in + 50, 1, column, left, 7, MPI_COMM_WORLD, &status);
  find("to columns", in, kWords);
  MPI_Type_free(&column);
}

static void collectives(int* out, int* in) {
  const int part = kWords / ranks;
  int counts[64], places[64];
  make(out, kWords);
  MPI_Bcast(out, kWords, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  find("bcast", out, kWords);
  make(out, kWords);
  MPI_Allgather(out, part, MPI_INT, in, part, MPI_INT, MPI_COMM_WORLD);
  find("allgather", in, part * ranks);
  make(in + rank * part, part);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, part, MPI_INT, MPI_COMM_WORLD);
  find("in place", in, part * ranks);
  make(out, kWords);
  MPI_Alltoall(out, part, MPI_INT, in, part, MPI_INT, MPI_COMM_WORLD);
  find("alltoall", in, part * ranks);
  for (int i = 0, at = 0; i < ranks; at += counts[i++]) counts[i] = part - i % 3, places[i] = at;
  make(out, kWords);
  MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  find("allgatherv", in, places[ranks - 1] + counts[ranks - 1]);
  make(out, kWords);
  MPI_Gather(out, part, MPI_INT, in, part, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) find("gather", in, part * ranks);
  make(out, kWords);
  MPI_Scatter(out, part, MPI_INT, in, part, MPI_INT, 1, MPI_COMM_WORLD);
  find("scatter", in, part);
  MPI_Request request;
  make(out, kWords);
  MPI_Iallgather(out, part, MPI_INT, in, part, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  find("iallgather", in, part * ranks);
  make(out, kWords);
  MPI_Allreduce(out, in, kWords, MPI_INT, MPI_BXOR,
                MPI_COMM_WORLD);  // one of them stores it for all
  find("allreduce", in, kWords);
}

static void windows(int* out, int* in) {
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, kWords * sizeof(int));
  MPI_Win_fence(0, win);
  const int part = kWords / ranks;
  for (int round = 0; round < 4; ++round) {
    for (int to = 0; to < ranks; ++to) {
      make(out + to * part, part);
      // One word further each time: a put need not begin at a block.
      MPI_Put(out + to * part, part - 8, MPI_INT, to, rank * part + round, part - 8, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    find("put", memory, kWords);
    memory[rank * part + 3] = round;
    MPI_Win_fence(0, win);
  }
  MPI_Get(in, kWords, MPI_INT, 0, 0, kWords, MPI_INT, win);  // the same for all
  MPI_Win_fence(0, win);
  find("get", in, kWords);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  static int out[kWords], in[kWords];
  static char buffer[kWords * sizeof(int) + 1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Buffer_attach(buffer, sizeof buffer);
  state = (unsigned long)rank;
  messages(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  collectives(out, in);
  windows(out, in);
  void* attached;
  int bytes;
  MPI_Buffer_detach(&attached, &bytes);
  MPI_Finalize();
  return 0;
}

// Reports name a block of the heap by its allocation. One address belongs to several blocks, one
// after the other, and the block is named that was there at the time: behind a window, in a dynamic
// window, and as the buffer of a message.
#include "../rma/rma.h"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}
// expect race: put @{put-attached} load @{load-attached}
// expect race: load @{isend} store @{store}
// expect report buggy: window created by MPI_Win_create in expose {create}, exposes block of 400 bytes allocated in second {second}
// expect report buggy: *exposes block of 4096 bytes allocated in attach {attached}
// expect report buggy: block of 400 bytes allocated in third {third}: memory of rank 0 at *, the buffer `values` of MPI_Isend

enum { kBytes = 400 };

static __attribute__((noinline)) int* first(void) {
  int* block = malloc(kBytes);
  block[0] = rank;
  return block;
}
static __attribute__((noinline)) int* second(void) {
  int* block = calloc(kBytes / sizeof(int), sizeof(int)); /*{second}*/
  block[0] = rank;
  return block;
}
static __attribute__((noinline)) int* third(void) {
  int* block = realloc(NULL, kBytes); /*{third}*/
  memset(block, 0, kBytes);
  return block;
}

static __attribute__((noinline)) void order(MPI_Win win) {
#ifdef FIXED
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
#else
  (void)win;
#endif
}

static __attribute__((noinline)) int expose(int* block) {
  MPI_Win win;
  MPI_Win_create(block, kBytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win); /*{create}*/
  MPI_Win_lock_all(0, win);
  const int one = 1;
  int sum = 0;
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, 3, 1, MPI_INT, win); /*{put}*/
  order(win);
  if (rank == 1) sum = block[3]; /*{load}*/
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  return sum;
}

static __attribute__((noinline)) int attach(void) {
  int* block = NULL;
  if (posix_memalign((void**)&block, 4096, 4096) != 0) return 0; /*{attached}*/
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, block, 4096);
  MPI_Aint place, there;
  MPI_Get_address(block, &place);
  MPI_Sendrecv(&place, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  block[5] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const int one = 1;
  int sum = 0;
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, there + 20, 1, MPI_INT, win); /*{put-attached}*/
  order(win);
  if (rank == 1) sum = block[5]; /*{load-attached}*/
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, block);
  MPI_Win_free(&win);
  free(block);
  return sum;
}

static __attribute__((noinline)) void send(int* values) {
  int got[kBytes / sizeof(int)];
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(values, 8, MPI_INT, 1, 1, MPI_COMM_WORLD, &request); /*{isend}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    values[2] = 7; /*{store}*/
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  } else {
    MPI_Recv(got, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* block = first();
  free(block);
  block = second();
  int sum = expose(block);
  free(block);
  block = third();
  send(block);
  free(block);
  block = first();
  sum += attach();
  if (rank == 1 && sum >= 0) printf("done\n");
  free(block);
  MPI_Finalize();
}

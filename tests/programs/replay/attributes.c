// Predefined attributes of windows and communicators decide what the program does: a window over
// its own memory is freed by the program, any other one is not. Its own attributes are copied when
// a communicator is duplicated, and only then, with the error handler.
// run: ranks=3 groups=1;0-2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int key, copies, deletions;

static int copy(MPI_Comm from, int keyval, void* extra, void* in, void* out, int* flag) {
  ++copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int keyval, void* value, void* extra) {
  ++deletions;
  return MPI_SUCCESS;
}

static void print_window(const char* name, MPI_Win win, const void* memory, int rank) {
  void* base = NULL;
  MPI_Aint* size = NULL;
  int *unit = NULL, *flavor = NULL, *model = NULL, found[5];
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found[0]);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &found[1]);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &found[2]);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found[3]);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found[4]);
  printf("rank %d, %s: found %d%d%d%d%d, %s, %ld bytes, unit %d, flavor %d, model %d\n", rank, name,
         found[0] != 0, found[1] != 0, found[2] != 0, found[3] != 0, found[4] != 0,
         base == memory ? "there" : "elsewhere", size != NULL ? (long)*size : -1,
         unit != NULL ? *unit : -1, *flavor, *model);
  const int owns = *flavor == MPI_WIN_FLAVOR_CREATE;
  MPI_Win_free(&win);
  if (owns) free(base);
}

static void print_comm(const char* name, MPI_Comm comm, int rank) {
  const int keys[] = {MPI_TAG_UB,        MPI_HOST,   MPI_IO,           MPI_WTIME_IS_GLOBAL,
                      MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE, key};
  printf("rank %d, %s:", rank, name);
  for (int i = 0; i < 8; ++i) {
    int *value = NULL, found = 0;
    MPI_Comm_get_attr(comm, keys[i], &value, &found);
    if (!found)
      printf(" -");
    else if (keys[i] == key)
      printf(" own %ld", (long)(size_t)value);
    else
      printf(" %d", *value);
  }
  printf("\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, error_class;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  void* memory = malloc(48);
  MPI_Win_create(memory, 48, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  print_window("created", win, memory, rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  print_window("allocated", win, memory, rank);
  MPI_Win_allocate_shared(64, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  print_window("shared", win, memory, rank);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  print_window("dynamic", win, MPI_BOTTOM, rank);

  MPI_Comm_create_keyval(copy, forget, &key, NULL);
  MPI_Add_error_class(&error_class);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)(size_t)(100 + rank));
  MPI_Comm_set_attr(MPI_COMM_SELF, key, (void*)(size_t)(200 + rank));
  MPI_Comm comms[4];
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(comms[0], &comms[1]);
  MPI_Comm_idup(comms[1], &comms[2], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(comms[0], rank % 2, 0, &comms[3]);
  print_comm("world", MPI_COMM_WORLD, rank);
  const char* names[] = {"duplicate", "its duplicate", "the next", "split"};
  for (int i = 0; i < 4; ++i) {
    print_comm(names[i], comms[i], rank);
    const int result = MPI_Send(&rank, 1, MPI_INT, 77, 0, comms[i]);
    printf("rank %d, %s: a send to nobody %s\n", rank, names[i],
           result != MPI_SUCCESS ? "returns an error" : "succeeds");
    MPI_Comm_free(&comms[i]);
  }
  printf("rank %d: %d copies, %d deletions\n", rank, copies, deletions);
  MPI_Finalize();
}

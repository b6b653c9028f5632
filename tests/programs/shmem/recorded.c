// What is on record: families, PEs, regions, contexts.
#include "pes.h"
// run: ranks=2
// output: done
// expect define rank all: * flavour=symmetric
// expect rank 0: shmem_init
// expect rank 0: shmem_malloc size=32
// expect rank 0: shmem_put target=1 !context
// expect rank 0: shmem_p target=1 operand=9
// expect rank 0: shmem_quiet
// expect rank 0: shmem_atomic_fetch_add target=1 operand=4
// expect rank 0: shmem_ctx_create context=1
// expect rank 0: shmem_get_nbi target=1 context=1
// expect rank 0: shmem_ctx_quiet context=1
// expect rank all: shmem_barrier_all
// expect rank all: shmem_finalize
// expect not rank all: MPI_Init

int main(void) {
  begin();
  long* data = shmem_malloc(4 * sizeof(long));
  memset(data, 0, 4 * sizeof(long));
  shmem_barrier_all();
  if (me == 0) {
    const long values[2] = {1, 2};
    long fetched[2];
    shmem_long_put(data, values, 2, 1);
    shmem_long_p(&data[2], 9, 1);
    shmem_quiet();
    shmem_long_atomic_fetch_add(&data[3], 4, 1);
    shmem_ctx_t context;
    if (shmem_ctx_create(0, &context) != 0) return 1;
    shmem_ctx_getmem_nbi(context, fetched, data, sizeof fetched, 1);
    shmem_ctx_quiet(context);
    shmem_ctx_destroy(context);
    if (fetched[1] == 2) printf("done\n");
  }
  shmem_barrier_all();
  shmem_free(data);
  shmem_finalize();
}

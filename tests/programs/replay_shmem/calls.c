// One call of each kind, with and without contexts, and queries: results, buffers and addresses are
// as recorded.
// run: ranks=4 groups=2;0,3;0-3
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long reduce_sync[SHMEM_REDUCE_SYNC_SIZE], collect_sync[SHMEM_COLLECT_SYNC_SIZE];
static long all_sync[SHMEM_ALLTOALL_SYNC_SIZE], cast_sync[SHMEM_BCAST_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 8], in[4], sums[4];
static long values[16], gathered[64], received[64], cast[8];

static unsigned long sum_of(const long* numbers, int count) {
  unsigned long sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 31 + (unsigned long)numbers[i];
  return sum;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes;
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) reduce_sync[i] = SHMEM_SYNC_VALUE;
  for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; ++i) collect_sync[i] = SHMEM_SYNC_VALUE;
  for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) all_sync[i] = SHMEM_SYNC_VALUE;
  for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) cast_sync[i] = SHMEM_SYNC_VALUE;
  for (int i = 0; i < 16; ++i) values[i] = 100 * me + i;
  for (int i = 0; i < 4; ++i) in[i] = me + i / 8.0;
  shmem_barrier_all();
  int major, minor;
  char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  printf("PE %d of %d, %d.%d %s, %d\n", me, pes, major, minor, name, shmem_pe_accessible(right));

  long got[16], strided[8], later[4];
  shmem_long_get(got, values, 16, right);
  memset(strided, 0, sizeof strided);
  shmem_long_iget(strided, values, 2, 3, 4, right);
  shmem_ctx_t context;
  shmem_ctx_create(SHMEM_CTX_PRIVATE, &context);
  shmem_ctx_long_get_nbi(context, later, values, 4, right);
  shmem_ctx_quiet(context);
  printf("%lx %lx %lx %ld\n", sum_of(got, 16), sum_of(strided, 8), sum_of(later, 4),
         shmem_ctx_long_g(context, &values[3], right));
  shmem_ctx_destroy(context);

  long* counter = shmem_align(64, sizeof(long));
  *counter = 0;
  shmem_barrier_all();
  shmem_long_atomic_add(counter, me + 1, 0);
  shmem_barrier_all();
  const long swapped = shmem_long_atomic_compare_swap(counter, 10, 50 + me, 0);
  shmem_barrier_all();
  printf("%p %ld %ld\n", (void*)counter, swapped, shmem_long_atomic_fetch(counter, 0));

  shmem_double_sum_to_all(sums, in, 4, 0, 0, pes, work, reduce_sync);
  shmem_fcollect64(gathered, values, 16, 0, 0, pes, collect_sync);
  shmem_alltoall64(received, values, 4, 0, 0, pes, all_sync);
  shmem_broadcast64(cast, values, 8, 1, 0, 0, pes, cast_sync);
  printf("%g %g %lx %lx %lx\n", sums[0], sums[3], sum_of(gathered, 64), sum_of(received, 4 * pes),
         sum_of(cast, 8));
  long* large = shmem_malloc(4096 * sizeof(long));
  for (int i = 0; i < 4096; ++i) large[i] = me * 5 + i;
  shmem_barrier_all();
  large = shmem_realloc(large, 8192 * sizeof(long));
  shmem_long_put(large + 4096, values, 16, right);
  shmem_barrier_all();
  printf("%p %lx %lx\n", (void*)large, sum_of(large, 4096), sum_of(large + 4096, 16));
  shmem_free(large);
  shmem_free(counter);
  shmem_finalize();
  return 0;
}

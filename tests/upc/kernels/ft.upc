// Fourier transform in two dimensions, with a transposition between them, and a checksum (papers: NPB FT). FT 2.3: the lock of the
// checksum is another one on each thread. With -DFT24, as in FT 2.4: all threads initialize the checksum. With -DFIXED, neither.
// confirm 1: confirmed
// confirm 2: confirmed
// confirm[FT24] 3: confirmed, same outcome
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <upc_relaxed.h>

#define ROWS 4  // of each thread
typedef double complex number;

shared [] number *shared columns[THREADS];
shared double dbg_sum;
upc_lock_t *sum_write;

static void transform(number *row, int n) {
  number result[n];
  for (int k = 0; k < n; k++) {
    result[k] = 0;
    for (int i = 0; i < n; i++) result[k] += row[i] * cexp(-2 * M_PI * I * k * i / n);
  }
  for (int k = 0; k < n; k++) row[k] = result[k];
}

// Thread t gets the columns ROWS*t … of all threads' rows.
static void transpose(number *rows, int n) {
  number got[ROWS * ROWS];
  number *mine = (number *)columns[MYTHREAD];
  for (int i = 0; i < ROWS * n; i++) mine[i] = rows[i];
  upc_barrier;
  for (int t = 0; t < THREADS; t++)
    for (int r = 0; r < ROWS; r++) {
      upc_memget(got, columns[t] + r * n + ROWS * MYTHREAD, ROWS * sizeof(number));
      for (int c = 0; c < ROWS; c++) rows[c * n + ROWS * t + r] = got[c];
    }
  upc_barrier;
}

static void add_checksum(const number *rows, int n) {
  double sum = 0;
  for (int i = 0; i < ROWS * n; i++) sum += creal(rows[i]);
  upc_lock(sum_write);
  const double before = dbg_sum;  // race 1
  dbg_sum = before + sum;         // race 1 2
  upc_unlock(sum_write);
}

int main(void) {
  const int n = ROWS * THREADS;
  number rows[ROWS * n];
#if defined(FT24) || defined(FIXED)
  sum_write = upc_all_lock_alloc();
#else
  sum_write = upc_global_lock_alloc();
#endif
  columns[MYTHREAD] = upc_alloc(ROWS * n * sizeof(number));
#ifdef FT24
  dbg_sum = 0;  // race[FT24] 3
#endif
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < n; i++) rows[r * n + i] = MYTHREAD == 0 && r == 0 && i == 0;
  upc_barrier;
  for (int r = 0; r < ROWS; r++) transform(rows + r * n, n);
  transpose(rows, n);
  for (int r = 0; r < ROWS; r++) transform(rows + r * n, n);
  add_checksum(rows, n);
  upc_barrier;
  // The transform of one impulse is 1 everywhere.
  if (MYTHREAD == 0) printf("ft: %s\n", dbg_sum > 0 && dbg_sum < n * n + 0.5 ? "passed" : "failed");
  return 0;
}

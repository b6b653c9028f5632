// Matrix chain multiplication by dynamic programming (paper: mcop). Columns are distributed. No race: a barrier after each diagonal.
#include <limits.h>
#include <stdio.h>
#include <upc_relaxed.h>

#define PER_THREAD 5
#define N (PER_THREAD * THREADS)

shared int sizes[(PER_THREAD + 1) * THREADS];
shared long cost[40][PER_THREAD * THREADS];  // cost[row][column]: column is on thread column % THREADS

static long by_one_thread(int n, const int *d) {
  static long best[40][40];
  for (int length = 1; length < n; length++)
    for (int i = 0; i + length < n; i++) {
      best[i][i + length] = LONG_MAX;
      for (int k = i; k < i + length; k++) {
        const long c = best[i][k] + best[k + 1][i + length] + (long)d[i] * d[k + 1] * d[i + length + 1];
        if (c < best[i][i + length]) best[i][i + length] = c;
      }
    }
  return best[0][n - 1];
}

int main(void) {
  upc_forall (int i = 0; i <= N; i++; &sizes[i]) sizes[i] = 3 + (i * 7) % 11;
  upc_barrier;
  for (int length = 1; length < N; length++) {
    upc_forall (int j = length; j < N; j++; &cost[j - length][j]) {
      const int i = j - length;
      long best = LONG_MAX;
      for (int k = i; k < j; k++) {
        const long c = cost[i][k] + cost[k + 1][j] + (long)sizes[i] * sizes[k + 1] * sizes[j + 1];
        if (c < best) best = c;
      }
      cost[i][j] = best;
    }
    upc_barrier;
  }
  if (MYTHREAD == 0) {
    int d[41];
    for (int i = 0; i <= N; i++) d[i] = sizes[i];
    printf("mcop: %s\n", cost[0][N - 1] == by_one_thread(N, d) ? "passed" : "failed");
  }
  return 0;
}

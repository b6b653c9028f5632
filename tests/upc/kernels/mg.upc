// Multigrid in one dimension, with norms of the residual (papers: NPB MG). All threads read the two norms; thread 0 resets them at
// once. With -DFIXED a barrier comes first.
// confirm 1: confirmed
// confirm 2: confirmed
#include <math.h>
#include <stdio.h>
#include <upc_relaxed.h>

#define N 16  // points of each thread
#define SWEEPS 60

shared [N] double u[N * THREADS], f[N * THREADS], next[N * THREADS];
shared double rnm2, rnmu;
upc_lock_t *lock;

static void smooth(int step) {
  const int n = N * THREADS;
  upc_forall (int i = 0; i < n; i++; &u[i]) {
    const double left = i >= step ? u[i - step] : 0, right = i + step < n ? u[i + step] : 0;
    next[i] = u[i] + (f[i] * step * step + left + right - 2 * u[i]) / 3;
  }
  upc_barrier;
  upc_forall (int i = 0; i < n; i++; &u[i]) u[i] = next[i];
  upc_barrier;
}

static double norm(void) {
  const int n = N * THREADS;
  double sum = 0, largest = 0;
  upc_forall (int i = 0; i < n; i++; &u[i]) {
    const double left = i > 0 ? u[i - 1] : 0, right = i + 1 < n ? u[i + 1] : 0;
    const double rest = fabs(f[i] + left + right - 2 * u[i]);
    sum += rest * rest;
    largest = fmax(largest, rest);
  }
  upc_lock(lock);
  rnm2 = rnm2 + sum;
  rnmu = fmax(rnmu, largest);
  upc_unlock(lock);
  upc_barrier;
  const double mean = rnm2;  // race 1
  const double most = rnmu;  // race 2
#ifdef FIXED
  upc_barrier;
#endif
  if (MYTHREAD == 0) {
    rnm2 = 0;  // race 1
    rnmu = 0;  // race 2
  }
  upc_barrier;
  return sqrt(mean) + most;
}

int main(void) {
  lock = upc_all_lock_alloc();
  upc_forall (int i = 0; i < N * THREADS; i++; &f[i]) f[i] = i == 3;
  upc_barrier;
  const double before = norm();
  for (int i = 0; i < SWEEPS; i++) smooth(1 << i % 3);
  for (int i = 0; i < SWEEPS; i++) smooth(1);
  const double after = norm();
  if (MYTHREAD == 0) printf("mg: %s\n", after < before ? "passed" : "failed");
  return 0;
}

// Conjugate gradients for a tridiagonal matrix (papers: NPB CG). The first vector is initialized through private pointers; other
// threads read it without a barrier in between. With -DFIXED there is one.
// confirm 1: confirmed
#include <math.h>
#include <stdio.h>
#include <upc_relaxed.h>

#define N 16  // rows of each thread
#define STEPS 30

shared [N] double p[N * THREADS];
shared double part[THREADS];

static double sum_of_all(double mine) {
  part[MYTHREAD] = mine;
  upc_barrier;
  double sum = 0;
  for (int t = 0; t < THREADS; t++) sum += part[t];
  upc_barrier;
  return sum;
}

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  return sum;
}

static void multiply(double *q) {
  const int n = N * THREADS;
  for (int i = 0; i < N; i++) {
    const int row = N * MYTHREAD + i;
    double sum = 5 * p[row];
    for (int near = row - 1; near <= row + 1; near++)
      if (near >= 0 && near < n)
        sum -= p[near];  // race 1
    q[i] = sum;
  }
}

int main(void) {
  double x[N], r[N], q[N];
  double *mine = (double *)&p[N * MYTHREAD];
  for (int i = 0; i < N; i++) {
    x[i] = 0;
    r[i] = 1;
    mine[i] = 1;  // race 1
  }
#ifdef FIXED
  upc_barrier;
#endif
  multiply(q);
  double rho = sum_of_all(dot(r, r));
  const double first = rho;
  for (int step = 0; step < STEPS; step++) {
    const double alpha = rho / sum_of_all(dot(mine, q));
    for (int i = 0; i < N; i++) {
      x[i] += alpha * mine[i];
      r[i] -= alpha * q[i];
    }
    const double old = rho;
    rho = sum_of_all(dot(r, r));
    for (int i = 0; i < N; i++) mine[i] = r[i] + rho / old * mine[i];
    upc_barrier;
    multiply(q);
    upc_barrier;
  }
  if (MYTHREAD == 0) printf("cg: %s\n", sqrt(rho) < 1e-6 * sqrt(first) ? "passed" : "failed");
  return 0;
}

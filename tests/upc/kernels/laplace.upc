// Jacobi iterations on a distributed vector (paper: laplace). No race.
#include <math.h>
#include <stdio.h>
#include <upc_relaxed.h>

#define B 8
#define N (B * THREADS)
#define STEPS 200

shared [B] double old[B * THREADS], new[B * THREADS], b[B * THREADS];
shared double change[THREADS];

int main(void) {
  upc_forall (int i = 0; i < N; i++; &old[i]) {
    old[i] = new[i] = 0;
    b[i] = i == N / 2;
  }
  upc_barrier;
  for (int step = 0; step < STEPS; step++) {
    double largest = 0;
    upc_forall (int j = 1; j < N - 1; j++; &new[j]) {
      new[j] = 0.5 * (old[j - 1] + old[j + 1] + b[j]);
      if (fabs(new[j] - old[j]) > largest) largest = fabs(new[j] - old[j]);
    }
    change[MYTHREAD] = largest;
    upc_barrier;
    upc_forall (int j = 0; j < N; j++; &old[j]) old[j] = new[j];
    upc_barrier;
  }
  if (MYTHREAD == 0) {
    double largest = 0;
    for (int i = 0; i < THREADS; i++) largest = change[i] > largest ? change[i] : largest;
    printf("laplace: %s\n", largest < 0.05 && old[N / 2] > old[1] && old[0] == 0 ? "passed" : "failed");
  }
  return 0;
}

// Sums, recurrences and products in C: with the pass they compute the same bits as without it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400 };

typedef struct {
  double position[3], force[3], mass;
} Particle;

static unsigned long digest;

static void add(const double* values, long count) {
  for (long i = 0; i < count; ++i) {
    unsigned long bits;
    memcpy(&bits, values + i, sizeof bits);
    digest = (digest << 7 | digest >> 57) ^ bits;
  }
}

__attribute__((noinline)) double dot(const double* a, const double* b, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

__attribute__((noinline)) void recurrence(double* x, const double* a, const double* b, long count) {
  for (long i = 2; i < count; ++i) x[i] = a[i] * x[i - 1] + b[i] * x[i - 2] + 0.5 * (a[i] - b[i]);
}

__attribute__((noinline)) void forces(Particle* particles, const int* pairs, long count) {
  for (long i = 0; i < count; ++i) {
    Particle *one = particles + pairs[2 * i], *two = particles + pairs[2 * i + 1];
    const double dx = one->position[0] - two->position[0], dy = one->position[1] - two->position[1],
                 dz = one->position[2] - two->position[2];
    const double square = dx * dx + dy * dy + dz * dz + 0.01;
    const double inverse = 1 / square, sixth = inverse * inverse * inverse;
    const double strength = (48 * sixth * sixth - 24 * sixth) * inverse;
    one->force[0] += strength * dx * one->mass;
    one->force[1] += strength * dy * one->mass;
    one->force[2] += strength * dz * one->mass;
    two->force[0] -= strength * dx * two->mass;
    two->force[1] -= strength * dy * two->mass;
    two->force[2] -= strength * dz * two->mass;
  }
}

__attribute__((noinline)) void smooth(double* restrict to, const double* restrict from, long rows,
                                      long columns) {
  for (long i = 1; i < rows - 1; ++i)
    for (long j = 1; j < columns - 1; ++j)
      to[i * columns + j] = 0.5 * from[i * columns + j] +
                            0.125 * (from[(i - 1) * columns + j] + from[(i + 1) * columns + j]) +
                            0.125 * from[i * columns + j - 1] * from[i * columns + j + 1];
}

// Blocks of complex numbers, with branches between products and sums.
__attribute__((noinline)) double branches(double* x, const int* chosen, long count) {
  double total = 0;
  for (long i = 1; i < count; ++i) {
    const double product = x[i] * x[chosen[i]];
    if (chosen[i] % 3 == 0) x[i - 1] = product + x[i - 1];
    total += product - x[chosen[i]] * 0.25;
    x[i] = sqrt(fabs(total * product + x[i]));
  }
  return total;
}

int main(void) {
  double *a = malloc(N * N * sizeof *a), *b = malloc(N * N * sizeof *b),
         *c = malloc(N * N * sizeof *c);
  int* chosen = malloc(2 * N * sizeof *chosen);
  Particle* particles = calloc(N, sizeof *particles);
  for (long i = 0; i < N * N; ++i) {
    a[i] = 1.0 / (1 + i % 97);
    b[i] = 0.5 - 1.0 / (2 + i % 83);
    c[i] = 0.25 * (double)(i % 7);
  }
  for (int i = 0; i < 2 * N; ++i) chosen[i] = (i * 37 + i / N) % N;
  for (int i = 0; i < N; ++i) {
    particles[i].mass = 1 + 0.1 * (i % 5);
    for (int k = 0; k < 3; ++k) particles[i].position[k] = 0.3 * (i * (k + 3) % 61);
  }
  for (int step = 0; step < 3; ++step) {
    double sums[4] = {dot(a, b, N * N - 1), dot(a + 1, c, N * N - 1)};
    recurrence(c, a, b, N * N);
    forces(particles, chosen, N);
    for (int i = 0; i < N; ++i)
      for (int k = 0; k < 3; ++k) particles[i].position[k] += 1e-3 * particles[i].force[k];
    smooth(b, a, N, N);
    sums[2] = branches(a, chosen, N);
    sums[3] = dot(b, c, N * N);
    add(sums, 4);
  }
  add(a, N * N);
  add(b, N * N);
  add(c, N * N);
  add((double*)particles, N * (long)(sizeof *particles / sizeof(double)));
  printf("%016lx\n", digest);
}

// Functions and loops that have a copy without hooks, one array each. What they do is nothing that
// could be told in front of a loop.
int a[4096], b[4096], c[4096], d[4096], e[4096];
void could_be_mpi(void);

void add(int* values, unsigned seed, int times) {
  for (int i = 0; i < times; ++i) values[(seed = seed * 1103515245 + 12345) >> 20] += i; /*{a}*/
}

int sum(const int* values, unsigned seed, int times) {
  int sum = 0;
  for (int i = 0; i < times; ++i) sum += values[(seed = seed * 1103515245 + 12345) >> 20]; /*{b}*/
  return sum;
}

void both(unsigned seed, int times) {
  could_be_mpi();
  for (int i = 0; i < times; ++i) c[(seed = seed * 1103515245 + 12345) >> 20] += i; /*{c}*/
  e[seed % 4096] = 1;                                                               /*{e}*/
  could_be_mpi();
  for (int i = 0; i < times; ++i) d[(seed = seed * 1103515245 + 12345) >> 20] += i; /*{d}*/
  could_be_mpi();
}

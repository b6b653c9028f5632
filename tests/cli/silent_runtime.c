// two_threads.c with an OpenMP runtime that has no interface for tools, as far as one can see.
int omp_get_max_threads(void) { return 2; }

#include "two_threads.c"

// The same with a sampling budget that is large enough to find the race on any machine.
#include "sampled.c"
// run: ranks=2 env=PHOTOFINISH_OPTIONS:budget=100x
// output: done
// expect race: put @{put} load @{load}
// expect report: NOTE: photofinish: sampled * of * accesses to shared memory (*%; a whole loop may count as one)*
// expect report: NOTE: photofinish: sampling cost *% of the CPU time of rank *, a slowdown of *x (budget 100x); *% was for MPI calls, which are never skipped*

// The same with a budget, one that is large enough for the race to be found on any machine.
#include "sampled.c"
// run: ranks=2 env=PHOTOFINISH_OPTIONS:budget=100x
// output: done
// expect race: put @{put} load @{load}
// expect report: NOTE: photofinish: sampled: looked * times of * (*%) at loads and stores that others could reach, *
// expect report: NOTE: photofinish: sampled: the tool took *% of the processor time of rank *, a slowdown of *x (budget 100x); *% were for MPI calls, of which none is skipped

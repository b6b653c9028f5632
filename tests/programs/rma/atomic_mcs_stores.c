// The same as it is often written: each rank initializes its own queue entry with stores. That is
// correct: the rank has observed all earlier writes of others to the entry, and no other rank
// accesses it at that point.
#define WITH_STORES
#include "atomic_mcs_lock.c"
// run: ranks=4
// output: counter 12
// expect race: put @{put} get @{get}
// expect race: put @{put} put @{put}

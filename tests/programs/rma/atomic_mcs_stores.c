// The same as it is often written: each rank sets up its own place in the queue with stores. That
// is correct: nobody else has anything to do with it by then, for what others wrote there, it has
// found.
#define WITH_STORES
#include "atomic_mcs_lock.c"
// run: ranks=4
// output: counter 12
// expect race: put @{put} get @{get}
// expect race: put @{put} put @{put}

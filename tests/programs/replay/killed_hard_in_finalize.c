// The same with SIGKILL, which no handler sees.
// run: ranks=2 groups=0 exit=nonzero replay_exit=137
#include <signal.h>
#define SIGNAL SIGKILL
#include "killed_in_finalize.c"

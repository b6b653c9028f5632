// For test machines with fewer cores than ranks: MPICH polls UCX without ever giving up the
// processor, so a rank that waits keeps the one it waits for from running until its time slice
// ends. Preloaded, this yields whenever there was nothing to do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = next(worker);
  if (events == 0) sched_yield();
  return events;
}

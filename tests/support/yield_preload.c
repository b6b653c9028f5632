// For tests with MPICH 4.0 over UCX, preloaded.
// - For machines with fewer cores than ranks: MPICH polls UCX without ever giving up the processor,
//   so a rank that waits keeps the one it waits for from running until its time phase ends. This
//   yields whenever there was nothing to do.
// - MPI_Finalize may hang, mostly between nodes: a rank that has closed its connections waits for
// the
//   others in a read from its launcher and no longer answers them, while they wait for its answer
//   to close theirs. Here UCX goes on while that read waits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(function, name) \
  if (!function) *(void**)&function = dlsym(RTLD_NEXT, name)

static unsigned (*progress)(void*);
static __thread void* closing;  // the worker whose connections this thread closes
static void* last_worker;

EXPORT unsigned ucp_worker_progress(void* worker) {
  NEXT(progress, "ucp_worker_progress");
  const unsigned events = progress(worker);
  last_worker = worker;
  if (events == 0) sched_yield();
  return events;
}

EXPORT void* ucp_disconnect_nb(void* endpoint) {
  static void* (*next)(void*);
  NEXT(next, "ucp_disconnect_nb");
  closing = last_worker;
  return next(endpoint);
}

EXPORT void ucp_worker_destroy(void* worker) {
  static void (*next)(void*);
  NEXT(next, "ucp_worker_destroy");
  closing = NULL;
  next(worker);
}

EXPORT ssize_t read(int file, void* buffer, size_t bytes) {
  static ssize_t (*next)(int, void*, size_t);
  NEXT(next, "read");
  struct pollfd ready = {file, POLLIN, 0};
  // UCX itself reads until nothing is left, from files that do not wait.
  if (closing && !(fcntl(file, F_GETFL) & O_NONBLOCK))
    while (poll(&ready, 1, 1) == 0) progress(closing);
  return next(file, buffer, bytes);
}

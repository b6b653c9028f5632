// Preloaded in tests with MPICH 4.0 over UCX.
// - For machines with fewer cores than ranks: MPICH polls UCX without yielding the processor. A
//   waiting rank keeps the rank it waits for from running until its time slice ends. This library
//   yields whenever a poll made no progress.
// - MPI_Finalize may hang, mostly between nodes. A rank that has closed its connections waits for
//   the others in a read from its launcher and no longer responds, while they wait for its response
//   to close theirs. This library lets UCX make progress during that read.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(function, name) \
  if (!function) *(void**)&function = find_next(name)

// A program that loads MPI itself may keep it, and UCX, to itself.
static void* find_next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  void* library = dlopen("libucp.so.0", RTLD_NOLOAD | RTLD_LAZY);
  return library ? dlsym(library, name) : NULL;
}

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
  // UCX itself reads nonblocking files until they are empty.
  if (closing && !(fcntl(file, F_GETFL) & O_NONBLOCK))
    while (poll(&ready, 1, 1) == 0) progress(closing);
  return next(file, buffer, bytes);
}

// OpenSHMEM's part in a confirming run: what a call accesses, which call completes an operation,
// and how long it may be deferred. The engine is steering/steering.h.
//
// A put, or an update without a result, may be made later, from a copy of its origin data; a
// nonblocking operation, too. Rules for an operation that is deferred:
//
// - It is made before a call that completes it: quiet, barrier, release of a lock.
// - It is made before an operation that a fence in between orders behind it, and the fence again
//   after it.
// - OpenSHMEM promises that a put is delivered while its PE waits, computes or tests. So it is made
//   as soon as all other PEs wait, or after the time of a pause.
//
// Barriers and shmem_sync are made of messages in such a run: a PE that waits in one can still make
// its deferred operations. A program that polls with plain loads, and makes no call, gets none of
// them.
#pragma once

#include <functional>

#include "frontend/mpi/context.h"
#include "steering/steering.h"

namespace photofinish::shmem {

using Ctx = void*;  // shmem_ctx_t
constexpr Ctx kDefaultContext = nullptr;

namespace steered {

// Once recording has started, on all PEs.
void start();
// Barriers are made of messages.
bool is_active();

// How a call is made.
struct How {
  bool waits = false;    // for other PEs
  bool polls = false;    // and makes deferred operations meanwhile
  bool pending = false;  // its operation may be pending when it has returned
  bool keeps = false;    // and may be made later
  Ctx context = kDefaultContext;
};
// Around a call, on the thread that makes it, with its arguments read.
void before(Steering& steering, const mpi::Context& c, const How& how);
void after(Steering& steering, const mpi::Context& c, const How& how);
// In place of a call that before() has deferred.
void defer(Steering& steering, const mpi::Context& c, Ctx context, std::function<void()> later);
// Whether it is to be made from a copy of its origin data.
bool copies_origin(const Steering& steering);

// PEs of an active set; without a count: all.
struct PeSet {
  int first = 0, stride = 1, count = 0;
};
// In place of a sync or barrier of these PEs. False: not in a confirming run.
bool synchronize(const PeSet& set);
bool barrier(const PeSet& set);

}  // namespace steered
}  // namespace photofinish::shmem

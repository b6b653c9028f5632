// UPC's part in a confirming run, and that of coarrays: what a call accesses, and which call
// completes a transfer. The engine is steering/steering.h.
//
// Accesses of UPC are complete when they return: they wait for the other access, or it waits for
// them. A non-blocking transfer stays pending until upc_sync of its handle, or upc_synci. To go
// second it is deferred, at the latest until then; to go first it is completed at once.
//
// All accesses of a call are known before it is made: a copy reads and writes. It takes part in one
// meeting, as one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontend/mpi/context.h"
#include "frontend/upc/positions.h"
#include "steering/steering.h"

namespace photofinish::upc::steered {

// Once the shared memory is known, which lives as long as the process.
void start(const Positions& memory);

// A number that no handle has: of transfers that upc_synci completes.
inline constexpr std::int64_t kImplicit = 1;

// What steering has to know of an event of a call.
struct Event {
  struct Part {
    std::int32_t owner;
    Buffer buffer;  // at its position, if that is in shared memory
  };
  Call call;
  SiteId site;
  std::vector<Part> parts;
  HeldLock lock;            // of upc_lock and upc_unlock
  std::int64_t handle = 0;  // of upc_sync; upc_synci: kImplicit
};
Event event_of(const Steering& steering, const mpi::Context& c);

// Whether the call has no access of the race and steering need not see it.
bool lets_pass(Steering& steering, Call call);
bool waits(Call call);  // for other threads

// Around a call, on the thread that makes it: with all its events, the last one being its own.
// `transfers`: it may be pending when it has returned.
void before(Steering& steering, const std::vector<Event>& events, bool transfers);
// `succeeded`: an attempt to lock has. `handle`: of a pending transfer, otherwise 0.
void after(Steering& steering, const Event& event, bool succeeded, std::int64_t handle);

// In place of a transfer that before() has deferred: `later` makes it, and completes it. Returns
// its handle, which the runtime does not know; `implicit`: it has none.
std::int64_t defer(Steering& steering, bool implicit, std::function<void()> later);
// In place of upc_sync or upc_synci for a transfer that the runtime made.
void complete(std::uint64_t handle);
bool is_of_deferred(std::uint64_t handle);

}  // namespace photofinish::upc::steered

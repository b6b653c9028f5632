// The vocabulary of effects: what a call of any programming model can mean to the detector.
//
// A front end interprets its calls (effects/meaning.h) and reports effects to the Timeline of the
// rank. Everything after that (order, memory, detect) knows effects only.
//
//   effect        reported with                     examples
//   Begin         Timeline::begin_target, open_all   put, get, send, split-phase file access
//   Complete      Timeline::complete, close_all      flush, fence, unlock, quiet, wait, test
//   Order         Timeline::Begin::delivery          fence that keeps puts in order
//   Release       Timeline::release                  send, post, start of a collective
//   Acquire       Timeline::acquire                  completed receive, end of a collective
//   Sync          Timeline::sync_point               barrier of all ranks
//   Observed      Pending::atomic, Completing        results of atomics that fetch
//                 Timeline::observe, announce        wait until a flag has a value; lock words
//   LockAcquire   Timeline::acquire_lock             exclusive or shared lock of a region
//   LockRelease   Timeline::release_lock
//   TaskRelease   Timeline::task_release             start of a request that another thread awaits
//   TaskAcquire   Timeline::task_acquire             wait for it
//   Fork, Join    Timeline::program                  thread creation, OpenMP regions
//   Expose        Timeline::expose, add_region       window, symmetric heap
//   Unexpose      Timeline::unexpose
//   Message       MessageSink::step                  sends, receives, waits (model/message.h)
// Order does not complete operations: it only keeps them in order.
#pragma once

#include <cstdint>
#include <span>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

// Start and end of an event, in ticks of the rank's clock.
struct Times {
  std::uint64_t start = 0, end = ~std::uint64_t{0};
};

// The timestamp of an effect: that of the start or of the return of the current call.
enum class At : std::uint8_t { Start, Return };

// Local: the operation's own buffers may be used again. Remote: the target's memory is settled,
// too.
enum class Completeness : std::uint8_t { Local, Remote };

// How a call completes operations.
struct Completing {
  Completeness completeness = Completeness::Remote;
  At at = At::Return;
  // Also operations that other tasks of the rank began. Otherwise only those that the calling task
  // knows.
  bool of_all_tasks = false;
  SiteId site;
  // Results of atomics: number and fetched value of each element, alternating.
  std::span<const std::int64_t> results = {};
};

}  // namespace photofinish

// OpenSHMEM's part in an explored run: atomics on one symmetric word are made in turn, and so are
// the calls on a lock; waits for a word are ordered behind the update that they wait for. The gate
// is steering/object_gate.h.
//
// Not controlled: nonblocking atomics, puts and gets, which word a wait for several words saw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "frontend/shmem/interception.h"

namespace photofinish::shmem::explored {

// A call of the program begins.
void begin_call(Call call);

// An atomic that is complete when it returns. Null: it has no such argument.
struct Atomic {
  Call family;
  const void* word;
  int pe;
  std::size_t bytes;
  const void* operand = nullptr;
  const void* compare = nullptr;
  const void* result = nullptr;
};
void update(const Interception& call, CallSite call_site, const Atomic& atomic, Part<> made);

// Calls on a lock. `failed`: a test, after `made`.
void acquire_lock(const Interception& call, const volatile long* lock, Part<> made);
void test_lock(const Interception& call, CallSite call_site, const volatile long* lock, Part<> made,
               const bool& failed);
void release_lock(const Interception& call, const volatile long* lock, Part<> made);

// A put that one word takes is about to be made.
void write(const Interception& call, const void* word, int pe, std::size_t bytes,
           const void* value);

// A wait for one word of this PE.
using Satisfies = std::function<bool(std::uint64_t)>;
void wait(const Interception& call, const void* word, std::size_t bytes, const Satisfies& satisfies,
          Part<> made);

}  // namespace photofinish::shmem::explored

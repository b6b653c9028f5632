// One intercepted call of OpenSHMEM, from its entry to its return: the body of every wrapper.
//
//   void shmem_int_put(int* dest, const int* source, std::size_t count, int pe) {
//     Interception call(ShmemCall::shmem_put, CALL_SITE);   // not recorded if the library made it
//     SHMEM_REAL(shmem_int_put)(dest, source, count, pe);
//     record_put(call, …);                                  // on record once it has returned
//   }
//
// A call that waits is on record before it starts, so that a hang shows what it was. The real
// function is the next one behind ours. It is looked up when it is first called: programs without
// liboshmem load this library, too.
#pragma once

#include <optional>

#include "frontend/mpi/call_site.h"
#include "frontend/mpi/interceptor.h"
#include "frontend/shmem/symmetric_memory.h"
#include "frontend/shmem/table/shmem_call.h"

// The library's own function, which our own declaration describes.
#define SHMEM_REAL(function) (::photofinish::mpi::real_function<#function, decltype(&function)>())
#define SHMEM_ENTRY extern "C" [[gnu::visibility("default")]]

namespace photofinish::shmem {

using mpi::CallSite;
using mpi::Context;
using Ctx = void*;  // shmem_ctx_t

class Interception {
 public:
  Interception(Call call, CallSite call_site);
  ~Interception() {
    if (outermost_) mpi::t_inside = 0;
  }
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;

  // Whether it is a call of the program that goes on record.
  bool records() const { return task_ != nullptr; }

  // A call that returns at once: after it.
  template <class Describe>
  void append(Describe describe) {
    if (task_ == nullptr) return;
    const std::uint64_t end = ticks();
    finish([&] {
      describe(begin());
      append_event(*context_, *recorder_, start_, end);
    });
  }
  // The same for one that may come back with nothing done.
  template <class Describe>
  void append_attempt(bool failed, Describe describe) {
    if (task_ == nullptr) return;
    const std::uint64_t end = ticks();
    finish([&] {
      describe(begin());
      context_->event.fields.set(Field::flag, failed ? 0 : 1);
      mpi::append_attempt(*context_, *recorder_, start_, end, failed);
    });
  }
  // A call that waits: before it, and after it.
  template <class Describe>
  void enter(Describe describe) {
    if (task_ == nullptr) return;
    if (finish([&] {
          describe(begin());
          start_ = ticks();
          begin_event(*context_, *recorder_, start_);
        }))
      return;
    task_ = nullptr;
  }
  template <class Describe>
  void leave(Describe describe) {
    if (task_ == nullptr) return;
    const std::uint64_t end = ticks();
    finish([&] {
      describe(*context_);
      finish_event(*context_, *recorder_, end);
    });
  }
  // After a call that found only this PE's own memory. Open MPI makes no progress in it for the
  // accesses of other PEs to static data: a loop that waits for them would not end. Whether it does
  // without the tool depends on timing, which recording changes.
  void make_progress() const;
  void enter() {
    enter([](Context&) {});
  }
  void leave() {
    leave([](Context&) {});
  }

 private:
  Context& begin();
  template <class Part>
  bool finish(Part part) {
    if (guarded(part)) return true;
    mpi::take_leave();
    return false;
  }

  const Call call_;
  const CallSite call_site_;
  bool outermost_ = false;
  Recorder* recorder_ = nullptr;
  Task* task_ = nullptr;
  std::uint64_t start_ = 0;
  std::optional<Context> context_;
};

// --- what the calls have in common

// The element type of a C type.
TypeId element_type(std::size_t bytes, bool is_floating, bool is_signed);
template <class T>
TypeId element_type() {
  return element_type(sizeof(T), std::is_floating_point_v<T>, std::is_signed_v<T>);
}

// Fields win and target, and the buffer at the target. False: the address is not symmetric, which
// is an error of the program.
bool add_target(Context& c, BufferUse use, const void* address, int pe, std::int64_t count,
                TypeId type);
void add_buffer(Context& c, BufferUse use, const void* address, std::int64_t count,
                TypeId type = TypeId(0));

// A number of an update with a value, unique in the PE.
std::int64_t next_atomic();

// The number of the context; the default one has none.
void set_context(Context& c, Ctx context);
// After its end: the library may give its handle to another one.
void forget_context(Ctx context);

// What an operation leaves behind until its context is quiet: a buffer that the pass has to watch,
// and the result of an atomic.
void leave_pending(const Context& c, Ctx context);
struct Fetch {
  std::int64_t number = 0;
  const void* result = nullptr;
  std::size_t bytes = 0;
};
void leave_fetch(Ctx context, const Fetch& fetch);
// Before and after a call that completes all of the context.
void expect_results(Context& c, Ctx context);
void complete_pending(Context& c, Ctx context);
constexpr Ctx kDefaultContext = nullptr;

inline std::uint64_t bits_of(const void* value, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, bytes);
  return bits;
}

}  // namespace photofinish::shmem

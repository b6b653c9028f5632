// One intercepted call of the UPC runtime, from its entry to its return: the body of every wrapper.
//
//   void upc_memget(void* to, Generic from, std::size_t bytes) {
//     Interception call(CALL_SITE);
//     call.returning(UpcCall::upc_memget, [&] { UPC_REAL(upc_memget)(to, from, bytes); },
//                    [&](Context& c) { add_target(c, BufferUse::TargetRead, …); });
//   }
//
// In a checked run, a call that returns at once is made first and then recorded; one that waits is
// recorded before it starts, so that a hang shows what it was. MPI calls of the runtime are made
// inside the wrapper, so they are not recorded. A wrapper may add further events.
//
// In a recorded or replayed run the wrappers pass all calls on: there the calls of MPI are
// recorded. In a confirming run nothing is recorded: a call is described before it is made, and may
// wait (upc/steered.h). What it returns is not known then.
#pragma once

#include <optional>
#include <vector>

#include "frontend/mpi/interceptor.h"
#include "frontend/upc/explored.h"
#include "frontend/upc/shared_memory.h"
#include "frontend/upc/steered.h"
#include "frontend/upc/table/upc_call.h"
#include "runtime/call_site.h"

// The runtime's own function, which our own declaration describes.
#define UPC_REAL(function) (::photofinish::mpi::real_function<#function, decltype(&function)>())
#define UPC_ENTRY extern "C" [[gnu::visibility("default")]]

namespace photofinish::upc {

using mpi::Context;
inline constexpr auto kNothing = [](auto&&...) {};

class Interception {
 public:
  explicit Interception(CallSite call_site);
  ~Interception();
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;

  // A call that returns at once.
  template <class Made, class Describe>
  void returning(Call call, Made made, Describe describe) {
    if (steering_ != nullptr) return run_steered(call, describe, made, kNothing);
    enter(call);
    made();
    end_ = ticks();
    also(call, describe);
  }

  // The same, if `is_event` says so after the call.
  template <class Made, class IsEvent, class Describe>
  void querying(Call call, Made made, IsEvent is_event, Describe describe) {
    if (steering_ != nullptr) return run_steered(call, describe, made, kNothing);
    enter(call);
    made();
    end_ = ticks();
    if (task_ == nullptr) return;
    if (is_event())
      also(call, describe);
    else
      task_->lane->left();
  }

  // The same for one that may come back with nothing done: `failed`, after it was made.
  template <class Made, class Describe>
  void attempting(Call call, Made made, const bool& failed, Describe describe) {
    if (steering_ != nullptr) return run_steered(call, describe, made, kNothing, &failed);
    enter(call);
    made();
    end_ = ticks();
    if (task_ == nullptr) return;
    finish([&] {
      Context& c = begin(call);
      describe(c);
      c.event.fields.set(Field::flag, failed ? 0 : 1);
      // In an explored run, an outcome of its own.
      if (explored_ != nullptr)
        append_event(c, *recorder_, start_, end_);
      else
        mpi::append_attempt(c, *recorder_, start_, end_, failed);
    });
  }

  // A call that may wait for other threads.
  template <class Describe, class Made, class Results>
  void waiting(Call call, Describe describe, Made made, Results results) {
    if (steering_ != nullptr) return run_steered(call, describe, made, results);
    if (task_ != nullptr && !finish([&] {
          describe(begin(call));
          start_ = ticks();
          begin_event(*context_, *recorder_, start_);
        }))
      task_ = nullptr;
    begin_waiting(call);
    made();
    end_waiting(call);
    end_ = ticks();
    if (task_ == nullptr) return;
    finish([&] {
      results(*context_);
      finish_event(*context_, *recorder_, end_);
    });
    start_ = end_;  // of further events: the times of a lane only grow
  }

  // A non-blocking transfer. `made` returns its handle, 0 if it is complete; `describe` gets it.
  // `later`: the same in a confirming run after this call has returned.
  template <class Made, class Later, class Describe>
  std::uint64_t transferring(Call call, bool implicit, Made made, Later later, Describe describe) {
    std::uint64_t handle = 0;
    if (steering_ == nullptr) {
      returning(call, [&] { handle = made(); }, [&](Context& c) { describe(c, handle); });
      return handle;
    }
    bool deferred = false;
    if (enter_steered(call, [&](Context& c) { describe(c, 0); }, true) && steering_->is_deferred())
      guarded([&] {
        handle = static_cast<std::uint64_t>(steered::defer(*steering_, implicit, later));
        deferred = true;
      });
    if (!deferred) handle = made();
    leave_steered([&](Context& c) { describe(c, handle); }, true,
                  static_cast<std::int64_t>(handle));
    return handle;
  }

  // In a confirming run: a further event of the call, before it is made.
  template <class Describe>
  void announce(Call call, Describe describe) {
    if (steering_ != nullptr) finish([&] { add_steered(call, describe); });
  }

  // A further event of the call.
  template <class Describe>
  void also(Call call, Describe describe) {
    if (task_ == nullptr || steering_ != nullptr) return;
    finish([&] {
      describe(begin(call));
      append_event(*context_, *recorder_, start_, end_);
      start_ = end_;
    });
  }

  // The last call.
  template <class Made>
  void ending(Call call, Made made) {
    if (steering_ != nullptr) {
      if (!enter_steered(call, kNothing, false)) return made();
      close_steered();
      mpi::before_last_call();
      made();
      leave_steered(kNothing, true, 0);
      return Recorder::last()->finalized();
    }
    if (task_ != nullptr && !finish([&] {
          begin(call);
          start_ = ticks();
          begin_event(*context_, *recorder_, start_);
        }))
      task_ = nullptr;
    const bool records = task_ != nullptr;
    if (explored_ != nullptr) explored_->close_channel();
    begin_waiting(call);
    if (records) mpi::before_last_call();
    made();
    if (!records) return;
    end_ = ticks();
    finish([&] {
      finish_event(*context_, *recorder_, end_);
      if (explored_ != nullptr) explored_->end();
    });
    Recorder::last()->finalized();
  }
  // The same for a program that ends with the call: all is written before it is made. `meet` waits
  // for the other ranks, whether or not this one records; false: some did not arrive in time, so
  // the analysis is incomplete.
  template <class Describe, class Meet>
  bool ending(Call call, Describe describe, Meet meet) {
    if (steering_ != nullptr) {
      enter_steered(call, describe, false);
      if (!meet()) return false;
      if (steering_ != nullptr) close_steered();
      mpi::before_last_call();
      leave_steered(kNothing, true, 0);
      if (Recorder* const recorder = Recorder::last()) recorder->finalized();
      return true;
    }
    const bool records = task_ != nullptr && finish([&] {
                           describe(begin(call));
                           start_ = ticks();
                           begin_event(*context_, *recorder_, start_);
                         });
    if (!meet()) return false;
    if (!records) return mpi::before_passing_on(Action::Finalize, 0), true;
    mpi::before_last_call();
    end_ = ticks();
    finish([&] { finish_event(*context_, *recorder_, end_); });
    Recorder::last()->finalized();
    return true;
  }

  bool records() const { return task_ != nullptr; }
  // Not made inside another call, in a process with a recording, even one that has stopped.
  bool is_outermost() const { return outermost_; }
  bool is_steered() const { return steering_ != nullptr; }
  // The call is one of an explored run, whose order may be controlled (upc/explored.h).
  bool is_explored() const { return explored_ != nullptr; }
  // It takes its turn before its event is made.
  void count(Call call) {
    explored::begin_call(call);
    is_counted_ = true;
  }
  // Changes with each event of the process.
  static std::uint64_t events() { return events_; }
  CallSite call_site() const { return call_site_; }

 protected:
  template <class Piece>
  bool finish(Piece piece) {
    if (guarded(piece)) return true;
    mpi::take_leave();
    return false;
  }

 private:
  void enter(Call call);
  template <class Describe>
  void add_steered(Call call, Describe describe) {
    describe(begin(call));
    steered_.push_back(steered::event_of(*steering_, *context_));
  }
  // False: the tool has failed, or the call has nothing to do with the race.
  template <class Describe>
  bool enter_steered(Call call, Describe describe, bool transfers) {
    if (finish([&] {
          add_steered(call, describe);
          steered::before(*steering_, steered_, transfers);
        }))
      return true;
    steering_ = nullptr;
    task_ = nullptr;
    mpi::before_passing_on(traits(call).action, 0);
    return false;
  }
  void close_steered() {
    steering_->close_channel();
    steering_->begin_waiting();  // for all to see, to the end
  }
  template <class Results>
  void leave_steered(Results results, bool succeeded, std::int64_t handle) {
    if (steering_ == nullptr) return;
    finish([&] {
      results(*context_);
      steered::after(*steering_, steered_.back(), succeeded, handle);
    });
  }
  template <class Describe, class Made, class Results>
  void run_steered(Call call, Describe describe, Made made, Results results,
                   const bool* failed = nullptr) {
    if (steered_.empty() && steered::lets_pass(*steering_, call)) {
      const bool waits = steered::waits(call);
      if (waits) steering_->begin_waiting();
      made();
      if (waits) steering_->end_waiting();
      return;
    }
    enter_steered(call, describe, false);
    made();
    leave_steered(results, failed == nullptr || !*failed, 0);
  }
  // In an explored run, others see that this thread waits. A lock is awaited at the gate.
  bool waits_explored(Call call) const {
    return explored_ != nullptr && steered::waits(call) &&
           traits(call).action != Action::LockAcquire;
  }
  void begin_waiting(Call call) {
    if (waits_explored(call)) explored_->begin_waiting();
    if (explored_ != nullptr && traits(call).action == Action::Abort)
      explored_->let_others_continue();
  }
  void end_waiting(Call call) {
    if (waits_explored(call)) explored_->end_waiting();
  }
  Context& begin(Call call) {
    ++events_;
    if (explored_ != nullptr && !std::exchange(is_counted_, false)) explored::begin_call(call);
    Context& c = context_.emplace(*task_, call);
    mpi::locate(c, call_site_);
    return c;
  }

  const CallSite call_site_;
  bool outermost_ = false;
  Recorder* recorder_ = nullptr;
  Task* task_ = nullptr;          // null: the call is passed on
  Steering* steering_ = nullptr;  // of a confirming run
  Steering* explored_ = nullptr;  // of an explored run: its calls are on record
  bool is_counted_ = false;       // its turn came before its event
  std::vector<steered::Event> steered_;
  std::uint64_t start_ = 0, end_ = 0;
  std::optional<Context> context_;
  static inline std::uint64_t events_ = 0;
};

// Whether the wrappers of this process pass all calls on.
bool passes_all_on();

// --- what the calls have in common

// An access to shared memory: fields win and target, and the buffer. False: no object is there.
bool add_target(Context& c, BufferUse use, const Position& at, std::uint64_t bytes);
// The thread's own memory.
void add_buffer(Context& c, BufferUse use, const void* address, std::uint64_t bytes);
inline void add_own(Context& c, BufferUse use, std::uint64_t offset, std::uint64_t bytes) {
  add_buffer(c, use, SharedMemory::get().local(offset), bytes);
}
// An object of the runtime, such as a lock: fields win and target, and its displacement as
// Field::key.
void name_object(Context& c, const Position& at);

// A variable of the runtime.
template <class T>
T runtime_variable(const char* name) {
  const void* const address = dlsym(RTLD_DEFAULT, name);
  return address != nullptr ? *static_cast<const T*>(address) : T{};
}

// A number of an update with a value, unique in the thread.
std::int64_t next_atomic();

inline std::uint64_t bits_of(const void* value, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, bytes < sizeof bits ? bytes : sizeof bits);
  return bits;
}

}  // namespace photofinish::upc

// One intercepted call of OpenSHMEM, from its entry to its return: the body of every wrapper.
//
//   void shmem_int_put(int* dest, const int* source, std::size_t count, int pe) {
//     Interception call(ShmemCall::shmem_put, CALL_SITE);
//     call.returning([&](Context& c) { … },                                  // its arguments
//                    [&] { SHMEM_REAL(shmem_int_put)(dest, source, count, pe); });
//   }
//
// A call that the library makes itself is passed on. In a checked run, one that returns at once is
// made first and then recorded; one that waits is recorded before it starts, so that a hang shows
// what it was. In a recorded rank, what the call returns and writes also goes to the journal. A
// replayed rank does not make the call: the journal provides that (record/journal.h). In a
// confirming run it may wait before the call, and make operations later (shmem/steered.h).
//
// The real function is the next one behind ours. It is looked up when it is first called: programs
// without liboshmem load this library, too.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

#include "frontend/mpi/interceptor.h"
#include "frontend/shmem/steered.h"
#include "frontend/shmem/symmetric_memory.h"
#include "frontend/shmem/table/shmem_call.h"
#include "replay/journaling.h"
#include "runtime/call_site.h"

// The library's own function, which our own declaration describes.
#define SHMEM_REAL(function) (::photofinish::mpi::real_function<#function, decltype(&function)>())
#define SHMEM_ENTRY extern "C" [[gnu::visibility("default")]]

namespace photofinish::shmem {

using mpi::Context;

// A function that lives as long as the call it is passed to.
template <class... Arguments>
class Part {
 public:
  template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, Part>)
  Part(Function&& function)
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        run_([](void* object, Arguments... arguments) {
          (*static_cast<std::remove_reference_t<Function>*>(object))(arguments...);
        }) {}
  void operator()(Arguments... arguments) const { run_(function_, arguments...); }

 private:
  void* function_;
  void (*run_)(void*, Arguments...);
};
using Describes = Part<Context&>;
inline constexpr auto kNothing = [](auto&&...) {};

class Interception {
  static constexpr bool kNever = false;

 public:
  Interception(Call call, CallSite call_site);
  ~Interception();
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;

  // A call that returns at once. After it is made, `answer` exchanges what it returned with the
  // journal, if there is one, and `results` adds that to the event.
  void returning(Describes arguments, Part<> made, Part<> answer = kNothing,
                 Describes results = kNothing);
  // The same for an operation on the memory of another PE that may be pending when the call has
  // returned. `keep` provides it to be made later, with a copy of its origin data if `copies`.
  using Later = std::function<void()>;
  using Keep = Part<bool, Later&>;
  void operating(Ctx context, Describes arguments, Part<> made, Keep keep);
  // The same for one that may come back with nothing done: `failed`, after `answer`.
  void attempting(Part<> made, Part<> answer, const bool& failed, Describes results);
  // A call that is an event only if it found something: `found`, after `answer`.
  void querying(Part<> made, Part<> answer, const bool& found = kNever,
                Describes results = kNothing);
  // A call that may wait for other PEs.
  void waiting(Describes arguments, Part<> made, Part<> answer = kNothing,
               Describes results = kNothing);
  // The same for one that waits until `is_over` finds a condition. In a confirming run, deferred
  // operations of this PE may have to be made meanwhile.
  void waiting_until(Describes arguments, Part<> made, Part<bool&> is_over, Part<> answer,
                     Describes results);
  // The last call. A replayed PE makes another one, since its OpenSHMEM was never started.
  void ending(Part<> made, Part<> made_on_replay);

  // For `answer`: a value, an address, and memory that the call has written.
  template <class T>
  void exchange(T& value) {
    if (entry_) entry_->journal()(value);
  }
  void exchange_address(void*& address) {
    auto value = reinterpret_cast<std::uint64_t>(address);
    exchange(value);
    address = reinterpret_cast<void*>(value);
  }
  void exchange_memory(const void* memory, std::size_t bytes);
  // The same for a word of this PE whose value the call has observed.
  void exchange_observed(const void* word, std::size_t bytes);

  // The call is one of an explored run, whose order may be controlled (shmem/explored.h).
  bool is_explored() const { return explored_ != nullptr; }
  bool replays() const { return journaling_ != nullptr && journaling_->replays(); }
  // After a call that found only this PE's own memory. Open MPI makes no progress in it for the
  // accesses of other PEs to static data: a loop that waits for them would not end. Whether it does
  // without the tool depends on timing, which recording changes.
  void make_progress() const;

 private:
  Context& begin();
  void enter(const Describes& arguments);
  // When the event of the call is recorded.
  enum class Recorded : std::uint8_t { FromStart, AtReturn, Maybe };
  // In a confirming run.
  bool enter_steered(const Describes& arguments, const steered::How& how, Recorded recorded);
  void leave_steered(const Part<>& answer, const Part<>& record, const steered::How& how);
  void run_steered(const Describes& arguments, const Part<>& made, const Part<>& answer,
                   const Part<>& record, const steered::How& how, Recorded recorded);
  // The call is an event of the trace: not in a replay, nor in a confirming run without a journal.
  bool has_event() const {
    return journaling_ != nullptr ? !journaling_->replays() : steering_ == nullptr;
  }
  void append();
  void make_waiting(const Part<>& made);
  void enter_journaled(const Describes& arguments, Recorded recorded);
  // Exchanges what the call returned and wrote, and passes it on to `record`. `how`: of a
  // confirming run.
  void leave_journaled(const Part<>& answer, const Part<>& record,
                       const steered::How* how = nullptr);
  template <class Piece>
  bool finish(Piece piece) {
    if (guarded(piece)) return true;
    if (entry_) entry_->give_up();
    mpi::take_leave();
    return false;
  }

  const Call call_;
  const CallSite call_site_;
  bool outermost_ = false;
  Recorder* recorder_ = nullptr;
  Task* task_ = nullptr;              // null: the call is passed on
  Journaling* journaling_ = nullptr;  // of a recorded or replayed rank
  Steering* steering_ = nullptr;      // of a confirming run
  Steering* explored_ = nullptr;      // of an explored run: its calls are on record
  std::uint64_t start_ = 0, end_ = 0;
  std::optional<Context> context_;
  std::optional<Entry> entry_;
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
inline std::uint64_t bits_of(const void* value, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, bytes);
  return bits;
}

}  // namespace photofinish::shmem

// The body of every wrapper: from a row of the table to an event.
//
// A call that may block is recorded before it starts, so that a hang or a crash inside it shows the
// call. A call that returns at once is passed on first, and its arguments are read afterwards: the
// message is then already under way. So is a small standard send, which rarely blocks; if it does,
// only its name and call site are recorded.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/ticks.h"
#include "frontend/mpi/answers.h"
#include "frontend/mpi/call_contents.h"
#include "frontend/mpi/context.h"
#include "frontend/mpi/control.h"
#include "frontend/mpi/datatypes.h"
#include "frontend/mpi/meaning/completion.h"
#include "frontend/mpi/roles.h"
#include "frontend/mpi/start.h"
#include "frontend/mpi/table/mpi_call.h"
#include "frontend/mpi/tasks.h"
#include "runtime/failure.h"
#include "runtime/parallel_regions.h"
#include "runtime/tasks.h"

namespace photofinish::mpi {

// The frame of the intercepted call that the thread is in. Calls from deeper in the stack are MPI's
// own, or made by callbacks of MPI, and are not recorded. A call from higher in the stack means
// that the program left the earlier one by longjmp.
inline thread_local std::uint64_t t_inside = 0;
inline bool is_inside(CallSite call_site) { return t_inside != 0 && call_site.frame < t_inside; }
// The thread is in a hook of a load or store. Functions that the hook calls, such as malloc, may be
// instrumented, too.
inline thread_local bool t_in_hook = false;
class Inside {
 public:
  explicit Inside(CallSite call_site) { t_inside = call_site.frame; }
  ~Inside() { t_inside = 0; }
};

constexpr bool takes_requests(Action action) {
  return action == Action::Wait || action == Action::WaitAny || action == Action::WaitSome ||
         action == Action::WaitAll || action == Action::RequestFree;
}

constexpr bool names_requests(Action action) {
  return action == Action::Start || action == Action::Cancel;
}

constexpr bool receives_status(Action action) {
  return action == Action::Receive || action == Action::SendReceive ||
         action == Action::SendReceiveReplace || action == Action::MatchedReceive ||
         action == Action::Probe || action == Action::MatchedProbe;
}

// Calls that dominate the run time of some programs. Their wrappers are optimized for speed, the
// others for size.
constexpr bool is_frequent(Call call) {
  for (const Call one : {MpiCall::MPI_Send,         MpiCall::MPI_Isend,
                         MpiCall::MPI_Recv,         MpiCall::MPI_Irecv,
                         MpiCall::MPI_Wait,         MpiCall::MPI_Waitall,
                         MpiCall::MPI_Waitany,      MpiCall::MPI_Waitsome,
                         MpiCall::MPI_Test,         MpiCall::MPI_Testall,
                         MpiCall::MPI_Testany,      MpiCall::MPI_Testsome,
                         MpiCall::MPI_Iprobe,       MpiCall::MPI_Probe,
                         MpiCall::MPI_Put,          MpiCall::MPI_Get,
                         MpiCall::MPI_Accumulate,   MpiCall::MPI_Get_accumulate,
                         MpiCall::MPI_Fetch_and_op, MpiCall::MPI_Compare_and_swap,
                         MpiCall::MPI_Win_flush,    MpiCall::MPI_Win_flush_local})
    if (one == call) return true;
  return false;
}

inline constexpr std::int64_t kSmallSend = 128;  // elements; the type is not read

// If this rank has failed (runtime/failure.h): does what the other ranks still need from it, inside
// a call of the program.
[[gnu::cold, gnu::noinline]] void take_leave();
// The same before a call that is passed on.
[[gnu::cold, gnu::noinline]] void before_passing_on(Action action, int abort_code);
// Null if there is no lane for it: then the rank has failed.
[[gnu::cold, gnu::noinline]] Task* attach_task(Recorder& recorder);
inline Task* task_of(Recorder& recorder) {
  Task* const task = Recorder::known_task();
  return task != nullptr ? task : attach_task(recorder);
}

// In recording.cpp, since they need no template.
void locate(Context& context, CallSite call_site);
void begin_event(Context& context, Recorder& recorder,
                 std::uint64_t start);  // records the first half of the event
void finish_event(Context& context, Recorder& recorder, std::uint64_t end);
void append_event(Context& context, Recorder& recorder, std::uint64_t start, std::uint64_t end);
// The same for a call that may return without a result. Repeated failures are counted, not
// recorded.
void append_attempt(Context& context, Recorder& recorder, std::uint64_t start, std::uint64_t end,
                    bool failed);
// Records the accesses of threads that make no MPI calls, before the call: accesses during the call
// are not ordered before it. False if that failed.
[[gnu::cold, gnu::noinline]] bool record_thread_accesses(Recorder& recorder, Task& task);
// Records the accesses since the last call when the program is about to crash.
void record_last_accesses(Recorder& recorder, Task& task);
// Records nothing, and only updates which memory other ranks can reach.
void follow_event(Context& context, Recorder& recorder);

template <Call call, Action action, When when, class... Roles>
struct Interceptor {
  template <class Role>
  static constexpr bool has = (std::is_same_v<Role, Roles> || ...);
  // Whether the call may return without a result.
  static constexpr bool can_fail =
      has<roles::FlagOut> || (action == Action::WaitSome && when == When::Consumes);
  static constexpr bool is_first = action == Action::Init || action == Action::SessionInit;
  static constexpr bool may_be_buffered = action == Action::Send && when == When::Blocks &&
                                          call != MpiCall::MPI_Ssend &&
                                          call != MpiCall::MPI_Ssend_c;
  static constexpr bool goes_first =
      (may_be_buffered || (when != When::Blocks && when != When::Consumes)) &&
      !(Roles::kPasses || ...);

  template <class... Arguments>
  static int run(int (*real)(Arguments...), CallSite call_site, Arguments... arguments) {
    if (is_inside(call_site)) return real(arguments...);
    Recorder* recorder = Recorder::get();
    if constexpr (is_first) {
      if (recorder == nullptr && !has_failed()) return run_first(real, call_site, arguments...);
    }
    if (recorder == nullptr) return run_unrecorded(real, call_site, arguments...);
    if constexpr (action == Action::GeneralRequestDone)
      (Tasks::release(general_request_key(arguments)), ...);
    Inside inside(call_site);
    Task* task = task_of(*recorder);
    if (task == nullptr) [[unlikely]]
      return pass_on(real, arguments...);
    if (Control* control = Control::get()) [[unlikely]]
      if (is_local(action) || Journaling::get() == nullptr)
        return run_controlled(*control, *recorder, *task, real, call_site, arguments...);
    if constexpr (!is_local(action))
      if (Journaling* journaling = Journaling::get()) [[unlikely]] {
        if constexpr (is_frequent(call))
          return run_journaled_fast(*journaling, *recorder, *task, real, call_site, arguments...);
        else
          return run_journaled_small(*journaling, *recorder, *task, real, call_site, arguments...);
      }
    if constexpr (is_local(action)) {
      if (Journaling* journaling = Journaling::get()) [[unlikely]] {
        Journaling::pause_values(true);
        TurnScope turn(TurnKind::Local, action != Action::Finalize && Turns::in_call());
        const int result = run_recorded(*recorder, *task, real, call_site, arguments...);
        turn.end();
        Journaling::pause_values(false);
        if constexpr (action == Action::Finalize)
          if (!has_failed()) guarded([&] { journaling->finalized(*task); });
        return result;
      }
    }
    if (ThreadAccesses::any()) [[unlikely]]
      if (!record_thread_accesses(*recorder, *task)) return pass_on(real, arguments...);
    return run_recorded(*recorder, *task, real, call_site, arguments...);
  }

 private:
  // The tool is not active in this process. If it has failed, other ranks may still need this one.
  template <class... Arguments>
  [[gnu::cold, gnu::noinline]] static int run_unrecorded(int (*real)(Arguments...),
                                                         CallSite call_site,
                                                         Arguments... arguments) {
    if (!has_failed()) return real(arguments...);
    Inside inside(call_site);
    return pass_on(real, arguments...);
  }

  template <class... Arguments>
  [[gnu::cold, gnu::noinline]] static int pass_on(int (*real)(Arguments...),
                                                  Arguments... arguments) {
    int code = 0;
    if constexpr (action == Action::Abort) {  // the last integer: a communicator may be one, too
      const auto read = [&](auto argument) {
        if constexpr (std::is_same_v<decltype(argument), int>) code = argument;
      };
      (read(arguments), ...);
    }
    before_passing_on(action, code);
    const int result = real(arguments...);
    if constexpr (action == Action::WinCreate) {
      const auto join = [](auto role, auto argument) {
        if constexpr (std::is_same_v<decltype(role), roles::Comm>) Control::join_window(argument);
      };
      if (result == MPI_SUCCESS) (join(Roles(), arguments), ...);
    }
    return result;
  }

  // A call of a checked run, or a local call of another one.
  template <class... Arguments>
  static int run_recorded(Recorder& recorder, Task& task, int (*real)(Arguments...),
                          CallSite call_site, Arguments... arguments) {
    ParallelRegions::communicate();
    if constexpr (may_be_buffered) {
      if (count_of_send(arguments...) > kSmallSend)
        return read_then_run(recorder, task, real, call_site, arguments...);
    }
    if constexpr (goes_first)
      return run_then_read(recorder, task, real, call_site, arguments...);
    else
      return read_then_run(recorder, task, real, call_site, arguments...);
  }

  // As little as possible before the call, not even a store: memory barriers in MPI would wait for
  // it.
  template <class... Arguments>
  static int run_then_read(Recorder& recorder, Task& task, int (*real)(Arguments...),
                           CallSite call_site, Arguments... arguments) {
    task.lane->entered(call, call_site.pc);
    const std::uint64_t start = may_be_buffered ? 0 : ticks();
    const int result = real(arguments...);
    const std::uint64_t end = ticks();
    if (!guarded([&] {
          Context c(task, call);
          read_arguments(c, call_site, arguments...);
          read_results(c, result, arguments...);
          append_event(c, recorder, may_be_buffered ? end : start, end);
        })) [[unlikely]]
      take_leave();
    return result;
  }

  template <class... Arguments>
  static int read_then_run(Recorder& recorder, Task& task, int (*real)(Arguments...),
                           CallSite call_site, Arguments... arguments) {
    constexpr bool waits = when == When::Blocks;
    constexpr bool read_first = waits || when == When::Consumes;
    std::optional<Context> made;
    std::uint64_t start = 0;
    const auto before = [&](Arguments&... passed) {
      return guarded([&] {
        Context& c = made.emplace(task, call);
        ((passed = Roles::pass(c, passed)), ...);
        if constexpr (read_first) read_arguments(c, call_site, passed...);
        start = ticks();
        if constexpr (waits)
          begin_event(c, recorder, start);
        else
          task.lane->entered(call, call_site.pc);
        if constexpr (action == Action::Abort)
          recorder.aborting(static_cast<int>(c.event.fields[Field::code]));
      });
    };
    if constexpr ((Roles::kPasses || ...)) {
      const std::tuple<Arguments...> given(arguments...);
      if (!before(arguments...)) [[unlikely]]
        return std::apply([&](Arguments... as_given) { return pass_on(real, as_given...); }, given);
    } else {
      if (!before(arguments...)) [[unlikely]]
        return pass_on(real, arguments...);
    }
    if constexpr (action == Action::Finalize) before_last_call();

    const int result = real(arguments...);
    const std::uint64_t end = ticks();

    if (!guarded([&] {
          Context& c = *made;
          if constexpr (!read_first) read_arguments(c, call_site, arguments...);
          read_results(c, result, arguments...);
          if constexpr (can_fail)
            append_attempt(c, recorder, start, end, result == MPI_SUCCESS && failed(c));
          else if constexpr (waits)
            finish_event(c, recorder, end);
          else
            append_event(c, recorder, start, end);
          if constexpr (action == Action::Finalize) recorder.finalized();
        })) [[unlikely]]
      take_leave();
    return result;
  }

  // A confirming or explored run: the call may be delayed, deferred, or receive another message. It
  // is recorded only in an explored run; local calls also in a confirming run that is recorded.
  // Optimized for size, since it is instantiated for each call.
  template <class... Arguments>
  [[gnu::cold, gnu::noinline]] static int run_controlled(Control& control, Recorder& recorder,
                                                         Task& task, int (*real)(Arguments...),
                                                         CallSite call_site,
                                                         Arguments... arguments) {
    ParallelRegions::communicate();
    if constexpr (leaves_nothing(action, when)) {
      if (control.lets_pass(call, action)) {
        if constexpr (when == When::Blocks) control.steering().begin_waiting();
        const int result = real(arguments...);
        if constexpr (when == When::Blocks) control.steering().end_waiting();
        return result;
      }
    }
    const std::tuple<Arguments...> given(arguments...);
    std::optional<Context> read;
    std::uint64_t start = 0;
    int result = MPI_SUCCESS;
    if (!guarded([&] {
          Context& c = read.emplace(task, call);
          ((arguments = Roles::pass(c, arguments)), ...);
          read_arguments(c, call_site, arguments...);
          if (control.steering().records()) {
            start = ticks();
            if constexpr (when == When::Blocks)
              begin_event(c, recorder, start);
            else
              task.lane->entered(call, call_site.pc);
            if constexpr (action == Action::Abort) control.let_others_continue();
          }
          if constexpr (action == Action::Finalize) before_last_call();
          if constexpr (action == Action::Abort)
            recorder.aborting(static_cast<int>(c.event.fields[Field::code]));
        }) ||
        !run_steered(control, *read, real, result, arguments...))
      return std::apply([&](Arguments... as_given) { return pass_on(real, as_given...); }, given);
    if (!guarded([&] {
          Context& c = *read;
          read_results(c, result, arguments...);
          if (control.steering().records()) {
            const std::uint64_t end = ticks();
            if constexpr (can_fail)
              append_attempt(c, recorder, start, end, result == MPI_SUCCESS && failed(c));
            else if constexpr (when == When::Blocks)
              finish_event(c, recorder, end);
            else
              append_event(c, recorder, start, end);
          } else if (control.follows(c)) {
            follow_event(c, recorder);
          }
          control.after(c);
          if constexpr (action == Action::Finalize) recorder.finalized();
        }))
      take_leave();
    return result;
  }

  // Makes the call, with another source, window or function if requested, or defers it. False if
  // the tool failed before.
  template <class... Arguments>
  [[gnu::cold, gnu::noinline]] static bool run_steered(Control& control, Context& c,
                                                       int (*real)(Arguments...), int& result,
                                                       Arguments&... arguments) {
    bool deferred = false;
    int (*made)(Arguments...) = real;
    if (!guarded([&] {
          control.before(c);
          if (void* const other = control.replacement(call))
            made = reinterpret_cast<int (*)(Arguments...)>(other);
          if constexpr (action == Action::Start) deferred = control.steering().is_deferred();
          ((arguments = steered<Roles>(control, arguments)), ...);
          if constexpr (has<roles::Target> && when == When::Returns) {
            if (control.steering().is_deferred()) {
              auto copy = control.copy_origin(c);
              const void* const origin = copy != nullptr ? copy->origin() : c.send.address;
              control.defer(c, std::move(copy), [real, ... kept = kept<Roles>(arguments, origin)] {
                return run_kept(real, kept...);
              });
              deferred = true;
            }
          }
        }))
      return false;
    if (!deferred) result = made(arguments...);
    return true;
  }

  template <class... Arguments>
  [[gnu::cold, gnu::noinline]] static int run_journaled_small(Journaling& journaling,
                                                              Recorder& recorder, Task& task,
                                                              int (*real)(Arguments...),
                                                              CallSite call_site,
                                                              Arguments... arguments) {
    return run_journaled(journaling, recorder, task, real, call_site, arguments...);
  }
  template <class... Arguments>
  [[gnu::noinline]] static int run_journaled_fast(Journaling& journaling, Recorder& recorder,
                                                  Task& task, int (*real)(Arguments...),
                                                  CallSite call_site, Arguments... arguments) {
    return run_journaled(journaling, recorder, task, real, call_site, arguments...);
  }

  // On a recorded rank, MPI makes the call and the journal stores its results. On a replayed rank,
  // the results come from the journal, and no event is recorded.
  template <class... Arguments>
  [[gnu::always_inline]] static int run_journaled(Journaling& journaling, Recorder& recorder,
                                                  Task& task, int (*real)(Arguments...),
                                                  CallSite call_site, Arguments... arguments) {
    const bool replays = journaling.replays();
    Control* const control = replays ? nullptr : Control::get();
    const std::tuple<Arguments...> given(arguments...);
    std::optional<Context> read;
    std::optional<Entry> made;
    std::uint64_t start = 0;
    int result = MPI_SUCCESS;
    if (!guarded([&] {
          Context& c = read.emplace(task, call);
          ((arguments = Roles::pass(c, arguments)), ...);
          Entry& entry = made.emplace(journaling, task);
          const TurnScope turn(TurnKind::Call, Turns::in_call());
          // The call comes before its arguments in the journal: reading them may need entries.
          locate(c, call_site);
          journaling.ask_call(task, call, c.event.site);
          read_located(c, arguments...);
          journaling.ask_with_arguments(task, c.event);
          if constexpr (is_step(action, when)) {
            static_assert(!can_fail);
            ++TaskState::of(task).steps;
          }
          mpi::before_call(journaling, c, action, when);
          start = ticks();
          if constexpr (when == When::Blocks) {
            if (!replays) begin_event(c, recorder, start);
          } else {
            if (!replays) task.lane->entered(call, call_site.pc);
          }
          static_cast<void>(entry);
        }) ||
        (control != nullptr && !run_steered(*control, *read, real, result, arguments...)))
        [[unlikely]] {
      if (made) made->give_up();
      made.reset();
      return std::apply([&](Arguments... as_given) { return pass_on(real, as_given...); }, given);
    }
    if (control == nullptr && (!replays || frees_stand_in(action))) result = real(arguments...);
    const std::uint64_t end = ticks();
    if (!guarded([&] {
          Context& c = *read;
          Entry& entry = *made;
          const TurnScope turn(TurnKind::Return, Turns::in_call());
          entry.journal()(result);
          if (result == MPI_SUCCESS || takes_requests(action) || has<roles::StatusOut>)
            (Answer<Roles, action>::exchange(entry.journal(), c, arguments), ...);
          read_results(c, result, arguments...);
          if (result == MPI_SUCCESS || receives_status(action))
            mpi::exchange_contents(journaling, c, action, when);
          if (replays) {
            follow_event(c, recorder);
            if constexpr (takes_requests(action)) release_requests(c, action);
          } else if constexpr (can_fail)
            append_attempt(c, recorder, start, end, result == MPI_SUCCESS && failed(c));
          else if constexpr (when == When::Blocks)
            finish_event(c, recorder, end);
          else
            append_event(c, recorder, start, end);
          if (control != nullptr) [[unlikely]]
            control->after(c);
          if constexpr (when != When::Blocks)
            if (journaling.is_steered() && result == MPI_SUCCESS) [[unlikely]]
              mpi::exchange_early(journaling, c,
                                  control != nullptr && control->steering().is_complete());
          entry.close();
        })) [[unlikely]] {
      made->give_up();
      take_leave();
      return result;
    }
    if constexpr (has<roles::Comm>)
      if (replays && result != MPI_SUCCESS)
        REAL(PMPI_Comm_call_errhandler)(read->comm_handle, result);
    return result;
  }

  template <class Role, class Argument>
  static Argument steered(const Control& control, Argument argument) {
    if constexpr (std::is_same_v<Role, roles::Source>)
      return control.source(argument);
    else if constexpr (std::is_same_v<Role, roles::RecvTag>)
      return control.tag(argument);
    else if constexpr (std::is_same_v<Role, roles::Win>)
      return control.window(argument);
    else if constexpr (when == When::Starts &&
                       ((action == Action::Send && std::is_same_v<Role, roles::SendBuf>) ||
                        (action == Action::Receive && std::is_same_v<Role, roles::RecvBuf>)))
      return control.buffer(argument);
    else
      return argument;
  }

  // Before a deferred call is made, the program may free its types and, after local completion,
  // overwrite the origin buffer. So both are copied.
  template <class Role>
  static constexpr bool is_type =
      std::is_same_v<Role, roles::SendType> || std::is_same_v<Role, roles::RecvType> ||
      std::is_same_v<Role, roles::TargetType>;
  template <class Role, class Argument>
  static Argument kept(Argument argument, const void* origin) {
    if constexpr (is_type<Role>)
      return keep_type(argument);
    else if constexpr (std::is_same_v<Role, roles::SendBuf>)
      return origin;
    else
      return argument;
  }
  template <class... Arguments>
  static int run_kept(int (*real)(Arguments...), std::type_identity_t<Arguments>... kept) {
    const int result = real(kept...);
    (release<Roles>(kept), ...);
    return result;
  }
  template <class Role, class Argument>
  static void release(Argument kept) {
    if constexpr (is_type<Role>) release_type(kept);
  }

  template <class Buffer, class Count, class... Rest>
  static std::int64_t count_of_send(Buffer, Count count, Rest...) {
    return count;
  }

  // MPI_Init and similar calls: the trace does not exist before they return.
  template <class... Arguments>
  static int run_first(int (*real)(Arguments...), CallSite call_site, Arguments... arguments) {
    Inside inside(call_site);
    guarded(before_first_call);
    const std::uint64_t start = ticks();
    const int result = real(arguments...);
    const std::uint64_t end = ticks();
    if (result != MPI_SUCCESS) return result;
    const void* session = nullptr;
    if constexpr (action == Action::SessionInit) {  // the last argument
      const auto remember = [&](auto argument) {
        if constexpr (std::is_pointer_v<decltype(argument)>) session = argument;
      };
      (remember(arguments), ...);
    }
    Recorder* recorder = start_recording(session, start);
    Task* task = recorder != nullptr ? task_of(*recorder) : nullptr;
    if (task == nullptr || !guarded([&] {
          Context c(*task, call);
          read_arguments(c, call_site, arguments...);
          read_results(c, result, arguments...);
          append_event(c, *recorder, start, end);
        }))
      take_leave();
    return result;
  }

  template <class... Arguments>
  static void read_arguments(Context& c, CallSite call_site, Arguments... arguments) {
    locate(c, call_site);
    read_located(c, arguments...);
  }

  template <class... Arguments>
  static void read_located(Context& c, Arguments... arguments) {
    (Roles::before(c, arguments), ...);
    FieldSet& fields = c.event.fields;
    if constexpr (has<roles::Dest>) fields.set(Field::to, c.comm->peer(c.to));
    if constexpr (has<roles::Source>) fields.set(Field::from, c.comm->peer(c.from));
    if constexpr (has<roles::Root>) fields.set(Field::root, c.comm->peer(c.root));
    if constexpr (has<roles::Target>) fields.set(Field::target, c.win->peer(c.target_rank));
    if constexpr (takes_requests(action)) take_requests(c);
    if constexpr (names_requests(action)) name_requests(c, action);
    if constexpr (mpi_meaning::may_complete(action)) expect_results(c);
    if constexpr (action != Action::Pack && action != Action::Unpack) add_buffers(c, action);
  }

  template <class... Arguments>
  static void read_results(Context& c, int result, Arguments... arguments) {
    c.event.result = result;
    if constexpr (takes_requests(action)) {
      complete_requests(c, action, result);
    } else {
      if (result != MPI_SUCCESS) {
        // The message was truncated, but received.
        if constexpr (has<roles::StatusOut> && receives_status(action))
          if (is_truncation(result)) set_matched(c, *c.status);
        return;
      }
      (Roles::after(c, arguments), ...);
      if constexpr (has<roles::StatusOut> && receives_status(action)) {
        if (c.flag == nullptr || *c.flag != 0) set_matched(c, *c.status);
      }
      if constexpr (action == Action::RequestStatus) set_matched_of_request(c);
      if constexpr (action == Action::Pack || action == Action::Unpack) add_pack_buffer(c, action);
      if constexpr (is_atomic(action)) add_atomic(c, action);
      if constexpr (mpi_meaning::may_complete(action)) add_results(c);
    }
  }

  static bool failed(const Context& c) {
    if constexpr (has<roles::FlagOut>)
      return *c.flag == 0;
    else
      return *c.out_count == 0;
  }
};

}  // namespace photofinish::mpi

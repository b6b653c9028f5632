// The body of every wrapper: from a row of the table to an event.
//
// What the program waits for comes first. A call that may wait is put on record before it starts, so that a hang or a crash
// inside it shows what it was; that costs nothing, for it waits anyway. A call that returns at once is passed on at once, and
// its arguments are read afterwards: the message is then already on its way. So is a small standard send, which nearly never
// waits; should it, only its name and place are on record.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "base/ticks.h"
#include "frontend/mpi/context.h"
#include "frontend/mpi/roles.h"
#include "frontend/mpi/start.h"

namespace photofinish::mpi {

// MPI's own calls to itself, and those of callbacks that it calls, are not the program's.
inline thread_local bool t_inside = false;
class Inside {
 public:
  Inside() { t_inside = true; }
  ~Inside() { t_inside = false; }
};

struct Place {
  std::uint64_t pc;
  std::uint64_t frame;
};

constexpr bool takes_requests(Action action) {
  return action == Action::Wait || action == Action::WaitAny || action == Action::WaitSome ||
         action == Action::WaitAll || action == Action::RequestFree;
}

constexpr bool names_requests(Action action) { return action == Action::Start || action == Action::Cancel; }

constexpr bool receives_status(Action action) {
  return action == Action::Receive || action == Action::SendReceive || action == Action::SendReceiveReplace ||
         action == Action::MatchedReceive || action == Action::Probe || action == Action::MatchedProbe;
}

inline constexpr int kSmallSend = 128;  // elements: enough to tell small from large, without a look at the type

void record_failed_tests(Context& context, Recorder& recorder);

template <Call call, Action action, When when, class... Roles>
struct Interceptor {
  template <class Role>
  static constexpr bool has = (std::is_same_v<Role, Roles> || ...);
  // Whether the call, or one like it, can come back with nothing done.
  static constexpr bool can_fail =
      has<roles::FlagOut> || (action == Action::WaitSome && when == When::Consumes);

  template <class... Arguments>
  static int run(int (*real)(Arguments...), Place place, Arguments... arguments) {
    Recorder* recorder = Recorder::get();
    if (t_inside) return real(arguments...);
    if constexpr (action == Action::Init || action == Action::SessionInit) {
      if (recorder == nullptr) return run_first(real, place, arguments...);
    }
    if (recorder == nullptr) return real(arguments...);
    Inside inside;
    Task* task = recorder->task();
    if (task == nullptr) [[unlikely]]
      return real(arguments...);
    Context c(*task, call);
    std::tuple<Arguments...> passed{Roles::pass(c, arguments)...};

    if constexpr (when == When::Blocks && action == Action::Send && call != Call::MPI_Ssend) {
      if (std::get<1>(passed) <= kSmallSend) return run_then_record(*recorder, c, real, place, passed);
    }
    if constexpr (when == When::Blocks) return record_then_run(*recorder, c, real, place, passed);
    else return run_then_record(*recorder, c, real, place, passed);
  }

 private:
  template <class... Arguments>
  static int record_then_run(Recorder& recorder, Context& c, int (*real)(Arguments...), Place place,
                             std::tuple<Arguments...>& passed) {
    read_arguments(c, place, passed);
    record_failed(c, recorder);
    c.task.lane->begin(c.event, recorder.time(ticks()));
    if constexpr (action == Action::Abort) recorder.aborting(std::get<1>(passed));
    const int result = std::apply(real, passed);
    read_results(c, result, passed);
    c.task.lane->finish(c.event, recorder.time(ticks()));
    if constexpr (action == Action::Finalize) recorder.finalized();
    return result;
  }

  template <class... Arguments>
  static int run_then_record(Recorder& recorder, Context& c, int (*real)(Arguments...), Place place,
                             std::tuple<Arguments...>& passed) {
    if constexpr (when == When::Consumes) read_arguments(c, place, passed);
    c.task.lane->entered(call, place.pc);
    const std::uint64_t start = ticks();
    const int result = std::apply(real, passed);
    const std::uint64_t end = ticks();
    if constexpr (when != When::Consumes) read_arguments(c, place, passed);
    read_results(c, result, passed);
    if constexpr (can_fail) {
      if (result == MPI_SUCCESS && repeats_failure(c)) {
        c.task.lane->left();
        return result;
      }
    }
    record_failed(c, recorder);
    c.task.lane->append(c.event, recorder.time(start), recorder.time(end));
    if constexpr (can_fail) remember_failure(c, result);
    return result;
  }

  // The first call of all: there is no record yet to put it on.
  template <class... Arguments>
  static int run_first(int (*real)(Arguments...), Place place, Arguments... arguments) {
    Inside inside;
    before_first_call();
    const std::uint64_t start = ticks();
    const int result = real(arguments...);
    if (result != MPI_SUCCESS) return result;
    const void* session = nullptr;
    if constexpr (action == Action::SessionInit) session = std::get<2>(std::tuple(arguments...));
    Recorder* recorder = start_recording(session, start);
    Task* task = recorder != nullptr ? recorder->task() : nullptr;
    if (task == nullptr) return result;
    const std::uint64_t end = ticks();
    Context c(*task, call);
    std::tuple<Arguments...> passed{arguments...};
    read_arguments(c, place, passed);
    read_results(c, result, passed);
    task->lane->append(c.event, recorder->time(start), recorder->time(end));
    return result;
  }

  template <class Arguments>
  static void read_arguments(Context& c, Place place, const Arguments& arguments) {
    c.event.site = c.task.sites.find(place.pc, place.frame);
    std::apply([&](auto... argument) { (Roles::before(c, argument), ...); }, arguments);
    FieldSet& fields = c.event.fields;
    if constexpr (has<roles::Dest>) fields.set(Field::to, c.comm->peer(c.to));
    if constexpr (has<roles::Source>) fields.set(Field::from, c.comm->peer(c.from));
    if constexpr (has<roles::Root>) fields.set(Field::root, c.comm->peer(c.root));
    if constexpr (has<roles::Target>) fields.set(Field::target, c.win->peer(c.target_rank));
    if constexpr (takes_requests(action)) take_requests(c);
    if constexpr (names_requests(action)) {
      for (int i = 0; i < c.request_count; ++i) {
        const RequestRecord* record = Objects::get().find_request(c.requests[i], &c.requests[i]);
        c.event.requests.push_back(record != nullptr ? record->id : RequestId(0));
      }
    }
    if constexpr (action != Action::Pack && action != Action::Unpack) add_buffers(c, action);
  }

  template <class Arguments>
  static void read_results(Context& c, int result, const Arguments& arguments) {
    c.event.result = result;
    if constexpr (takes_requests(action)) {
      complete_requests(c, action, result);
      return;
    }
    if (result != MPI_SUCCESS) return;
    std::apply([&](auto... argument) { (Roles::after(c, argument), ...); }, arguments);
    if constexpr (has<roles::StatusOut> && receives_status(action)) {
      if (c.flag == nullptr || *c.flag != 0) set_matched(c, *c.status);
    }
    if constexpr (action == Action::Pack || action == Action::Unpack) add_pack_buffer(c, action);
  }

  static bool failed(const Context& c) {
    if constexpr (has<roles::FlagOut>) return *c.flag == 0;
    else return *c.out_count == 0;
  }
  static bool repeats_failure(const Context& c) {
    Scratch& scratch = t_scratch;
    if (!failed(c) || scratch.failed_times == 0 || scratch.failed_call != call || scratch.failed_site != c.event.site)
      return false;
    ++scratch.failed_times;
    return true;
  }
  static void remember_failure(const Context& c, int result) {
    if (result != MPI_SUCCESS || !failed(c)) return;
    t_scratch.failed_call = call;
    t_scratch.failed_site = c.event.site;
    t_scratch.failed_times = 1;
  }
  static void record_failed(Context& c, Recorder& recorder) {
    if (t_scratch.failed_times != 0) [[unlikely]]
      record_failed_tests(c, recorder);
  }
};

}  // namespace photofinish::mpi

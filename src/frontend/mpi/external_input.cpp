// What the program asks its system, and MPI_Wtime: into the journal, or out of it. What MPI asks is
// its own affair.
//
// Programs set their random numbers going before they call MPI_Init, when there is no journal yet:
// such answers are kept for its first entry, and a replayed rank reads them there. Only those of
// the first thread: Open MPI's own threads look at clocks inside of MPI_Init, while it changes the
// environment.
#include "runtime/external_input.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "frontend/mpi/entry_points.h"
#include "frontend/mpi/table/mpi_call.h"
#include "frontend/threads/runtime_code.h"
#include "record/start_info.h"
#include "runtime/turns.h"

namespace photofinish::mpi {
namespace {

constexpr std::size_t kMostEarly = 1 << 16;
void* const g_first_thread = __builtin_thread_pointer();
bool g_in_early = false;  // reading what was kept asks for a clock or two itself

std::vector<EarlyAnswer>& early() {
  static auto* answers = new std::vector<EarlyAnswer>;
  return *answers;
}

bool ask_early(ExternalInput what, std::int64_t (*ask)(void*, std::size_t), void* data,
               std::size_t bytes, std::int64_t* result) {
  if (__builtin_thread_pointer() != g_first_thread || g_in_early || early().size() >= kMostEarly ||
      std::getenv("PHOTOFINISH_ACTIVE") == nullptr)
    return false;
  g_in_early = true;
  bool answered = true;
  if (const char* directory = std::getenv("PHOTOFINISH_REPLAY")) {
    static const auto start =
        read_start(directory, WorldRank(std::atoi(std::getenv("PHOTOFINISH_REPLAY_RANK"))));
    static std::size_t next = 0;
    answered = start && next < start->early.size() &&
               start->early[next].what == static_cast<std::uint32_t>(what) &&
               start->early[next].data.size() == bytes;
    if (answered) {
      *result = start->early[next].result;
      std::memcpy(data, start->early[next++].data.data(), bytes);
    }
  } else {
    *result = ask(data, bytes);
    early().push_back({static_cast<std::uint32_t>(what), *result,
                       std::string(static_cast<const char*>(data), bytes)});
  }
  g_in_early = false;
  return answered;
}

// Threads of the program have journals, whether they call MPI or not.
Task* task_with_journal(Recorder& recorder) {
  return Turns::active() && Turns::self() != ThreadName{} ? task_of(recorder)
                                                          : Recorder::known_task();
}

bool ask_external_input(ExternalInput what, std::int64_t (*ask)(void*, std::size_t), void* data,
                        std::size_t bytes, std::int64_t* result) {
  if (t_inside != 0 || t_journal != nullptr) return false;
  Journaling* journaling = Journaling::get();
  if (journaling == nullptr) return !has_started() && ask_early(what, ask, data, bytes, result);
  Recorder* recorder = Recorder::get();
  Task* task = recorder != nullptr ? task_with_journal(*recorder) : nullptr;
  if (task == nullptr) return false;
  bool answered = false;
  std::optional<Entry> entry;
  if (!guarded([&] {
        entry.emplace(*journaling, *task);
        journaling->ask(*task, static_cast<std::uint32_t>(what), SiteId(0));
        if (!journaling->replays()) *result = ask(data, bytes);
        answered = !journaling->replays();
        entry->journal()(*result);
        entry->journal().bytes(data, bytes);
        entry->close();
        answered = true;
      }) &&
      entry)
    entry->give_up();
  return answered;
}

// That the program looks at the clock is on record once for each place, or now and then where
// several share a slot.
void note_clock(CallSite call_site) {
  thread_local std::uint64_t t_noted[64];
  std::uint64_t& noted = t_noted[call_site.pc / 4 % 64];
  if (noted == call_site.pc) [[likely]]
    return;
  Recorder* recorder = Recorder::get();
  Task* task = recorder != nullptr ? recorder->known_task() : nullptr;
  if (task == nullptr || is_inside(call_site) || Steering::get() != nullptr) return;
  noted = call_site.pc;
  Inside inside(call_site);
  Context c(*task, MpiCall::MPI_Wtime);
  locate(c, call_site);
  const std::uint64_t now = ticks();
  append_event(c, *recorder, now, now);
}

double time_of(ExternalInput what, double (*real)()) {
  double now = 0;
  std::int64_t result = 0;
  thread_local double (*t_real)();
  t_real = real;
  const auto ask = [](void* data, std::size_t) -> std::int64_t {
    *static_cast<double*>(data) = t_real();
    return 0;
  };
  return ask_external_input(what, ask, &now, sizeof now, &result) ? now : real();
}

double wtime(double (*real)(), CallSite call_site) {
  if (Journaling::get() != nullptr) return time_of(ExternalInput::Wtime, real);
  guarded([&] { note_clock(call_site); });
  return real();
}

}  // namespace

std::vector<EarlyAnswer> take_early_answers() { return std::move(early()); }

extern "C" [[gnu::visibility("default")]] double MPI_Wtime() {
  return wtime(REAL(MPI_Wtime), CALL_SITE);
}
extern "C" [[gnu::visibility("default")]] double PMPI_Wtime() {
  return wtime(REAL(PMPI_Wtime), CALL_SITE);
}

// The runtime reads a clock for the program, and others for itself.
extern "C" [[gnu::visibility("default")]] double omp_get_wtime() {
  static auto* const real = reinterpret_cast<double (*)()>(dlsym(RTLD_NEXT, "omp_get_wtime"));
  return Turns::names_threads() ? time_of(ExternalInput::OpenMpTime, real) : real();
}

extern "C" [[gnu::visibility("default")]] bool photofinish_external_input(
    const void* caller, ExternalInput what, std::int64_t (*ask)(void*, std::size_t), void* data,
    std::size_t bytes, std::int64_t* result) {
  bool answered = false;
  guarded([&] {
    answered = !is_runtime(caller) && ask_external_input(what, ask, data, bytes, result);
  });
  return answered;
}

extern "C" [[gnu::visibility("default")]] bool photofinish_is_runtime(const void* code) {
  return is_runtime(code);
}

extern "C" [[gnu::visibility("default")]] bool photofinish_is_program() {
  return t_inside == 0 && t_journal == nullptr && !t_in_hook && !g_in_early;
}

}  // namespace photofinish::mpi

// Calls that query communicators and groups. A recorded rank stores their results in the journal, a
// replayed rank returns the recorded results. In other runs the calls are passed on.
#include <cstring>
#include <optional>

#include "frontend/mpi/entry_points.h"

namespace photofinish::mpi {
namespace {

// Numbers of the queries in a journal. They follow those of start_info.h and of the clocks
// (runtime/external_input.h).
enum class Query : std::uint32_t {
  kBefore = kOtherQueries + 255,
#define QUERY(name, ...) name,
#include "frontend/mpi/table/queries.def"
};

// Roles of arguments (frontend/mpi/table/queries.def). Each stores its result in the journal, or
// sets it from there.
struct Lengths {
  int length = 0, other = 0;
};

struct Given {
  template <class T>
  static void exchange(Journal&, Lengths&, T) {}
};
struct Int {
  static void exchange(Journal& journal, Lengths&, int* value) { journal(*value); }
};
struct Length {
  static void exchange(Journal&, Lengths& lengths, int length) { lengths.length = length; }
};
struct OtherLength {
  static void exchange(Journal&, Lengths& lengths, int length) { lengths.other = length; }
};
struct Ints {
  static void exchange(Journal& journal, Lengths& lengths, int* values) {
    for (int i = 0; i < lengths.length; ++i) journal(values[i]);
  }
};
struct OtherInts {
  static void exchange(Journal& journal, Lengths& lengths, int* values) {
    for (int i = 0; i < lengths.other; ++i) journal(values[i]);
  }
};
// MPI_UNWEIGHTED is an address that must not be written to. In MPICH it is the value of a library
// variable. The journal stores whether the argument is an array.
struct Weights {
  static void exchange(Journal& journal, Lengths& lengths, int* weights) {
    bool wanted = !journal.replays() && is_array(weights);
    journal(wanted);
    if (wanted) Ints::exchange(journal, lengths, weights);
  }
  static bool is_array(const int* weights) {
#if defined(OPEN_MPI)
    return weights != MPI_UNWEIGHTED && weights != nullptr;
#else
    return weights != nullptr &&
           weights != *static_cast<int* const*>(find_real(SymbolKind::Variable, "MPI_UNWEIGHTED"));
#endif
  }
};
struct OtherWeights {
  static void exchange(Journal& journal, Lengths& lengths, int* weights) {
    Lengths other{.length = lengths.other};
    Weights::exchange(journal, other, weights);
  }
};
struct Text {
  static void exchange(Journal& journal, Lengths&, char* text) {
    std::string copy = journal.replays() ? "" : text;
    journal(copy);
    if (journal.replays()) std::strcpy(text, copy.c_str());
  }
};

template <Query query, class... Roles>
struct Asker {
  template <class... Arguments>
  static int run(int (*real)(Arguments...), CallSite call_site, Arguments... arguments) {
    Journaling* journaling = Journaling::get();
    if (journaling == nullptr || is_inside(call_site)) [[likely]]
      return real(arguments...);
    Recorder* recorder = Recorder::get();
    Task* task = recorder != nullptr ? task_of(*recorder) : nullptr;
    if (task == nullptr || t_journal != nullptr) return real(arguments...);
    std::optional<Entry> entry;
    if (!guarded([&] {
          Context::scratch_of(*task).calls_mpi = true;
          entry.emplace(*journaling, *task);
          journaling->ask(*task, static_cast<std::uint32_t>(query), SiteId(0));
        })) {
      if (entry) entry->give_up();
      return real(arguments...);
    }
    int result = MPI_SUCCESS;
    if (!journaling->replays()) result = real(arguments...);
    if (!guarded([&] {
          Journal& journal = entry->journal();
          journal(result);
          Lengths lengths;
          if (result == MPI_SUCCESS) (Roles::exchange(journal, lengths, arguments), ...);
          entry->close();
        }))
      entry->give_up();
    return result;
  }
};

}  // namespace

#define ENTRY(symbol, name, ...)                                                               \
  extern "C" [[gnu::visibility("default")]] int symbol(PARAMETERS_OF(::symbol, __VA_ARGS__)) { \
    const CallSite call_site = CALL_SITE;                                                      \
    return Asker<Query::name, __VA_ARGS__>::run(REAL(symbol),                                  \
                                                call_site ARGUMENTS_OF(__VA_ARGS__));          \
  }
#define QUERY(name, ...)         \
  ENTRY(name, name, __VA_ARGS__) \
  ENTRY(P##name, name, __VA_ARGS__)
#include "frontend/mpi/table/queries.def"

}  // namespace photofinish::mpi

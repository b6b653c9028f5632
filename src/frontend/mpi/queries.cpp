// Calls that query communicators, groups and windows. A recorded rank stores their results in the
// journal, a replayed rank returns the recorded results. In other runs the calls are passed on.
//
// A predefined attribute (MPI_WIN_BASE, MPI_TAG_UB) is recorded, because the stand-in of a replayed
// rank has another value. Attributes that the program sets are set on the stand-in.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <set>

#include "frontend/mpi/entry_points.h"
#include "frontend/mpi/fortran.h"

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
// sets it from there. Lengths passes what later arguments need of earlier ones.
struct Lengths {
  int length = 0, other = 0;
  int key = 0;
  void* variable = nullptr;
  void (*exchange_value)(Journal&, int key, void* variable, bool found) = nullptr;
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

// In MPICH a predefined key of Fortran is the one of C plus 1; in Open MPI they are equal.
bool is_key(int key, std::initializer_list<int> predefined) {
#if defined(OPEN_MPI)
  constexpr int kOfFortran = 0;
#else
  constexpr int kOfFortran = 1;
#endif
  return std::any_of(predefined.begin(), predefined.end(),
                     [&](int one) { return key == one || key == one + kOfFortran; });
}
struct CommKey {
  static bool is_asked(int key) {
    return is_key(key, {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE,
                        MPI_LASTUSEDCODE, MPI_APPNUM});
  }
  static void exchange(Journal&, Lengths& lengths, int key) { lengths.key = key; }
};
struct WinKey : CommKey {
  static bool is_asked(int key) {
    return is_key(
        key, {MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL});
  }
};

// Where a program may read it as long as it runs, as an int or an MPI_Aint.
void* lasting(std::int64_t value) {
  static std::mutex mutex;
  static auto* const values = new std::set<std::int64_t>;
  const std::lock_guard lock(mutex);
  return const_cast<std::int64_t*>(&*values->insert(value).first);
}

// In C: a pointer to the value, except for MPI_WIN_BASE, whose value is the pointer.
struct Attribute {
  static void exchange(Journal&, Lengths& lengths, void* variable) {
    lengths.variable = variable;
    lengths.exchange_value = exchange_value;
  }
  static void exchange_value(Journal& journal, int key, void* variable, bool found) {
    if (!found) return;
    void*& pointer = *static_cast<void**>(variable);
    std::int64_t value = 0;
    if (!journal.replays())
      value = key == MPI_WIN_BASE   ? reinterpret_cast<std::int64_t>(pointer)
              : key == MPI_WIN_SIZE ? *static_cast<MPI_Aint*>(pointer)
                                    : *static_cast<int*>(pointer);
    journal(value);
    if (journal.replays())
      pointer = key == MPI_WIN_BASE ? reinterpret_cast<void*>(value) : lasting(value);
  }
};
// In Fortran: the value itself. MPICH sets it to 0 if there is none.
struct FortranAttribute {
  template <class Value>
  static void exchange(Journal&, Lengths& lengths, Value* variable) {
    lengths.variable = variable;
    lengths.exchange_value = [](Journal& journal, int, void* value, bool) {
      journal(*static_cast<Value*>(value));
    };
  }
};
struct AttributeFlag {
  static void exchange(Journal& journal, Lengths& lengths, int* flag) {
    journal(*flag);
    lengths.exchange_value(journal, lengths.key, lengths.variable, *flag != 0);
  }
};

// Whether the journal has such an answer: not to questions about what the program itself said.
template <class Role, class Argument>
bool is_asked(Argument argument) {
  if constexpr (requires { Role::is_asked(argument); })
    return Role::is_asked(argument);
  else
    return true;
}

template <Query query, class... Roles>
struct Asker {
  template <class Real, class... Arguments>
  static int run(Real real, CallSite call_site, Arguments... arguments) {
    Journaling* journaling = Journaling::get();
    if (journaling == nullptr || is_inside(call_site) || !(is_asked<Roles>(arguments) && ...))
        [[likely]]
      return real(arguments...);
    Recorder* recorder = Recorder::get();
    Task* task = recorder != nullptr ? task_of(*recorder) : nullptr;
    if (task == nullptr || t_journal != nullptr) return real(arguments...);
    std::optional<Entry> entry;
    if (!guarded([&] {
          TaskState::of(*task).makes_calls = true;
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

namespace {

// Fortran bindings ask the library without its functions of C.
template <Query query, class Key, class Value>
void ask_fortran(std::atomic<void*>& known, const char* name, CallSite call_site,
                 const MPI_Fint* object, const MPI_Fint* key, Value* value, MPI_Fint* flag,
                 MPI_Fint* error) {
  using Function = void (*)(const MPI_Fint*, const MPI_Fint*, Value*, MPI_Fint*, MPI_Fint*);
  const auto real = [&](const MPI_Fint*, int, Value*, MPI_Fint*) {
    const auto function = reinterpret_cast<Function>(real_fortran(known, name));
    MPI_Fint code = MPI_SUCCESS;
    function(object, key, value, flag, &code);
    return code;
  };
  const int result = Asker<query, Given, Key, FortranAttribute, AttributeFlag>::run(
      real, call_site, object, *key, value, flag);
  if (error != nullptr) *error = result;  // optional in mpi_f08
}

}  // namespace

#define FORTRAN_SYMBOL(symbol, query, key, type)                                                  \
  extern "C" [[gnu::visibility("default")]] void symbol(const MPI_Fint* object,                   \
                                                        const MPI_Fint* keyval, type* value,      \
                                                        MPI_Fint* flag, MPI_Fint* error) {        \
    static constinit std::atomic<void*> real{nullptr};                                            \
    ask_fortran<Query::query, key>(real, #symbol, CALL_SITE, object, keyval, value, flag, error); \
  }
// The module mpi_f08 of Open MPI calls pmpi_…_; that of MPICH has a function of its own.
#define FORTRAN_QUERY(name, query, key, type)     \
  FORTRAN_SYMBOL(mpi_##name##_, query, key, type) \
  FORTRAN_SYMBOL(pmpi_##name##_, query, key, type)
FORTRAN_QUERY(win_get_attr, MPI_Win_get_attr, WinKey, MPI_Aint)
FORTRAN_QUERY(comm_get_attr, MPI_Comm_get_attr, CommKey, MPI_Aint)
FORTRAN_QUERY(attr_get, MPI_Attr_get, CommKey, MPI_Fint)
#if !defined(OPEN_MPI)
FORTRAN_SYMBOL(mpi_win_get_attr_f08_, MPI_Win_get_attr, WinKey, MPI_Aint)
FORTRAN_SYMBOL(mpi_comm_get_attr_f08_, MPI_Comm_get_attr, CommKey, MPI_Aint)
#endif

}  // namespace photofinish::mpi

// Calls that create no event: which PE this is, what the library can do, what is accessible. A
// replayed PE has no OpenSHMEM library to ask: its number and the number of PEs are those of the
// record, other results come from its journal.
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

bool replays() {
  const Journaling* const journaling = Journaling::get();
  return journaling != nullptr && journaling->replays();
}

// Numbers of the queries in a journal. They follow those of MPI (frontend/mpi/queries.cpp).
enum class Query : std::uint32_t {
  kBefore = kOtherQueries + 1023,
  PeAccessible,
  AddressAccessible,
  Version,
  Name,
  ThreadLevel,
  TeamPe,
  TeamSize,
  TranslatePe,
};

// `made` calls the library; `exchange` passes what it returned to the journal, or sets it from
// there.
template <class Made, class Exchange>
void ask(Query query, CallSite call_site, Made made, Exchange exchange) {
  Journaling* const journaling = Journaling::get();
  Recorder* const recorder = Recorder::get();
  if (journaling == nullptr || recorder == nullptr || mpi::is_inside(call_site) ||
      t_journal != nullptr)
    return made();
  Task* const task = mpi::task_of(*recorder);
  if (task == nullptr) return made();
  std::optional<Entry> entry;
  if (!guarded([&] {
        entry.emplace(*journaling, *task);
        journaling->ask(*task, static_cast<std::uint32_t>(query), SiteId(0));
      })) {
    if (entry) entry->give_up();
    return made();
  }
  if (!journaling->replays()) made();
  if (!guarded([&] {
        exchange(entry->journal());
        entry->close();
      }))
    entry->give_up();
}

template <class Made>
int ask_number(Query query, CallSite call_site, Made made) {
  int result = 0;
  ask(query, call_site, [&] { result = made(); }, [&](Journal& journal) { journal(result); });
  return result;
}

}  // namespace

#define OWN_PE(symbol) \
  SHMEM_ENTRY int symbol() { return replays() ? own_pe() : SHMEM_REAL(symbol)(); }
#define PE_COUNT(symbol) \
  SHMEM_ENTRY int symbol() { return replays() ? pe_count() : SHMEM_REAL(symbol)(); }
OWN_PE(shmem_my_pe)
OWN_PE(_my_pe)
PE_COUNT(shmem_n_pes)
PE_COUNT(_num_pes)
#undef OWN_PE
#undef PE_COUNT

SHMEM_ENTRY int shmem_pe_accessible(int pe) {
  return ask_number(Query::PeAccessible, CALL_SITE,
                    [&] { return SHMEM_REAL(shmem_pe_accessible)(pe); });
}

SHMEM_ENTRY int shmem_addr_accessible(const void* address, int pe) {
  return ask_number(Query::AddressAccessible, CALL_SITE,
                    [&] { return SHMEM_REAL(shmem_addr_accessible)(address, pe); });
}

SHMEM_ENTRY void shmem_info_get_version(int* major, int* minor) {
  ask(
      Query::Version, CALL_SITE, [&] { SHMEM_REAL(shmem_info_get_version)(major, minor); },
      [&](Journal& journal) { journal(*major, *minor); });
}

SHMEM_ENTRY void shmem_info_get_name(char* name) {
  ask(
      Query::Name, CALL_SITE, [&] { SHMEM_REAL(shmem_info_get_name)(name); },
      [&](Journal& journal) {
        std::string copy = journal.replays() ? "" : name;
        journal(copy);
        if (journal.replays()) std::strcpy(name, copy.c_str());
      });
}

SHMEM_ENTRY void shmem_query_thread(int* provided) {
  ask(
      Query::ThreadLevel, CALL_SITE, [&] { SHMEM_REAL(shmem_query_thread)(provided); },
      [&](Journal& journal) { journal(*provided); });
}

SHMEM_ENTRY int shmem_team_my_pe(Team team) {
  return ask_number(Query::TeamPe, CALL_SITE, [&] { return SHMEM_REAL(shmem_team_my_pe)(team); });
}

SHMEM_ENTRY int shmem_team_n_pes(Team team) {
  return ask_number(Query::TeamSize, CALL_SITE, [&] { return SHMEM_REAL(shmem_team_n_pes)(team); });
}

SHMEM_ENTRY int shmem_team_translate_pe(Team from, int pe, Team to) {
  return ask_number(Query::TranslatePe, CALL_SITE,
                    [&] { return SHMEM_REAL(shmem_team_translate_pe)(from, pe, to); });
}

// Deprecated, without effect on machines with coherent caches.
#define CACHE_CALL(symbol, parameters, arguments) \
  SHMEM_ENTRY void symbol parameters {            \
    if (!replays()) SHMEM_REAL(symbol) arguments; \
  }
CACHE_CALL(shmem_set_cache_inv, (), ())
CACHE_CALL(shmem_clear_cache_inv, (), ())
CACHE_CALL(shmem_set_cache_line_inv, (void* target), (target))
CACHE_CALL(shmem_clear_cache_line_inv, (void* target), (target))
#undef CACHE_CALL

}  // namespace photofinish::shmem

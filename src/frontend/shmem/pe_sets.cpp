#include "frontend/shmem/pe_sets.h"

#include <dlfcn.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/mpi/objects.h"
#include "replay/facts.h"
#include "runtime/recorder.h"

namespace photofinish::shmem {
namespace {

// Functions of OpenSHMEM 1.5 that tell the members of a team.
template <class Function>
Function* library_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

Team world_team() {
  for (const char* const name : {"oshmem_team_world", "SHMEM_TEAM_WORLD"})
    if (void* const variable = dlsym(RTLD_DEFAULT, name)) return *static_cast<Team*>(variable);
  return nullptr;
}

std::vector<WorldRank> members_of(Team team) {
  static const auto size_of = library_function<int(Team)>("shmem_team_n_pes");
  static const auto translate = library_function<int(Team, int, Team)>("shmem_team_translate_pe");
  std::vector<WorldRank> members;
  if (size_of == nullptr || translate == nullptr || team == nullptr) return members;
  const Team world = world_team();
  const int size = facts_are_given() ? 0 : size_of(team);
  for (int i = 0; i < size; ++i) members.push_back(WorldRank(translate(team, i, world)));
  keep_facts(members);
  return members;
}

struct Teams {
  std::mutex mutex;
  std::unordered_map<Team, CommId> sets;
  // How many teams were made of a parent: all its members count alike.
  std::unordered_map<Team, std::uint64_t> children;
  std::unordered_map<Team, std::uint64_t> salts;
};
Teams& teams() {
  static auto* const all = new Teams;
  return *all;
}

constexpr std::uint64_t kActiveSet = 1, kWorldTeam = 2, kFirstTeam = 16;

}  // namespace

int pe_count() {
  Recorder* const recorder = Recorder::get();
  return recorder != nullptr ? recorder->writer().known().rank.world_size : 0;
}

int own_pe() {
  Recorder* const recorder = Recorder::get();
  return recorder != nullptr ? recorder->writer().known().rank.rank.value : 0;
}

CommId all_pes() { return active_set(0, 0, pe_count()); }

CommId active_set(int first, int log_stride, int count) {
  std::vector<WorldRank> members;
  const int stride = log_stride >= 0 && log_stride < 31 ? 1 << log_stride : 0;
  for (int i = 0; i < count; ++i) members.push_back(WorldRank(first + i * stride));
  return mpi::Objects::get().rank_set(members, kActiveSet,
                                      count == pe_count() ? "all PEs" : "active set");
}

CommId team_set(Team team) {
  Teams& all = teams();
  std::lock_guard lock(all.mutex);
  const auto [entry, fresh] = all.sets.try_emplace(team);
  if (fresh) entry->second = mpi::Objects::get().rank_set(members_of(team), kWorldTeam, "team");
  return entry->second;
}

CommId new_team(Team team, Team parent) {
  Teams& all = teams();
  std::lock_guard lock(all.mutex);
  const std::uint64_t number = ++all.children[parent];
  if (team == nullptr) return CommId(0);
  // The n-th child of the parent, on all members of both.
  const std::uint64_t salt =
      (all.salts.contains(parent) ? all.salts[parent] : kFirstTeam) * 1'000'003 + number;
  all.salts[team] = salt;
  return all.sets[team] = mpi::Objects::get().rank_set(members_of(team), salt, "team");
}

void forget_team(Team team) {
  Teams& all = teams();
  std::lock_guard lock(all.mutex);
  all.sets.erase(team);
  all.children.erase(team);
  all.salts.erase(team);
}

}  // namespace photofinish::shmem

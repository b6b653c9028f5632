// The symmetric regions, contexts and teams of one PE.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "effects/timeline.h"
#include "frontend/shmem/meaning/memory_model.h"
#include "model/event.h"

namespace photofinish::shmem_meaning {

// The operations of a context on each region. A fence begins the next stage of delivery.
struct Context {
  Delivery delivery{.lane = 0, .stage = 1};
  std::map<WinId, Region*> regions;
};

// The PEs of a collective call.
struct Team {
  Uid uid;
  std::vector<WorldRank> ranks;
  std::size_t position = 0;  // of this PE
  bool whole_world = false;
  bool is_world = false;  // the call has no team: it is of all PEs
  std::uint64_t collectives = 0;
  std::uint64_t calls = 0;  // that the message analysis knows
};

class Objects {
 public:
  explicit Objects(Timeline& effects) : effects_(effects) {}

  // Exposes the regions that were defined since the last call.
  void follow_definitions();
  void add_segments(const Event& event);  // memory of another PE, from shmem_ptr
  // The region that contains the address; null if it is not symmetric.
  const WinDefinition* containing(std::uint64_t address) const;
  const WinDefinition* region(WinId id) const;
  const WinDefinition* region_of(const Event& event, Field field = Field::win) const;

  Context& context(std::uint32_t number);
  Context& context_of(const Event& event) { return context(context_number(event)); }
  template <class Visit>
  void each_context(Visit visit) {
    for (auto& [number, context] : contexts_) visit(context);
  }
  Region& region(Context& context, const WinDefinition& definition);
  void destroy(const Event& event);  // its context

  Team& team(const Event& event);

 private:
  static std::uint32_t context_number(const Event& event) {
    return static_cast<std::uint32_t>(
        event.fields.has(Field::context) ? event.fields[Field::context] : 0);
  }

  Timeline& effects_;
  std::size_t definitions_ = 0;  // windows seen so far
  std::set<WinId> known_;
  std::unordered_map<std::uint32_t, Context> contexts_;
  std::map<WinId, std::vector<Region*>> unused_;  // of destroyed contexts
  std::map<CommId, Team> teams_;
};

}  // namespace photofinish::shmem_meaning

// What coarray programs do: translates the events of an image to effects
// (docs/internals/coarrays.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "effects/meaning.h"
#include "frontend/caf/table/caf_call.h"

namespace photofinish {

std::unique_ptr<Meaning> caf_meaning_of(Timeline& effects);

namespace caf_meaning {

class CafMeaning final : public Meaning {
 public:
  explicit CafMeaning(Timeline& effects) : Meaning(effects) {}

  void add(const Event& event, const Times& times) override;
  Concern concern(const Event& event) const override;
  Ending ending(const Event& event) const override;

 private:
  // The images of a team, by world rank.
  struct Team {
    std::uint64_t uid = 0;
    std::vector<WorldRank> images;
    bool is_initial = true;  // or has the same images
  };

  void unreturned(const Event& event);

  // --- coarrays (operations.cpp)
  // Exposes the regions that were defined since the last call.
  void follow_definitions();
  const WinDefinition* region_of(const Event& event) const;
  Region& region(const WinDefinition& definition);
  void operation(const Event& event);
  void set_value(Pending& added, const Event& event, const Buffer& buffer) const;
  void expose_component(const Event& event);
  void withdraw(const Event& event);

  // --- synchronization (synchronization.cpp)
  const Team& team_of(const Event& event);
  void barrier(const Event& event);
  void sync_images(const Event& event);
  void collective(const Event& event);
  void synchronize_collective(const Event& event);
  void lock(const Event& event, bool acquires);
  void event_variable(const Event& event, bool posts);
  void report_steps(const Event& event);

  std::size_t definitions_ = 0;  // windows seen so far
  std::set<WinId> known_;
  std::map<WinId, Region*> regions_;
  std::unordered_map<std::int64_t, Team> teams_;            // by communicator
  std::unordered_map<std::uint64_t, std::uint64_t> calls_;  // by team: barriers and collectives
  std::unordered_map<std::uint64_t, std::uint64_t>
      steps_;                                 // by team: what the message analysis knows
  std::map<WorldRank, std::uint64_t> syncs_;  // sync images with each other image
  // By lock variable: its turn. By event variable: the last unit whose post precedes what this
  // image does.
  std::unordered_map<std::uint64_t, std::int64_t> turns_, acquired_;
};

}  // namespace caf_meaning
}  // namespace photofinish

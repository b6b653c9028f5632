// What UPC programs do with shared memory: translates the events of a thread to effects
// (docs/internals/upc.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "effects/meaning.h"
#include "frontend/upc/table/upc_call.h"

namespace photofinish {

std::unique_ptr<Meaning> upc_meaning_of(Timeline& effects);

namespace upc_meaning {

class UpcMeaning final : public Meaning {
 public:
  explicit UpcMeaning(Timeline& effects) : Meaning(effects) {}

  void add(const Event& event, const Times& times) override;
  Concern concern(const Event& event) const override;
  Ending ending(const Event& event) const override;
  bool depends_on_others(const Event& event) const override;

 private:
  void unreturned(const Event& event);

  // --- shared memory (operations.cpp)
  // Exposes the regions that were defined since the last call.
  void follow_definitions();
  const WinDefinition* region_of(const Event& event) const;
  Region& region(const WinDefinition& definition);
  void operation(const Event& event);
  void set_value(Pending& added, const Event& event, const Buffer& buffer) const;
  void complete(const Event& event);

  // --- synchronization (synchronization.cpp)
  void synchronize_all(const Event& event);
  void barrier(const Event& event);
  void notify(const Event& event);
  void wait(const Event& event);
  std::uint64_t barrier_key() const;
  void report_steps(const Event& event, bool releases, bool acquires);
  void collective(const Event& event);
  void lock(const Event& event, bool acquires);
  void semaphore(const Event& event, bool posts);
  void allocate(const Event& event);
  void release(const Event& event);
  static std::uint64_t block_key(const Event& event, const WinDefinition& definition);

  struct Transfer {
    Region* region;
    WorldRank target;
    std::uint64_t operation;
  };
  std::unordered_map<std::int64_t, std::vector<Transfer>> pending_;  // by handle

  std::size_t definitions_ = 0;  // windows seen so far
  std::set<WinId> known_;
  std::map<WinId, Region*> regions_;
  std::uint64_t barriers_ = 0;     // of both forms
  std::uint64_t collectives_ = 0;  // with data
  std::uint64_t calls_ = 0;        // that the message analysis knows
  std::vector<WorldRank> all_;     // all threads
  // By semaphore: the last unit whose post precedes what this thread does.
  std::unordered_map<std::uint64_t, std::int64_t> acquired_;
};

}  // namespace upc_meaning
}  // namespace photofinish

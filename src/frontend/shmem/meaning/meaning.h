// What OpenSHMEM calls mean: translates the events of a PE to effects
// (docs/internals/openshmem.md). It does not include shmem.h.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "effects/meaning.h"
#include "frontend/shmem/meaning/completion.h"
#include "frontend/shmem/meaning/objects.h"

namespace photofinish {

std::unique_ptr<Meaning> shmem_meaning_of(Timeline& effects);

namespace shmem_meaning {

// How a collective call orders the PEs of its team.
struct Flow {
  bool releases = false, acquires = false;  // the calling PE
  bool everyone = false;                    // each PE, before each other one
};

class ShmemMeaning final : public Meaning {
 public:
  explicit ShmemMeaning(Timeline& effects) : Meaning(effects), objects_(effects) {}

  void add(const Event& event, const Times& times) override;
  Concern concern(const Event& event) const override;
  Ending ending(const Event& event) const override;
  bool depends_on_others(const Event& event) const override;

 private:
  void unreturned(const Event& event);

  // --- operations (operations.cpp)
  void operation(const Event& event, Action action);
  void set_value(Pending& added, const Event& event, ReduceOp op, const Buffer& buffer) const;
  std::uint8_t element_bytes(const Buffer& buffer) const;
  ReduceOp op_of(const Event& event) const;
  void wait_until(const Event& event);
  void complete(const Event& event, Action action);
  void complete(Context& context, const Event& event, At at);

  // --- synchronization (synchronization.cpp)
  void collective(const Event& event, Action action);
  void synchronize_all(const Event& event);
  void report_steps(const Event& event, Action action, Team& team, const Flow& flow);
  void report_unreturned(const Event& event, Action action);
  void update_work_arrays(const Event& event, const Team& team, const std::vector<Buffer>& arrays);
  void lock(const Event& event, Action action);
  void allocate(const Event& event, Action action);
  void start(const Event& event);

  Objects objects_;
};

}  // namespace shmem_meaning
}  // namespace photofinish

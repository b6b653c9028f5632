// The meaning of MPI calls: translates the events of a rank to effects. The online analysis and the
// analysis of recorded runs use the same class, so it does not include mpi.h.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "effects/meaning.h"
#include "frontend/mpi/meaning/collectives.h"
#include "frontend/mpi/meaning/comms.h"
#include "frontend/mpi/meaning/matching.h"
#include "frontend/mpi/meaning/one_sided.h"
#include "frontend/mpi/meaning/partitions.h"
#include "frontend/mpi/meaning/state.h"
#include "frontend/mpi/meaning/steps.h"
#include "frontend/mpi/meaning/timing_notes.h"

namespace photofinish {

std::unique_ptr<Meaning> mpi_meaning_of(Timeline& effects);

namespace mpi_meaning {

class MpiMeaning final : public Meaning {
 public:
  explicit MpiMeaning(Timeline& effects)
      : Meaning(effects),
        steps_(effects),
        comms_(effects),
        matching_(effects, steps_, comms_, requests_),
        partitions_(effects, steps_),
        collectives_(effects, steps_, comms_, requests_),
        one_sided_(effects, steps_, comms_, requests_) {}

  void add(const Event& event, const Times& times) override;

  void each_pending(const std::function<void(Access&)>& visit) override;
  bool is_idle() const override {
    return requests_.empty() && split_files_.empty() && freed_.empty();
  }
  std::size_t outstanding() const override { return requests_.size(); }
  std::size_t memory_bytes() const override;
  void guess_edges() override { matching_.guess_unsettled(); }

  Concern concern(const Event& event) const override;
  Ending ending(const Event& event) const override;
  void note(const Event& event) override;
  void add_notes(MessageFindings& findings) const override;
  void end_messages() override;

 private:
  void interpret(const Event& event);
  void point_to_point(const Event& event, Action action, When when);
  void start_persistent(const Event& event);
  void partition(const Event& event, Action action);
  void file(const Event& event, Action action, When when);
  void completion(const Event& event, Action action);
  void complete_those(const Event& event, Action action);
  void complete(Request& request, const Completion& completion, const Event& event);
  void acquire_all(Request& request);
  void close_freed();
  bool asks(const Event& event) const;
  void report_unreturned(const Event& event);

  MessageSteps steps_;
  Comms comms_;
  Requests requests_;
  std::unordered_map<RequestId, std::uint64_t> general_;      // generalized ones: their task keys
  std::unordered_map<std::int64_t, std::int64_t> allocated_;  // by MPI_Alloc_mem: addresses, sizes
  Matching matching_;
  Partitions partitions_;
  Collectives collectives_;
  OneSided one_sided_;
  std::unordered_map<std::int64_t, std::vector<Access>> split_files_;
  struct Freed {
    OpenAccesses accesses;
    SiteId by;
  };
  std::vector<Freed> freed_;  // buffers of sends and receives whose requests were freed
  TimingNotes timing_;
  TaskId task_;           // the task of the first call that concerns messages
  bool threads_ = false;  // another task has made such a call, too
};

}  // namespace mpi_meaning
}  // namespace photofinish

// Collectives: which ranks' data each rank receives, as edges or as a sync point.
//
// Rule: a collective orders two ranks if data must flow between them. It is a sync point if data
// flows from all ranks of the world to all.
#pragma once

#include "effects/timeline.h"
#include "frontend/mpi/meaning/comms.h"
#include "frontend/mpi/meaning/state.h"
#include "frontend/mpi/meaning/steps.h"

namespace photofinish::mpi_meaning {

class Collectives {
 public:
  Collectives(Timeline& effects, MessageSteps& steps, Comms& comms, Requests& requests)
      : effects_(effects), steps_(steps), comms_(comms), requests_(requests) {}

  void add(const Event& event, Action action, When when);
  // The start of a persistent collective.
  void start(Request& request, const Event& started, Action action);
  // The call did not return.
  void report_unreturned(const Event& event, Action action, When when, Comm& comm);

 private:
  Flow flow_of(const Event& event, Action action, Comm& comm);
  void flow_among_new_members(const Event& event, Flow& flow);
  void flow_among_neighbors(const Event& event, const Comm& comm, Flow& flow) const;
  std::vector<Acquired> report(const Event& event, Action action, When when, const Comm& comm,
                               const Flow& flow);
  void watch_for_windows(const Event& event, Action action, const Comm& comm, bool is_sync_point);

  Timeline& effects_;
  MessageSteps& steps_;
  Comms& comms_;
  Requests& requests_;
};

}  // namespace photofinish::mpi_meaning

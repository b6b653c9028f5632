// Determines the match of each receive.
//
// MPI messages do not overtake. Among messages of one source, communicator and tag, the k-th send
// matches the k-th receive, in posting order, that took such a message. Both ends count, and
// compute the same key.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "effects/timeline.h"
#include "frontend/mpi/meaning/comms.h"
#include "frontend/mpi/meaning/state.h"
#include "frontend/mpi/meaning/steps.h"

namespace photofinish::mpi_meaning {

class Matching {
 public:
  Matching(Timeline& effects, MessageSteps& steps, Comms& comms, Requests& requests)
      : effects_(effects),
        steps_(steps),
        comms_(comms),
        requests_(requests),
        rank_(effects.rank()) {}

  // Returns the operation number for the sink; 0: none.
  std::uint64_t send(const Event& event, Comm& comm, Request* request);
  bool receive_at_once(const Event& event, Comm& comm);
  std::shared_ptr<Posted> post_receive(const Event& event, Comm& comm, WorldRank from,
                                       std::int64_t tag);
  void received(Comm& comm, const std::shared_ptr<Posted>& posted, WorldRank from, std::int64_t tag,
                SiteId site);
  void withdraw(Comm& comm, const std::shared_ptr<Posted>& posted, SiteId site);
  void withdraw_send(Request& request, SiteId site);
  void probe(const Event& event, Action action, bool asked);
  void take_probed(const Event& event);  // the receive of a matched probe
  void guess_unsettled();

 private:
  void settle(Comm& comm, const Wanted& wanted);
  void arrived(Comm& comm, const Posted& posted);
  void report_sender(Comm& comm, Posted& posted);

  Timeline& effects_;
  MessageSteps& steps_;
  Comms& comms_;
  Requests& requests_;
  const WorldRank rank_;
  std::unordered_map<MessageId, std::uint64_t> probed_;  // message keys of matched probes
};

}  // namespace photofinish::mpi_meaning

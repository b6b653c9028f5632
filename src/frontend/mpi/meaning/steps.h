// Reports the message steps of a rank to the sink of its Timeline (docs/internals/message-races.md,
// "Mapping of MPI").
//
// Rule: a rank waits in a collective for the ranks that must call it before this rank can continue.
// The action alone determines these ranks. The collective orders ranks only if data flows.
// Communicators with processes of other worlds are ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "effects/timeline.h"
#include "frontend/mpi/meaning/state.h"

namespace photofinish::mpi_meaning {

class MessageSteps {
 public:
  explicit MessageSteps(Timeline& effects) : effects_(effects) {}

  bool wanted() const { return effects_.sink() != nullptr; }
  // Properties of the current event. `asked`: its call polls. `unreturned`: it did not return.
  bool asked = false;
  bool unreturned = false;

  MessageStep step(MessageStep::Kind kind, SiteId site) const;
  void report(MessageStep::Kind kind, std::uint64_t operation, SiteId site);

  // --- messages; each returns the number of the operation, 0: none
  std::uint64_t send(const Event& event, const Comm& comm, WorldRank to, MessageKey key,
                     bool at_once);
  std::uint64_t receive(const Comm& comm, WorldRank from, std::int64_t tag, SiteId site);
  void received(const Event& event, const Comm& comm, MessageKey key);  // a blocking receive
  void probe(const Event& event, Action action, const Comm& comm, Posted& posted);
  void complete(Posted& posted, SiteId site);
  void taken(const Comm& comm, const Posted& posted);
  void over(Request& request, SiteId site);
  // Reports the operation that the rank was waiting for when the run ended.
  void waits(const Request& request, SiteId site);

  // --- order without messages
  static std::shared_ptr<const std::vector<WorldRank>> one(WorldRank rank);
  void release(std::uint64_t key, std::size_t others, bool carries, SiteId site);
  void acquire(const Acquired& acquired, SiteId site);
  // All ranks of the communicator release, and continue when all have done so.
  void exchange(const Comm& comm, std::uint64_t key, SiteId site);
  // Reports the releases of a collective now. Returns the acquires, if they occur only when a
  // request completes. `of`: the communicator whose ranks take part.
  std::vector<Acquired> flow(const Event& event, Action action, When when, const Comm& of,
                             const Flow& flow);

  // --- window locks
  void lock(MessageStep::Kind kind, const Window& window, WorldRank target, bool exclusive,
            std::uint64_t ticks, SiteId site);
  void locked(Window& window, WorldRank target, SiteId site);  // kAnySource: all held locks
  void await_lock(const Window& window, WorldRank target, bool exclusive, bool certain,
                  SiteId site);
  void holds(const Window& window);  // called at the end of the run

 private:
  void prefix(const std::vector<WorldRank>& ranks, std::uint64_t position,
              const std::function<std::uint64_t(std::uint64_t)>& key, const Flow& flow,
              std::vector<Acquired>& acquires, SiteId site);
  void neighbors(const Event& event, const Comm& of, const Flow& flow,
                 std::vector<Acquired>& acquires);

  Timeline& effects_;
  std::uint64_t operations_ = 0;  // numbers the sends and receives
};

}  // namespace photofinish::mpi_meaning

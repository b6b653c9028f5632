// Reports the message steps of a rank to the sink of its Timeline (docs/internals/message-races.md,
// "Mapping of MPI").
//
// Rule: a collective counts by the ranks that must call it before this rank can continue, which
// follows from the action alone. It creates order only if data flows. Communicators with processes
// of other worlds are ignored.
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
  // Of the current event: its call would have returned anyway, or did not return.
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
  // The operation that a rank waited for when it ended.
  void waits(const Request& request, SiteId site);

  // --- order of other kinds
  static std::shared_ptr<const std::vector<WorldRank>> one(WorldRank rank);
  void release(std::uint64_t key, std::size_t others, bool carries, SiteId site);
  void acquire(const Acquired& acquired, SiteId site);
  // All ranks of a group release, and continue when all have.
  void exchange(const Comm& comm, std::uint64_t key, SiteId site);
  // Reports the releases of a collective now. Returns the acquires, if they occur only when a
  // request completes. `of`: the communicator whose ranks take part.
  std::vector<Acquired> flow(const Event& event, Action action, When when, const Comm& of,
                             const Flow& flow);

  // --- window locks
  void lock(MessageStep::Kind kind, const Window& window, WorldRank target, bool exclusive,
            std::uint64_t ticks, SiteId site);
  void locked(Window& window, WorldRank target, SiteId site);  // kAnySource: all that it holds
  void await_lock(const Window& window, WorldRank target, bool exclusive, bool certain,
                  SiteId site);
  void holds(const Window& window);  // at the end of the run

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

// What the participant of one rank sends to that of another. Within a process it is passed as is.
// For another process or a file it is encoded (see the `describe` functions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/atomics.h"
#include "detect/message_log.h"
#include "effects/access_list.h"
#include "effects/codec.h"
#include "model/atomic.h"
#include "model/host_clock.h"
#include "order/edge.h"

namespace photofinish {

struct Batch {
  // For the owner of the memory.
  AccessList accesses;
  std::vector<AtomicOp> atomics;  // those that fetch; the others are accesses
  HostClock clock;                // for the times of the atomics
  // For the resolver of a phase.
  std::vector<PhaseEdges> edges;
  std::vector<RankEdge> guesses;
  struct Queries {
    SyncPoint phase = 0;
    std::vector<Query> queries;
  };
  std::vector<Queries> queries;
  // Answers of the resolver, for the owner.
  struct Answers {
    SyncPoint phase = 0;
    std::vector<Timestamp> timestamps;
  };
  std::vector<Answers> answers;
  // For the rank that analyzes the messages of the phase.
  std::vector<PhaseSteps> steps;

  bool empty() const {
    return accesses.empty() && atomics.empty() && edges.empty() && guesses.empty() &&
           queries.empty() && answers.empty() && steps.empty();
  }
};

std::vector<std::uint8_t> encode(const Batch& batch);
bool decode(const std::vector<std::uint8_t>& bytes, Batch& batch);  // false: the bytes are no batch

// Approximate memory use in bytes, for memory limits. Sorting needs a second copy of an AtomicOp.
inline std::size_t memory_bytes(const AtomicOp&) { return 2 * sizeof(AtomicOp); }
std::size_t memory_bytes(const Batch& batch);  // of its accesses, atomics and steps

template <class A>
void describe(A& a, AtomicOp& d) {
  a(d.rank, d.owner, d.win, d.displacement, d.offset, d.op, d.element, d.fetches, d.has_result,
    d.operand, d.compare, d.result, d.delivery, d.start, d.done, d.begin, d.after, d.known,
    d.known_after);
  describe_knowledge(a, d.knows);
}
template <class A>
void describe(A& a, Edge& d) {
  a(d.timestamp, d.key, d.acquires, d.position, d.guessed);
  describe_knowledge(a, d.known);
}
template <class A>
void describe(A& a, PhaseEdges& d) {
  a(d.phase, d.rank, d.edges);
}
template <class A>
void describe(A& a, RankEdge& d) {
  a(d.rank, d.phase, d.edge);
}
template <class A>
void describe(A& a, Query& d) {
  a(d.rank, d.timestamp, d.about, d.task);
  describe_knowledge(a, d.known);
}
template <class A>
void describe(A& a, Batch::Queries& d) {
  a(d.phase, d.queries);
}
template <class A>
void describe(A& a, Batch::Answers& d) {
  a(d.phase, d.timestamps);
}
template <class A>
void describe(A& a, Batch& d) {
  a(d.accesses, d.atomics, d.clock, d.edges, d.guesses, d.queries, d.answers, d.steps);
}

}  // namespace photofinish

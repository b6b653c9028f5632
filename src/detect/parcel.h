// What one rank's part of the analysis sends to another's. Inside a process it is handed over; to
// another one, or to a file, it goes encoded (see `describe`s).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/access_list.h"
#include "detect/atomics.h"
#include "detect/message_log.h"
#include "model/atomic.h"
#include "model/host_clock.h"
#include "order/signal.h"

namespace photofinish {

struct Parcel {
  // For the owner of the memory.
  AccessList accesses;
  std::vector<AtomicOp> atomics;  // that fetch; the others are accesses
  HostClock clock;                // of the atomics
  // For the resolver of a slice.
  std::vector<SliceSignals> signals;
  std::vector<RankSignal> guesses;
  struct Questions {
    Cut slice = 0;
    std::vector<Question> questions;
  };
  std::vector<Questions> questions;
  // Back to the owner.
  struct Answers {
    Cut slice = 0;
    std::vector<Moment> moments;
  };
  std::vector<Answers> answers;
  // For the one who walks the slice.
  std::vector<SliceSteps> steps;

  bool empty() const {
    return accesses.empty() && atomics.empty() && signals.empty() && guesses.empty() &&
           questions.empty() && answers.empty() && steps.empty();
  }
};

std::vector<std::uint8_t> encode(const Parcel& parcel);
bool decode(const std::vector<std::uint8_t>& bytes, Parcel& parcel);  // false: these are no parcel

// What it takes to keep them, in bytes, about: for those who have to do with a limit.
inline std::size_t footprint(const AtomicOp&) {
  return 2 * sizeof(AtomicOp);
}  // once more where they are put in order
std::size_t footprint(const Parcel& parcel);  // of its accesses, atomics and steps

template <class A>
void describe_knowledge(A& a, Knowledge& d) {
  std::vector<Moment> known = d != nullptr ? *d : std::vector<Moment>();
  a(known);
  if (!known.empty() && d == nullptr)
    d = std::make_shared<const std::vector<Moment>>(std::move(known));
}
template <class A>
void describe(A& a, Element& d) {
  a(d.kind, d.size);
}
template <class A>
void describe(A& a, Lock& d) {
  a(d.win, d.target, d.exclusive, d.since);
}
template <class A>
void describe(A& a, Epoch& d) {
  a(d.kind, d.index);
}
template <class A>
void describe(A& a, AtomicOp& d) {
  a(d.rank, d.owner, d.win, d.displacement, d.offset, d.op, d.element, d.fetches, d.has_result,
    d.operand, d.compare, d.result, d.start, d.done, d.begin, d.after, d.known, d.known_after);
}
template <class A>
void describe(A& a, Signal& d) {
  a(d.moment, d.key, d.hears, d.place, d.guessed);
  describe_knowledge(a, d.known);
}
template <class A>
void describe(A& a, SliceSignals& d) {
  a(d.slice, d.rank, d.signals);
}
template <class A>
void describe(A& a, RankSignal& d) {
  a(d.rank, d.slice, d.signal);
}
template <class A>
void describe(A& a, Question& d) {
  a(d.rank, d.moment, d.about, d.task);
  describe_knowledge(a, d.known);
}
template <class A>
void describe(A& a, Parcel::Questions& d) {
  a(d.slice, d.questions);
}
template <class A>
void describe(A& a, Parcel::Answers& d) {
  a(d.slice, d.moments);
}
template <class A>
void describe(A& a, Parcel& d) {
  a(d.accesses, d.atomics, d.clock, d.signals, d.guesses, d.questions, d.answers, d.steps);
}

}  // namespace photofinish

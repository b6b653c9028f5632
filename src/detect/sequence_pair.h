// The two simulations of the message steps of all ranks: as observed, for message races, and
// without send buffering.
#pragma once

#include <cstdint>
#include <utility>

#include "detect/message_sequence.h"
#include "effects/message_sink.h"
#include "model/message_finding.h"

namespace photofinish {

class SequencePair {
 public:
  explicit SequencePair(std::int32_t ranks)
      : races_(ranks),
        seen_(ranks, MessageSequence::Sends::AsSeen, &races_),
        unbuffered_(ranks, MessageSequence::Sends::Unbuffered, nullptr) {
    seen_.report_to(&threads_);
  }
  SequencePair(const SequencePair&) = delete;
  SequencePair& operator=(const SequencePair&) = delete;

  // Selects the simulations from here on. Unbuffered suffices if no receive could have matched
  // another message. Call only if no step waits.
  enum class Ways { Both, AsSeen, Unbuffered };
  void go(Ways ways) { ways_ = ways; }
  void begin_phase(std::uint64_t phase) { unbuffered_.begin_phase(phase); }

  // The rank will release a lock. Must be called before any step that may have to wait for it.
  void announce(WorldRank rank, const MessageStep& unlock) {
    if (ways_ != Ways::Unbuffered) seen_.announce(rank, unlock);
  }
  void add(WorldRank rank, const MessageStep& step) {
    if (step.at_once) {
      auto [posted, complete] = halves(step);
      add(rank, posted);
      return add(rank, complete);
    }
    if (ways_ != Ways::Unbuffered) seen_.add(rank, step);
    if (ways_ != Ways::AsSeen) unbuffered_.add(rank, step);
  }
  void took(WorldRank rank, std::uint64_t operation, MessageKey key) {
    if (ways_ != Ways::Unbuffered) seen_.took(rank, operation, key);
    if (ways_ != Ways::AsSeen) unbuffered_.took(rank, operation, key);
  }
  // Posts of several threads of a rank. Ignored if only Unbuffered runs.
  ThreadRaces& threads() { return threads_; }
  // All ranks are at a quiet sync point: a rank that waits now waits for a buffered send.
  void settle() {
    seen_.finish();
    unbuffered_.finish();
    seen_.forget_operations();
    unbuffered_.forget_operations();
  }
  // No further steps. If not all ranks have ended, the run was interrupted.
  void finish(bool ended = true) {
    seen_.finish();
    unbuffered_.finish(ended);
    races_.finish();
  }

  // Approximate memory use.
  std::size_t bytes() const {
    return seen_.bytes() + unbuffered_.bytes() + races_.held().bytes + threads_.bytes();
  }
  bool seen_to_the_end() const { return seen_.waiting() == 0; }
  bool nothing_waits() const { return seen_.waiting() == 0 && unbuffered_.waiting() == 0; }
  // Races and deadlocks. `endings`: the final states of the ranks, if known.
  MessageFindings findings(const std::vector<RankEnding>& endings = {});

 private:
  Ways ways_ = Ways::Both;
  MessageRaces races_;
  ThreadRaces threads_;
  MessageSequence seen_, unbuffered_;
};

}  // namespace photofinish

// Executions of message passing made up in memory, as the paper's formal model has them: each
// process's events in order, and links: which send a receive took, a probe saw, or that a receive
// was cancelled.
//
// The rules of matching are written here once more, from the definition and without regard to cost;
// nothing of src/detect is used.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/message.h"

namespace photofinish::testing {

enum class Kind : std::uint8_t {
  Send,
  Receive,
  WaitSend,
  WaitReceive,
  Probe,
  Cancel,
  Release,
  Acquire,
  Lock,
  Unlock
};

struct Call {
  Kind kind{};
  SendMode mode = SendMode::Standard;
  int comm = 0;
  int peer = -1;           // destination, or source; -1: any
  int tag = -1;            // -1: any
  int of = -1;             // WaitSend, WaitReceive, Cancel: the process's event that posted it
  int key = -1;            // Say, Hear, Lock, Unlock: which
  bool exclusive = false;  // Lock, Unlock
  bool asked = false;  // WaitSend, WaitReceive, Probe, Hear: it would have come back, over or not
};

struct Ref {
  int process = 0;
  int event = 0;
  auto operator<=>(const Ref&) const = default;
};

enum class LinkKind : std::uint8_t { Match, Saw, Cancelled, Granted };
struct Link {
  LinkKind kind{};
  std::optional<Ref> send;
  Ref receive;  // or probe; of Cancelled ones, also a send; Granted: the lock. They are granted in
                // the order of the execution's links
  Ref cancel;   // Cancelled: the event that did it
};

struct Execution {
  std::vector<std::vector<Call>> processes;  // the events that began
  std::vector<Link> links;
  // When: how much had happened before. Of events that began, and of links; only needed where there
  // are locks.
  std::vector<std::vector<int>> begun_at;
  std::vector<int> linked_at;
  bool whole =
      true;  // false: it was broken off, so that there may be matches that did not come to be

  const Call& call(Ref ref) const {
    return processes[static_cast<std::size_t>(ref.process)][static_cast<std::size_t>(ref.event)];
  }
  int size() const { return static_cast<int>(processes.size()); }
  bool fits(Ref send, Ref receive) const;
  const Link* taken(Ref send) const;  // its match, or that it was cancelled
  bool is_cancelled(Ref send) const;
  const Link* link_of(Ref receive) const;
  std::optional<Ref> unlock_of(Ref lock) const;
  bool excludes(Ref lock, Ref other) const;  // not both at a time
};

std::string text(const Execution& execution);
std::string text(const Execution& execution, Ref ref);

// A receive (or probe, or cancelled receive), and a send that it could have taken.
using Pair = std::pair<Ref, Ref>;

// How far each process is, and which links there are: of the execution's own.
class State {
 public:
  explicit State(const Execution& execution)
      : execution_(execution),
        begun_(execution.processes.size()),
        linked_(execution.links.size()) {}

  bool begun(Ref ref) const { return ref.event < begun_[static_cast<std::size_t>(ref.process)]; }
  bool linked(std::size_t link) const { return linked_[link]; }
  bool taken(Ref send) const;      // matched
  bool closed(Ref receive) const;  // matched, cancelled, has seen
  // Would matching rules let them meet now? Both are there and free, and each is the first for the
  // other.
  bool may_meet(Ref send, Ref receive) const;
  // `unbuffered`: standard sends wait for their match, too.
  bool can_begin(int process, bool unbuffered = false) const;
  bool over(Ref event, bool unbuffered = false) const;
  bool can_link(std::size_t link) const;
  void begin(int process) { ++begun_[static_cast<std::size_t>(process)]; }
  void link(std::size_t link) { linked_[link] = true; }
  Ref at(int process) const {
    return {process, begun_[static_cast<std::size_t>(process)] - 1};
  }  // its last call
  bool at_end(int process) const {
    return begun_[static_cast<std::size_t>(process)] ==
           static_cast<int>(execution_.processes[static_cast<std::size_t>(process)].size());
  }
  auto operator<=>(const State& other) const {
    if (const auto order = begun_ <=> other.begun_; order != 0) return order;
    return linked_ <=> other.linked_;
  }
  bool operator==(const State& other) const {
    return begun_ == other.begun_ && linked_ == other.linked_;
  }
  std::string bytes() const;

 private:
  const Execution& execution_;
  std::vector<int> begun_;
  std::vector<bool> linked_;
};

// (a) the formal definition: every state that the execution could have gone through. Nothing, if
// they are too many.
std::optional<std::set<Pair>> explore(const Execution& execution, std::size_t most_states);

// (b) by the closure of happens-before.
struct Closure {
  std::set<Pair> pairs;      // the refined condition, pair by pair
  std::set<Pair> conflicts;  // Theorem 2.2 as it stands: empty exactly when `pairs` is, if the
                             // execution is whole
};
Closure close(const Execution& execution);

// One order in which it could have happened: `begin` a process's next event, or `link`.
struct Happening {
  int process = -1;
  int link = -1;
};
std::vector<Happening> linearise(const Execution& execution,
                                 const std::function<std::uint32_t()>& random);

}  // namespace photofinish::testing

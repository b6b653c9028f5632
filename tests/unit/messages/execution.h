// Synthetic executions of message passing in the formal model of the paper: the events of each
// process in order, and links. A link says which send a receive took or a probe saw, or that a
// receive was cancelled.
//
// The matching rules are implemented here a second time, from the definition and without regard to
// cost. Nothing of src/detect is used.
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
  int of = -1;             // WaitSend, WaitReceive, Cancel: the event that posted it
  int key = -1;            // Release, Acquire, Lock, Unlock: which
  bool exclusive = false;  // Lock, Unlock
  bool asked = false;  // WaitSend, WaitReceive, Probe, Acquire: a test, which returns in any case
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
  Ref receive;  // or probe; Cancelled: or a send; Granted: the lock. Locks are granted in the order
                // of the execution's links
  Ref cancel;   // Cancelled: the cancelling event
};

struct Execution {
  std::vector<std::vector<Call>> processes;  // events that began
  std::vector<Link> links;
  // The number of events begun and of links made before each; only needed with locks.
  std::vector<std::vector<int>> begun_at;
  std::vector<int> linked_at;
  bool whole = true;  // false: it was stopped, so that possible matches may be missing

  const Call& call(Ref ref) const {
    return processes[static_cast<std::size_t>(ref.process)][static_cast<std::size_t>(ref.event)];
  }
  int size() const { return static_cast<int>(processes.size()); }
  bool fits(Ref send, Ref receive) const;
  const Link* taken(Ref send) const;  // its match or cancellation
  bool is_cancelled(Ref send) const;
  const Link* link_of(Ref receive) const;
  std::optional<Ref> unlock_of(Ref lock) const;
  bool excludes(Ref lock, Ref other) const;  // not both at once
};

std::string text(const Execution& execution);
std::string text(const Execution& execution, Ref ref);

// A receive (or probe, or cancelled receive), and a send that it could have matched.
using Pair = std::pair<Ref, Ref>;

// A state of the execution: the position of each process, and the links made so far.
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
  // Whether the matching rules permit this match now: both are posted and unmatched, and each is
  // the first candidate of the other.
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

// (a) The formal definition: every state that the execution could have gone through. Nothing if
// there are too many.
std::optional<std::set<Pair>> explore(const Execution& execution, std::size_t most_states);

// (b) The closure of happens-before.
struct Closure {
  std::set<Pair> pairs;      // the refined condition, pair by pair
  std::set<Pair> conflicts;  // Theorem 2.2 itself: empty exactly if `pairs` is, for a complete
                             // execution
};
Closure close(const Execution& execution);

// One possible interleaving: `begin` is a process's next event, or `link` a link.
struct Happening {
  int process = -1;
  int link = -1;
};
std::vector<Happening> linearise(const Execution& execution,
                                 const std::function<std::uint32_t()>& random);

}  // namespace photofinish::testing

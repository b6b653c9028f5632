// The data that the oracle extracts from the events of all ranks: accesses and everything that may
// order them. Each list is in program order.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "execution.h"
#include "model/access.h"
#include "model/element.h"

namespace photofinish::testing {

// A timestamp of a rank: the start or the return of one of its events.
struct Point {
  int rank = 0;
  Timestamp at = 0;
  auto operator<=>(const Point&) const = default;
};
inline Point start_of(Ref ref) { return {ref.rank, 2 * ref.event}; }
inline Point return_of(Ref ref) { return {ref.rank, 2 * ref.event + 1}; }

struct LockSpan {
  Uid win;
  std::optional<int> target;  // none: all targets
  bool exclusive = false;
  bool checked = true;  // not MPI_MODE_NOCHECK
  Timestamp taken = 0, released = kNever;
};

// The epoch of a one-sided operation: the index-th one (from 1) that the origin has opened on the
// window with this target.
struct OriginEpoch {
  EpochKind kind = EpochKind::None;
  std::size_t index = 0;
};

struct Touch {
  Ref event;                  // its site is in the finding
  std::size_t operation = 0;  // accesses of one operation are not compared
  int owner = 0;
  AccessKind kind{};
  bool pending = false;
  ReduceOp op = ReduceOp::None;
  Element element;
  Uid win;  // of the target access
  OriginEpoch epoch;
  std::map<std::uint64_t, std::uint64_t>
      bytes;                          // the address of each, and the begin of its element
  Timestamp begin = 0, end = kNever;  // at the origin
  std::vector<Point> begins, ends;    // at the origin and at the owner
};

struct Sent {
  Ref event;
  Uid comm;
  int to = 0;
  std::int64_t tag = 0;
  bool synchronous = false;
  std::vector<Point> done;
};

struct Received {
  Ref posted;                  // determines the match: the receive, or the matched probe before it
  std::optional<Ref> started;  // the receive itself
  Uid comm;
  std::optional<int> from;  // none: never completed, so unknown
  std::int64_t tag = 0;
  std::vector<Point> done;
};

struct Probed {
  Ref event;
  Uid comm;
  int from = 0;
  std::int64_t tag = 0;
};

struct Joined {  // one rank's call of a collective
  Ref event;
  Action action{};
  const CommDefinition* comm = nullptr;  // this rank's definition
  int root = 0;
  bool gives = false, takes = false;  // contributes data, receives data
  std::vector<Point> done;
};

struct Fenced {
  Ref event;
  bool no_precede = false;
};

struct Posted {
  Ref event;
  std::vector<WorldRank> group;
  std::optional<Point> waited;
};

struct Started {
  Ref event;
  std::vector<WorldRank> group;
  std::optional<Ref> completed;
};

struct Atomic {
  Ref event;
  std::size_t touch = 0;    // the access at the target
  std::size_t element = 0;  // index of the element
  ReduceOp op = ReduceOp::None;
  bool fetches = false;
  std::uint64_t operand = 0, compare = 0;
  std::optional<std::uint64_t> result;
  std::optional<Ref> known;  // the call that returned the result
};

// Identifies a collective: the communicator or window, what is counted, and how many of these the
// rank has made before.
enum class Counted { OnComm, Fence, WinFree };
using CollectiveKey = std::tuple<Uid, Counted, std::size_t>;

// Whether who completes operations knows of one that another task of its rank began.
using Knows = std::function<bool(Ref operation, Ref completing)>;

struct History {
  explicit History(const Execution& execution, Knows knows = {});

  const Execution& execution;
  const Knows knows;
  std::size_t operations = 0;  // how many there are, over all ranks
  std::vector<Touch> touches;
  std::vector<std::vector<LockSpan>> locks;  // of each rank
  std::vector<Sent> sent;
  std::vector<Received> received;
  std::vector<Probed> probed;
  std::map<CollectiveKey, std::vector<Joined>> collectives;
  std::map<std::pair<int, Uid>, std::vector<Fenced>> fences;  // by rank and window
  std::map<std::pair<int, Uid>, std::vector<Posted>> posts;
  std::map<std::pair<int, Uid>, std::vector<Started>> starts;
  std::vector<Atomic> atomics;
};

// The index-th epoch (from 1) of one of these lists whose group contains `rank`.
template <class Epoch>
const Epoch* epoch_with(const std::vector<Epoch>& epochs, int rank, std::size_t index) {
  for (const Epoch& epoch : epochs)
    for (const WorldRank member : epoch.group)
      if (member.value == rank && --index == 0) return &epoch;
  return nullptr;
}

const WinDefinition* window_of(const Execution& execution, int rank, Uid win);

}  // namespace photofinish::testing

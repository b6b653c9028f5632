// What the oracle reads out of the events of all ranks: accesses, and all that may order them. Each
// list is in the order of the rank's events.
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

// A moment of a rank: the start or the return of one of its events.
struct Point {
  int rank = 0;
  Timestamp at = 0;
  auto operator<=>(const Point&) const = default;
};
inline Point start_of(Ref ref) { return {ref.rank, 2 * ref.event}; }
inline Point return_of(Ref ref) { return {ref.rank, 2 * ref.event + 1}; }

struct LockSpan {
  Uid win;
  std::optional<int> target;  // none: all of them
  bool exclusive = false;
  bool checked = true;  // not MPI_MODE_NOCHECK
  Timestamp taken = 0, released = kNever;
};

// The epoch of a one-sided operation: the index-th (from 1) that the origin has opened on the
// window, with this target.
struct OriginEpoch {
  EpochKind kind = EpochKind::None;
  std::size_t index = 0;
};

struct Touch {
  Ref event;                  // whose site a finding names
  std::size_t operation = 0;  // what belongs to one operation is not compared
  int owner = 0;
  AccessKind kind{};
  bool pending = false;
  ReduceOp op = ReduceOp::None;
  Element element;
  Uid win;  // of a target
  OriginEpoch epoch;
  std::map<std::uint64_t, std::uint64_t>
      bytes;  // each one's address, and where the element that it is part of begins
  Timestamp begin = 0, end = kNever;  // at the rank itself
  std::vector<Point> begins, ends;    // at the rank and at the owner
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
  Ref posted;  // decides what it matches: the receive, or the matched probe before it
  std::optional<Ref> started;  // the receive itself
  Uid comm;
  std::optional<int> from;  // none: never completed, so nobody knows
  std::int64_t tag = 0;
  std::vector<Point> done;
};

struct Probed {
  Ref event;
  Uid comm;
  int from = 0;
  std::int64_t tag = 0;
};

struct Joined {  // one rank's part in one collective
  Ref event;
  Action action{};
  const CommDefinition* comm = nullptr;  // as this rank has it
  int root = 0;
  bool gives = false, takes = false;  // has data for others, from others
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
  std::size_t touch = 0;    // of the target
  std::size_t element = 0;  // which of its elements
  ReduceOp op = ReduceOp::None;
  bool fetches = false;
  std::uint64_t operand = 0, compare = 0;
  std::optional<std::uint64_t> result;
  std::optional<Ref> known;  // what returned with the result
};

// A collective: by communicator (or window), by what is counted, and by how many of these the rank
// had made before.
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
  std::map<std::pair<int, Uid>, std::vector<Fenced>> fences;  // of a rank on a window
  std::map<std::pair<int, Uid>, std::vector<Posted>> posts;
  std::map<std::pair<int, Uid>, std::vector<Started>> starts;
  std::vector<Atomic> atomics;
};

// The index-th epoch (from 1) of one of these lists that has `rank` in its group.
template <class Epoch>
const Epoch* epoch_with(const std::vector<Epoch>& epochs, int rank, std::size_t index) {
  for (const Epoch& epoch : epochs)
    for (const WorldRank member : epoch.group)
      if (member.value == rank && --index == 0) return &epoch;
  return nullptr;
}

const WinDefinition* window_of(const Execution& execution, int rank, Uid win);

}  // namespace photofinish::testing

// Which fences of a window a rank has called before an access.
//
// MPI_Win_fence with MPI_MODE_NOPRECEDE completes and orders nothing. All ranks count the fences of
// a window alike, so if two racing accesses have different counts, the fences between them have
// this assertion, and it is the cause.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "model/definitions.h"
#include "model/event.h"
#include "model/finding.h"

namespace photofinish {

class FenceNotes {
 public:
  struct Before {
    std::uint64_t count = 0;
    std::string last;  // if it has MPI_MODE_NOPRECEDE: "MPI_Win_fence solver.c:77"
    auto operator<=>(const Before&) const = default;
  };

  // Whether a fence may separate the accesses of the finding.
  static bool may_separate(const Finding& finding);
  void want(const Finding& finding, const FindingSide& side);
  const Before& before(const Finding& finding, const FindingSide& side) const;

  bool is_complete() const { return wanted_.empty(); }
  // Each event of the rank, with its number. `location` is that of the event.
  void follow(const Event& event, std::uint64_t number, const Definitions& definitions,
              const std::function<std::string()>& location);
  void finish() { answer(kNever); }

 private:
  struct Point {
    std::uint64_t half = 0;  // fences before it count
    Uid win;                 // null: that of the operation whose buffer races
    std::uint64_t operation = 0;
    auto operator<=>(const Point&) const = default;
  };
  static Point point(const Finding& finding, const FindingSide& side);
  void answer(std::uint64_t half);

  std::set<Point> wanted_;
  std::map<Point, Before> before_;
  std::map<std::uint64_t, Uid> windows_;  // of such operations, by the numbers of their events
  std::map<Uid, Before> fences_;          // until now
};

}  // namespace photofinish

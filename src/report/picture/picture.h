// The steps near a finding, ready to be drawn: a lane for each involved rank, logical steps from
// left to right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

struct Picture {
  // Levels start at 0. A step never happens before a step at a smaller level. A step has a call and
  // a return.
  struct Step {
    int begin = 0, end = 0;
    Call call{};
    std::string where;  // "main race.c:18"
    bool returned = true;
    std::uint64_t index = 0;  // index among the rank's events
    std::string note;         // "to 3, tag 7", 'window "halo"'
  };
  // Events between two steps that are not drawn; also before the first and after the last step.
  struct Gap {
    int begin = 0, end = 0;  // end -1: up to the end of the run
    std::uint64_t events = 0;
  };
  struct Epoch {
    int begin = 0, end = 0;
    bool ends = true;  // false: it is never closed
    std::string label;
  };
  struct Lane {
    WorldRank rank;
    std::vector<Step> steps;
    std::vector<Gap> gaps;
    std::vector<Epoch> epochs;
  };
  enum class ArrowKind { Message, Order, Put, Get, Accumulate };
  struct Arrow {
    ArrowKind kind{};
    int from_lane = 0, from = 0, to_lane = 0, to = 0;
    std::string label;
  };
  // A collective, which joins all of these lanes.
  struct Join {
    std::string label;
    struct Part {
      int lane = 0, begin = 0, end = 0;
    };
    std::vector<Part> parts;
  };
  // The ends of the finding, in its order.
  struct End {
    int lane = -1;  // -1: not drawn
    int begin = 0, end = 0;
    bool completes = true;
    int touches = -1;  // the lane whose memory it reads or writes
  };
  std::vector<Lane> lanes;
  std::vector<Arrow> arrows;
  std::vector<Join> joins;
  std::vector<End> ends;
  int width = 0;  // number of levels
};

}  // namespace photofinish

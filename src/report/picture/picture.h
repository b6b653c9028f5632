// What happened near a finding, ready to be drawn: a lane for each rank that has to do with it,
// logical steps from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

struct Picture {
  // Levels, from 0: what is further right on any lane did not come before. A step is its call and
  // its return.
  struct Step {
    int begin = 0, end = 0;
    Call call{};
    std::string where;  // "main race.c:18"
    bool returned = true;
    std::uint64_t index = 0;  // of the rank's events
    std::string note;         // "to 3, tag 7", 'window "halo"'
  };
  // Events between two steps that are not drawn; before the first and behind the last one as well.
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
  // A collective: all of these lanes come together in it.
  struct Join {
    std::string label;
    struct Part {
      int lane = 0, begin = 0, end = 0;
    };
    std::vector<Part> parts;
  };
  // The ends of the finding, in its order.
  struct End {
    int lane = -1;  // -1: there is none to draw
    int begin = 0, end = 0;
    bool completes = true;
    int touches = -1;  // the lane whose memory it reads or writes
  };
  std::vector<Lane> lanes;
  std::vector<Arrow> arrows;
  std::vector<Join> joins;
  std::vector<End> ends;
  int width = 0;  // levels
};

}  // namespace photofinish

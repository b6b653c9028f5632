// How order travels from rank to rank: one says a key at some moment, another hears it at a later
// moment of its own.
//
// A message is a key said once and heard once; a barrier is one key that all say and all hear. Both
// ends work out the key by themselves (order/keys.h), so nobody has to be told what matches what.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

struct Signal {
  Moment moment = 0;
  std::uint64_t key = 0;
  bool hears = false;
  // Scans: what is said at a place is heard at higher places only. Everything else is said at 0 and
  // heard at kEveryPlace.
  std::uint64_t place = 0;
  // Worked out from values that atomics returned, or said by the program: several orders may
  // explain them, so it must not stop the walk.
  bool guessed = false;
  Knowledge known = nullptr;  // of who says it
  bool operator==(const Signal&) const = default;
};
inline constexpr std::uint64_t kEveryPlace = ~std::uint64_t{0};

// What one rank said and heard between two cuts.
struct SliceSignals {
  Cut slice = 0;  // the last cut that was complete
  WorldRank rank;
  std::vector<Signal> signals;
};

// Up to which moment of `about` does `rank` know, at `moment`? Asked of the resolver of a slice.
struct Question {
  WorldRank rank;
  Moment moment = 0;
  WorldRank about;
  std::uint32_t task = 0;     // of `about`
  Knowledge known = nullptr;  // of `rank`, at that moment
  auto key() const { return std::tuple(rank, moment, about, task); }
  bool operator<(const Question& other) const { return key() < other.key(); }
};

}  // namespace photofinish

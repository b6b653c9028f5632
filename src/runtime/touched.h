// What a task loads and stores between two of its MPI calls, as few ranges.
//
// Rule: between two calls nothing happens to the task's clock, so that it is all one moment. Each place in the program grows a row of
// evenly spaced pieces; what does not fit begins a new one. Same bytes again cost nothing.
// Two ways of one place through different callers are one: the stack is that of the first.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/call.h"
#include "model/ids.h"
#include "photofinish/runtime_abi.h"
#include "runtime/reach.h"
#include "runtime/sampling.h"
#include "runtime/sites.h"

namespace photofinish {

// `bytes` at `begin`, rows times, stride apart.
struct TouchedRow {
  SiteId site;
  Call call = Call::load;  // or store, or release
  std::uint64_t begin = 0, bytes = 0, rows = 1;
  std::int64_t stride = 0;
};

class Touched {
 public:
  explicit Touched(SiteCache& sites) : sites_(sites) {}

  bool empty() const { return rows_.empty() && growing_.empty(); }
  void access(photofinish_site& site, std::uint64_t begin, std::uint64_t bytes, Call call, std::uint64_t pc, std::uint64_t frame);
  void row(photofinish_site& site, const TouchedRow& row, std::uint64_t pc, std::uint64_t frame);
  // All of them, by site and address; the next moment begins.
  std::vector<TouchedRow>& take();

  Reach::Piece last;  // for Reach::touches

 private:
  // What a photofinish_site holds.
  struct State {
    Touched* owner;
    std::uint64_t moment;
    std::uint64_t begin, bytes, rows;
    std::int64_t stride;
    SiteId site;
    Call call;
  };
  static_assert(sizeof(State) <= Sampling::kSiteWord * sizeof(std::uint64_t), "PHOTOFINISH_ABI");
  State& state_of(photofinish_site& site);
  void start(State& state, const TouchedRow& row, std::uint64_t pc, std::uint64_t frame);
  void finish(State& state);
  void compact();

  SiteCache& sites_;
  std::uint64_t moment_ = 1;
  std::vector<State*> growing_;
  std::vector<TouchedRow> rows_;
  std::size_t compact_at_ = 1 << 12;
  std::unordered_map<photofinish_site*, State> others_;  // sites that another task was the first to use
};

}  // namespace photofinish

// What a task loads and stores between two of its MPI calls, as few ranges.
//
// Rule: between two calls nothing happens to the task's clock, so that it is all one moment. Each
// place in the program grows a row of evenly spaced pieces; what does not fit begins a new one; a
// place that begins many, or comes often, gets a bit for each unit of the memory (Scattered), which
// the program sets itself. Same bytes again cost nothing. What a loop touches through indices is
// found in front of it, and known again when they are the same (Indices). Two ways of one place
// through different callers are one: the stack is that of the first.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/call.h"
#include "model/ids.h"
#include "photofinish/runtime_abi.h"
#include "runtime/indices.h"
#include "runtime/reach.h"
#include "runtime/scattered.h"
#include "runtime/sites.h"
#include "runtime/thread_sites.h"

namespace photofinish {

// `bytes` at `begin`, rows times, stride apart.
struct AccessRow {
  SiteId site;
  Call call = Call::load;  // or store, or release
  std::uint64_t begin = 0, bytes = 0, rows = 1;
  std::int64_t stride = 0;
};

class AccessBuffer {
 public:
  explicit AccessBuffer(SiteCache& sites);

  bool empty() const { return rows_.empty() && growing_.empty(); }
  // One access, of a place whose addresses and bytes are multiples of 2^unit; if it can be reached.
  void access(const Reach& reach, photofinish_site& site, std::uint64_t begin, std::uint64_t bytes,
              unsigned unit, Call call, std::uint64_t pc, std::uint64_t frame);
  void row(const Reach& reach, photofinish_site& site, const AccessRow& row, std::uint64_t pc,
           std::uint64_t frame);
  // Indices that a loop is going to use; false: ask for each access instead.
  bool indices(photofinish_index& index, const void* first, std::uint64_t times);
  // What it touches through them, after that.
  void gather(const Reach& reach, photofinish_site& site, photofinish_index& index,
              std::uint64_t base, const Pattern::Key& key, Call call, std::uint64_t pc,
              std::uint64_t frame);
  // All of them, by site; the next interval begins.
  std::vector<AccessRow>& take();
  // From now on the program sets none of its bits by itself: other threads may take them at any
  // time.
  void keep_bits();

 private:
  // Of a place in the program.
  struct State {
    std::uint64_t interval = 0;
    std::uint64_t begin = 0, bytes = 0, rows = 0;
    std::int64_t stride = 0;
    SiteId site;
    Call call = Call::load;
    std::uint32_t begun = 0, calls = 0;  // rows, accesses, in this interval
    Reach::Piece last;                   // of what can be reached, or not
    std::unique_ptr<Scattered> scattered;
    struct Gathered {
      std::shared_ptr<const Pattern> pattern;
      std::uint64_t base = 0;
      bool operator==(const Gathered&) const = default;
    };
    std::vector<Gathered> gathered;
  };
  State& state_of(photofinish_site*& site);  // which becomes the thread's own
  void enter(State& state, Call call, std::uint64_t pc, std::uint64_t frame);
  static bool grow(State& state, std::uint64_t begin, std::uint64_t bytes);
  void begin_row(State& state, const AccessRow& row);
  bool scatter(State& state, photofinish_site& site, std::uint64_t begin, std::uint64_t end,
               unsigned unit, std::uint64_t bytes);
  void take_scattered(State& state);
  void take_gathered(State& state);
  void finish(State& state);
  void push(State& state, std::uint64_t begin, std::uint64_t bytes, std::uint64_t rows,
            std::int64_t stride);
  void compact();

  SiteCache& sites_;
  ThreadSites own_sites_;
  void* owner_;  // what the sites that it was the first to use have as such
  bool lends_bits_;
  std::vector<photofinish_site*> lent_;  // to these
  std::uint64_t interval_ = 1;
  std::deque<State> states_;
  std::unordered_map<photofinish_index*, Indices> indices_;
  std::vector<State*> growing_;
  std::vector<AccessRow> rows_;
  std::size_t compact_at_ = 1 << 12;
  std::unordered_map<photofinish_site*, State> others_;  // sites that cannot be its own
};

}  // namespace photofinish

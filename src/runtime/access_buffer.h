// Collects the loads and stores of a task between two of its MPI calls, as few ranges.
//
// Rule: between two calls the task's clock does not change, so all these accesses have one
// timestamp. Each access site grows a row of evenly spaced pieces. A piece that does not fit starts
// a new row. A site that starts many rows, or is reached often, gets a bitmap with one bit per unit
// of memory (Scattered), which the program sets itself. Repeated accesses to the same bytes add
// nothing. The footprint of a loop through indices is computed before the loop, and reused if the
// indices are the same (Indices). A site that is reached through different callers is one site,
// with the stack of the first.
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

// `rows` pieces of `bytes` bytes, the first at `begin`, `stride` apart.
struct AccessRow {
  SiteId site;
  Call call = Call::load;  // load, store or release
  std::uint64_t begin = 0, bytes = 0, rows = 1;
  std::int64_t stride = 0;
};

class AccessBuffer {
 public:
  explicit AccessBuffer(SiteCache& sites);

  bool empty() const { return rows_.empty() && growing_.empty(); }
  // Records one access if it is reachable. The site's addresses and sizes are multiples of 2^unit.
  void access(const Reach& reach, photofinish_site& site, std::uint64_t begin, std::uint64_t bytes,
              unsigned unit, Call call, std::uint64_t pc, std::uint64_t frame);
  void row(const Reach& reach, photofinish_site& site, const AccessRow& row, std::uint64_t pc,
           std::uint64_t frame);
  // The indices that a loop is about to use. False: call the hook for each access instead.
  bool indices(photofinish_index& index, const void* first, std::uint64_t times);
  // Records the loop's accesses through these indices.
  void gather(const Reach& reach, photofinish_site& site, photofinish_index& index,
              std::uint64_t base, const Pattern::Key& key, Call call, std::uint64_t pc,
              std::uint64_t frame);
  // Returns all rows, sorted by site, and starts the next interval.
  std::vector<AccessRow>& take();
  // From now on the program sets no bits itself, since other threads may call take() at any time.
  void keep_bits();

 private:
  // State of an access site.
  struct State {
    std::uint64_t interval = 0;
    std::uint64_t begin = 0, bytes = 0, rows = 0;
    std::int64_t stride = 0;
    SiteId site;
    Call call = Call::load;
    std::uint32_t begun = 0, calls = 0;  // rows started, accesses made in this interval
    Reach::Piece last;                   // the last range with its reachability
    std::unique_ptr<Scattered> scattered;
    struct Gathered {
      std::shared_ptr<const Pattern> pattern;
      std::uint64_t base = 0;
      bool operator==(const Gathered&) const = default;
    };
    std::vector<Gathered> gathered;
  };
  State& state_of(photofinish_site*& site);  // replaces `site` by the thread's copy
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
  void* owner_;  // the owner number in the sites of this thread
  bool lends_bits_;
  std::vector<photofinish_site*> lent_;  // sites with a lent bitmap
  std::uint64_t interval_ = 1;
  std::deque<State> states_;
  std::unordered_map<photofinish_index*, Indices> indices_;
  std::vector<State*> growing_;
  std::vector<AccessRow> rows_;
  std::size_t compact_at_ = 1 << 12;
  std::unordered_map<photofinish_site*, State> others_;  // sites without a copy for this thread
};

}  // namespace photofinish

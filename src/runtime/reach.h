// Which memory somebody else may touch while the program runs on: windows, attached memory, buffers
// of operations in flight. It is marked in the tables of the objects that were built with the pass
// (runtime_abi.h), so that their loads and stores call us there, and only there.
//
// Rule: marked from before the program gets control back until the call that ends it has returned.
// Too long a mark costs time, too short a one misses races: where an end is not seen (requests that
// are started again and again), it stays until the object is gone.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/definitions.h"
#include "model/event.h"
#include "photofinish/runtime_abi.h"

namespace photofinish {

class Reach {
 public:
  Reach();
  // Null if nothing in the process was built with the pass.
  static Reach* get() { return instance_.load(std::memory_order_acquire); }
  using AccessHook = void (*)(photofinish_site*, const void*, std::uint64_t, const void*);
  using RangeHook = void (*)(photofinish_site*, const void*, std::uint64_t, std::uint64_t,
                             std::int64_t, std::uint64_t, std::int64_t);
  using IndicesHook = std::uint64_t (*)(photofinish_index*, const void*, std::uint64_t);
  using GatherHook = void (*)(photofinish_site*, const void*, std::uint64_t, std::uint64_t,
                              photofinish_index*, std::uint64_t);
  using LoadedHook = void (*)(const void*, void*, std::uint64_t);
  using StoredHook = void (*)(const void*, const void*, std::uint64_t);
  using BehindHook = const photofinish_seen* (*)(const void*, std::uint64_t);
  using CheckHook = void (*)(const void*, std::uint64_t, const void*);
  using AheadHook = std::int64_t (*)(const void*, std::uint64_t, std::uint64_t, std::int64_t,
                                     std::uint64_t, std::int64_t, const void*);
  using SynchronizeHook = void (*)(const void*, std::uint64_t);
  using RegionHook = void (*)(std::uint64_t);
  struct Hooks {
    AccessHook access = nullptr;
    RangeHook range = nullptr;
    IndicesHook indices = nullptr;
    GatherHook gather = nullptr;
    LoadedHook loaded = nullptr;  // of processes that are recorded or replayed
    StoredHook stored = nullptr;
    AheadHook ahead = nullptr;
    BehindHook behind = nullptr;
    CheckHook check = nullptr;
    SynchronizeHook synchronize = nullptr;
    RegionHook region = nullptr;
  };
  static void start(const Hooks& hooks);

  // All memory counts as reachable, until each who asked for it has taken that back.
  void watch_everything(bool on);
  void stop();  // nothing is marked any more
  // For a while: as if nothing could be reached, so that no hook is called. What is opened and
  // closed meanwhile is kept.
  void lift(bool lifted);

  // What a call that is on record opened or ended.
  void follow(const Event& event, const Definitions& definitions);

  // What a recorded rank has seen of its windows (runtime_abi.h), for the calling thread; and that
  // there is nothing of that any more.
  void show_seen(const photofinish_seen& seen);
  void forget_seen();
  // For a while nothing counts as seen.
  void pause_seen(bool paused) {
    for (photofinish_state* state : objects_) state->seen_thread = paused ? 0 : seen_thread_;
  }
  // How many loads found only that, since the last time.
  std::uint64_t take_known_loads() {
    std::uint64_t sum = 0;
    for (photofinish_state* state : objects_) sum += std::exchange(state->known_loads, 0);
    return sum;
  }

  // Whether any of these bytes can be reached. Each task keeps the last piece that it asked about.
  struct Piece {
    std::uint64_t begin = 0, end = 0, version = 0;
    bool reachable = false;
  };
  bool touches(std::uint64_t begin, std::uint64_t end, Piece& last) const {
    if (last.begin <= begin && end <= last.end &&
        last.version == version_.load(std::memory_order_acquire))
      return last.reachable;
    return look_up(begin, end, last);
  }
  // How much of them can be.
  enum class Part { None, Some, All };
  Part part(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Bytes {
    std::uint64_t begin, end;
  };
  // Of one-sided operations that are not over: buffers that lie one behind the other are one piece,
  // be they for several targets.
  struct Operation {
    std::int64_t target;
    Bytes bytes;
  };
  struct Operations {
    std::vector<Operation> pieces;
    std::vector<std::int64_t> targets;  // of those for several
  };
  bool look_up(std::uint64_t begin, std::uint64_t end, Piece& last) const;
  void find_objects();
  void show(photofinish_state& state) const;
  void open(Bytes bytes);
  void close(Bytes bytes);  // what was opened
  void change(Bytes bytes, bool opens);
  void extend(Bytes& open, std::uint64_t end);
  void widen(Bytes bytes);
  void add_operation(std::int64_t win, std::int64_t target, Bytes bytes);
  void mark(std::uint64_t first_page, std::uint64_t last_page, bool on);
  void close_requests(const Event& event);
  void close_operations(std::int64_t win, std::int64_t target, bool all);

  static std::atomic<Reach*> instance_;  // a failure clears it while other threads look
  Hooks hooks_;
  std::vector<photofinish_state*> objects_;
  mutable std::shared_mutex mutex_;
  std::atomic<std::uint64_t> version_{1};
  std::map<std::uint64_t, std::uint32_t> cover_;  // from here to the next key so many things reach
  std::uint64_t low_ = 0, high_ = 0;              // of all that was ever opened
  bool lifted_ = false;
  std::uint32_t everything_ = 0;  // so many want all memory to be watched
  std::uint64_t seen_thread_ = 0;
  std::vector<std::uint32_t> pages_;  // so many marks on each slot of the gate
  std::unordered_map<std::uint64_t, std::vector<Bytes>> requests_;
  std::unordered_set<std::uint64_t> persistent_;             // of these
  std::unordered_map<std::int64_t, Operations> operations_;  // by window
  std::unordered_map<std::int64_t, std::vector<Bytes>> windows_;
};

}  // namespace photofinish

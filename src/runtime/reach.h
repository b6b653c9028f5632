// Reachable memory: windows, attached memory, and buffers of pending operations. It is marked in
// the page-mark tables of instrumented objects (runtime_abi.h), so that only their loads and
// stores there call a hook.
//
// Rule: memory is marked from before the program regains control until the call that ends its
// reachability has returned. A mark that lasts too long costs time; one that is too short misses
// races. If an end is not seen (persistent requests), the mark stays until the object is freed.
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
  // Null if no object in the process is instrumented.
  static Reach* get() { return instance_.load(std::memory_order_acquire); }
  using AccessHook = void (*)(photofinish_site*, const void*, std::uint64_t, const void*);
  using RangeHook = void (*)(photofinish_site*, const void*, std::uint64_t, std::uint64_t,
                             std::int64_t, std::uint64_t, std::int64_t);
  using IndicesHook = std::uint64_t (*)(photofinish_index*, const void*, std::uint64_t);
  using GatherHook = void (*)(photofinish_site*, const void*, std::uint64_t, std::uint64_t,
                              photofinish_index*, std::uint64_t);
  using LoadedHook = void (*)(const void*, void*, std::uint64_t, const void*);
  using StoredHook = void (*)(const void*, const void*, std::uint64_t, const void*);
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
    LoadedHook loaded = nullptr;  // in recorded or replayed processes
    StoredHook stored = nullptr;
    AheadHook ahead = nullptr;
    BehindHook behind = nullptr;
    CheckHook check = nullptr;
    SynchronizeHook synchronize = nullptr;
    RegionHook region = nullptr;
    RegionHook atomic = nullptr;  // in recorded or replayed processes
  };
  static void start(const Hooks& hooks);

  // All memory counts as reachable, until each caller has switched it off again.
  void watch_everything(bool on);
  void stop();  // clears all marks
  // All that is reachable lies in [first, second). Both 0: nothing is.
  std::pair<std::uint64_t, std::uint64_t> bounds() const {
    std::shared_lock lock(mutex_);
    return {low_, high_};
  }
  // Clears all marks temporarily, so that no hook is called. Memory that is opened and closed
  // meanwhile is tracked.
  void lift(bool lifted);
  // The program enters its copies without tests while it rests. The marks stay.
  void rest(bool rests);

  // Opens or closes the memory that the recorded call affects.
  // `completes`: which operations on the event's window the call completes.
  enum class Completes { Nothing, OneTarget, AllTargets };
  void follow(const Event& event, const Definitions& definitions, Completes completes);

  // The same for memory that no window event describes: symmetric memory, and the buffers of
  // pending operations, by a key that is no window.
  void add_memory(std::uint64_t begin, std::uint64_t end);
  void remove_memory(std::uint64_t begin, std::uint64_t end);  // must have been added
  void begin_operation(std::int64_t key, std::int64_t target, const Buffer& buffer,
                       const Definitions& definitions);
  void end_operations(std::int64_t key);

  // The known values of the windows of a recorded rank (runtime_abi.h), for the calling thread; and
  // their removal.
  void show_seen(const photofinish_seen& seen);
  void forget_seen();
  // Temporarily treats nothing as known. Other threads than that of show_seen() have no part in it.
  void pause_seen(bool paused) {
    if (is_of_other_thread()) return;
    for (photofinish_state* state : objects_) state->seen_thread = paused ? 0 : seen_thread_;
  }
  // The number of loads that found only known values, since the last call.
  std::uint64_t take_known_loads() {
    if (is_of_other_thread()) return 0;
    std::uint64_t sum = 0;
    for (photofinish_state* state : objects_) sum += std::exchange(state->known_loads, 0);
    return sum;
  }

  // Whether any of these bytes is reachable. Each task caches the last range that it asked about.
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
  // How much of the range is reachable.
  enum class Part { None, Some, All };
  Part part(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Bytes {
    std::uint64_t begin, end;
  };
  // Pending one-sided operations. Adjacent buffers are one range, even for several targets.
  struct Operation {
    std::int64_t target;
    Bytes bytes;
  };
  struct Operations {
    std::vector<Operation> pieces;
    std::vector<std::int64_t> targets;  // of ranges with several targets
  };
  bool look_up(std::uint64_t begin, std::uint64_t end, Piece& last) const;
  void find_objects();
  void show(photofinish_state& state) const;
  void open(Bytes bytes);
  void close(Bytes bytes);  // must have been opened
  void change(Bytes bytes, bool opens);
  void extend(Bytes& open, std::uint64_t end);
  void set_bounds();
  void add_operation(std::int64_t win, std::int64_t target, Bytes bytes);
  void mark(std::uint64_t first_page, std::uint64_t last_page, bool on);
  void close_requests(const Event& event);
  static Bytes bytes_of(const Buffer& buffer, const Definitions& definitions);
  void close_operations(std::int64_t win, std::int64_t target, bool all);

  static std::atomic<Reach*> instance_;  // a failure clears it while other threads read it
  Hooks hooks_;
  std::vector<photofinish_state*> objects_;
  mutable std::shared_mutex mutex_;
  std::atomic<std::uint64_t> version_{1};
  // Number of open ranges from this address to the next key.
  std::map<std::uint64_t, std::uint32_t> cover_;
  std::uint64_t low_ = 0, high_ = 0;  // bounds of all open ranges; both 0: there are none
  bool lifted_ = false;
  std::uint32_t everything_ = 0;  // callers that want all memory watched
  bool is_of_other_thread() const {
    return seen_thread_ != 0 &&
           seen_thread_ != reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  }
  std::uint64_t seen_thread_ = 0;
  std::vector<std::uint32_t> pages_;  // number of open ranges per table slot
  std::unordered_map<std::uint64_t, std::vector<Bytes>> requests_;
  std::vector<Bytes> freed_;  // of freed requests, until the rank may know that they are complete
  std::atomic<bool> has_freed_{false};
  std::unordered_set<std::uint64_t> persistent_;             // persistent requests
  std::unordered_map<std::int64_t, Operations> operations_;  // by window
  std::unordered_map<std::int64_t, std::vector<Bytes>> windows_;
};

}  // namespace photofinish

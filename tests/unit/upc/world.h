// Executions of UPC programs: the events that the threads would have recorded, and the races by
// definition, to compare the analysis with.
//
// The calls of a World are made in one order, that of the execution, with the values that strict
// words have then. At the same time it builds a graph that states what each call orders, from
// docs/internals/upc.md alone:
//
//   every call          start → return → start of the thread's next call
//   relaxed access      start → begins → done → return
//   transfer            start → begins → done; done → return of its upc_sync
//   strict access       start → begins → done → return; done of a write → return of a read of its
//   value upc_barrier         all calls → all returns notify and wait     all upc_notify (or
//   upc_barrier) calls → all upc_wait returns lock                upc_unlock call → return of the
//   next upc_lock semaphore           post call → return of each wait that saw its unit
//
// Two conflicting accesses race unless the end of one reaches the begin of the other. The twin has
// no timestamps, no sync points and no reconstruction of values.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/access.h"
#include "model/definitions.h"
#include "model/event.h"

namespace photofinish::upc_testing {

inline constexpr std::uint64_t kBytes = 4096;
inline constexpr std::uint64_t kPrivate = 0x900000;

struct Side {
  int thread = 0;
  std::uint32_t event = 0;
  AccessKind kind{};
  auto operator<=>(const Side&) const = default;
};
struct Race {
  int owner = 0;
  Side one, other;
  auto operator<=>(const Race&) const = default;
};
std::string text(const std::set<Race>& races);

class World {
 public:
  explicit World(int threads);
  int size() const { return static_cast<int>(threads_.size()); }

  // --- relaxed accesses; those to the thread's own memory are loads and stores
  void read(int thread, int owner, std::uint64_t offset);
  void write(int thread, int owner, std::uint64_t offset);
  void memput(int thread, int owner, std::uint64_t offset, std::int64_t bytes);
  void memget(int thread, int owner, std::uint64_t offset, std::int64_t bytes);
  // `handle`: 1 for those that upc_synci completes.
  void memput_nb(int thread, int owner, std::uint64_t offset, std::int64_t handle,
                 std::uint64_t origin = 0);
  void memget_nb(int thread, int owner, std::uint64_t offset, std::int64_t handle,
                 std::uint64_t origin = 0);
  void sync(int thread, std::int64_t handle);
  void store_private(int thread, std::uint64_t address);

  // --- strict accesses and atomics
  void strict_read(int thread, int owner, std::uint64_t offset);
  void strict_write(int thread, int owner, std::uint64_t offset, std::uint64_t value);
  void fetch_add(int thread, int owner, std::uint64_t offset, std::uint64_t value);

  // --- synchronization
  void barrier();
  // The k-th barrier in two forms: those in `split` notify now, and wait in finish_split().
  void begin_split(const std::set<int>& split);
  void finish_split();
  bool is_split() const { return is_split_; }
  void fence(int thread);
  void lock(int thread, std::uint64_t lock);
  void unlock(int thread, std::uint64_t lock);
  int holder(std::uint64_t lock) const;
  void post(int thread, std::uint64_t semaphore, std::int64_t count = 1);
  bool can_take(std::uint64_t semaphore) const;
  void take(int thread, std::uint64_t semaphore);
  // A collective with UPC_IN_ALLSYNC and UPC_OUT_ALLSYNC: each thread writes to its own memory.
  void broadcast(int root, std::uint64_t offset);
  void alloc_free(int freeing, int allocating, std::uint64_t block);
  void finalize();

  std::uint64_t value(int owner, std::uint64_t offset) const;

  std::set<Race> races() const;                              // by definition
  std::set<Race> found(std::size_t period = 1 << 18) const;  // by the analysis
  std::string text() const;                                  // the calls

 private:
  using Node = std::size_t;
  struct Thread {
    Definitions definitions;
    std::vector<Event> events;
    Node next = 0;  // where its next call starts
    std::int64_t atomics = 0;
    std::map<std::int64_t, std::vector<Node>> pending;  // by handle: done
  };
  struct Call_ {
    int thread = 0;
    Event* event = nullptr;
    Node start = 0, end = 0;
  };
  struct TwinAccess {
    int thread = 0, owner = 0;
    AccessKind kind{};
    bool reads_only = false;
    std::uint64_t from = 0, to = 0;
    Node begin = 0, end = 0;
    std::uint32_t event = 0;
  };
  struct Word {
    std::uint64_t value = 0;
    std::vector<Node> shows;
  };
  struct LockState {
    int holder = -1;
    std::int64_t turn = 0;
    std::vector<Node> released;
  };
  struct Units {
    std::int64_t posted = 0, taken = 0;
    std::vector<Node> posts;
  };

  Node node();
  void edge(Node from, Node to) { next_[from].push_back(to); }
  Thread& at(int thread) { return threads_[static_cast<std::size_t>(thread)]; }
  Call_ call(int thread, Call what);
  void advance() { clock_ += 100; }
  void access(const Call_& call, int owner, AccessKind kind, std::uint64_t address,
              std::int64_t bytes, Node begin, Node end, bool reads_only = false);
  void relaxed(int thread, Call what, int owner, std::uint64_t offset, std::int64_t bytes,
               bool writes);
  void transfer(int thread, Call what, int owner, std::uint64_t offset, std::int64_t handle,
                std::uint64_t origin, bool writes);
  Node strict(int thread, Call what, int owner, std::uint64_t offset, bool reads_only, bool fetches,
              std::uint64_t operand);
  void own(int thread, Call what, std::uint64_t address, std::int64_t bytes);
  void target(const Call_& call, int owner, BufferUse use, std::uint64_t offset,
              std::int64_t bytes);
  void object(const Call_& call, std::uint64_t displacement, std::int64_t value);
  void together(Call what);

  std::vector<Thread> threads_;
  std::vector<std::vector<Node>> next_;
  std::vector<TwinAccess> accesses_;
  std::map<std::pair<int, std::uint64_t>, Word> words_;
  std::map<std::uint64_t, LockState> locks_;
  std::map<std::uint64_t, Units> units_;
  std::map<std::uint64_t, std::int64_t> freed_;
  bool is_split_ = false;
  std::set<int> split_;
  std::vector<Node> notified_;
  std::uint64_t clock_ = 1000;
  std::uint64_t fresh_ = kPrivate + 0x10000;
};

}  // namespace photofinish::upc_testing

// Executions of OpenSHMEM programs: the events that the PEs would have recorded, and the races by
// definition, to compare the analysis with.
//
// The calls of a World are made in one order, that of the execution, with the values that the words
// of symmetric memory have then. At the same time it builds a graph that states what each call
// orders, from docs/internals/openshmem.md alone:
//
//   every call     start → return → start of the PE's next call
//   operation      start → begins at the target → delivered
//   fence          delivered → a later operation on that PE in the context begins
//   quiet          delivered → return
//   observation    delivered → return of the call that read the value
//   barrier        all calls → all returns
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

namespace photofinish::shmem_testing {

inline constexpr std::uint64_t kHeapBytes = 4096, kStaticBytes = 256;

// A symmetric object. Offsets from kStatic on are static data, which has another address on each
// PE.
inline constexpr std::uint64_t kStatic = 0x10000;
inline constexpr std::uint64_t kPrivate = 0x900000;  // address of memory that is not symmetric

struct Side {
  int rank = 0;
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

struct How {
  int context = 0;
  bool nonblocking = false;
  std::uint64_t origin = 0;  // address of the origin buffer; 0: none that anyone else uses
};

class World {
 public:
  explicit World(int pes);
  int size() const { return static_cast<int>(pes_.size()); }

  // The next calls have these sites, one after the other: for the body of a loop. Otherwise every
  // call has its own. races() then does not tell them apart.
  void begin_body(std::uint32_t first_site) { site_ = first_site; }

  // --- threads
  // The next calls of the PE are made by this thread; all calls so far come before its first one.
  void continue_as(int pe, std::uint32_t thread);
  // What the thread of the PE did so far comes before what the other one does from now on.
  void hand_over(int pe, std::uint32_t to);

  // --- operations
  void put(int pe, int target, std::uint64_t offset, std::int64_t bytes = 8, How how = {});
  void p(int pe, int target, std::uint64_t offset, std::uint64_t value, How how = {});
  void get(int pe, int target, std::uint64_t offset, std::int64_t bytes = 8, How how = {});
  enum class Signal { Set, Add };
  void put_signal(int pe, int target, std::uint64_t offset, std::int64_t bytes,
                  std::uint64_t signal, std::uint64_t value, Signal op = Signal::Set, How how = {});
  // shmem_atomic_*, of elements of 8 bytes.
  void atomic(int pe, int target, std::uint64_t offset, Call call, std::uint64_t value = 0,
              How how = {});
  void compare_swap(int pe, int target, std::uint64_t offset, std::uint64_t compare,
                    std::uint64_t value);

  // --- observations of the PE's own word, which has its value now
  void wait_until(int pe, std::uint64_t offset);
  void signal_wait_until(int pe, std::uint64_t offset);
  void hang_in_wait(int pe, std::uint64_t offset);  // the PE's last call
  void wait_until_all(int pe, const std::vector<std::uint64_t>& offsets);

  void message(int from, int to);  // MPI_Send and MPI_Recv

  // --- completion and order
  void quiet(int pe, int context = 0);
  void fence(int pe, int context = 0);
  void destroy_context(int pe, int context);
  void barrier_all();
  void sync_all();
  void barrier(const std::vector<int>& team);
  void sync(const std::vector<int>& team);
  void broadcast(int root, const std::vector<int>& team, std::uint64_t psync);
  void reduce(const std::vector<int>& team, std::uint64_t psync);
  void set_lock(int pe, std::uint64_t offset);
  void clear_lock(int pe, std::uint64_t offset);
  void malloc();
  void free(std::uint64_t offset, std::int64_t bytes);
  void finalize();

  // --- the program itself
  void load(int pe, std::uint64_t offset, std::int64_t bytes = 8);
  void store(int pe, std::uint64_t offset, std::int64_t bytes = 8);
  void load_private(int pe, std::uint64_t address, std::int64_t bytes = 8);
  void store_private(int pe, std::uint64_t address, std::int64_t bytes = 8);
  // Through the pointer of shmem_ptr.
  void map(int pe, int target);
  void load_mapped(int pe, int target, std::uint64_t offset, std::int64_t bytes = 8);
  void store_mapped(int pe, int target, std::uint64_t offset, std::int64_t bytes = 8);

  std::uint64_t value(int pe, std::uint64_t offset) const;
  bool is_locked(std::uint64_t offset) const;
  bool holds(int pe, std::uint64_t offset) const;

  std::set<Race> races() const;                              // by definition
  std::set<Race> found(std::size_t period = 1 << 18) const;  // by the analysis
  std::string text() const;                                  // the calls

 private:
  using Node = std::size_t;
  struct Pe {
    Definitions definitions;
    std::vector<Event> events;
    // By thread: where its next call starts.
    std::map<std::uint32_t, Node> last;
    std::uint32_t thread = 1;
    bool has_threads = false;
    std::int64_t order = 0;
    std::int64_t keys = 0;
    Node& next() { return last[thread]; }
    // By context: the number of fences.
    std::map<int, std::uint32_t> stages;
    std::int64_t atomics = 0;
  };
  struct Call_ {
    int pe = 0;
    Event* event = nullptr;
    Node start = 0, middle = 0, end = 0;
  };
  struct Operation {
    int pe = 0, target = 0, context = 0;
    std::uint32_t stage = 0;
    bool ordered = false;  // by a fence
    Node begins = 0, delivered = 0, free = 0;
    std::int64_t atomic = 0;  // fetched later: its number, and the result
    std::uint64_t result = 0;
    bool fetched_later = false;
    std::vector<Node> sources;  // what that result shows
  };
  struct TwinAccess {
    int rank = 0, owner = 0;
    AccessKind kind{};
    bool reads_only = false;
    std::uint64_t from = 0, to = 0;  // addresses of the owner
    Node begin = 0, end = 0;
    std::uint32_t event = 0;
  };
  struct Word {
    std::uint64_t value = 0;
    std::vector<Node> shows;  // who read the value knows that these are delivered
  };

  Node node();
  void edge(Node from, Node to) { next_[from].push_back(to); }
  Call_ call(int pe, Call what);
  void advance() { clock_ += 100; }
  void access(const Call_& call, int owner, AccessKind kind, std::uint64_t address,
              std::int64_t bytes, Node begin, Node end, bool reads_only = false);
  std::uint64_t address_of(int pe, std::uint64_t offset) const;
  static WinId region_of(std::uint64_t offset) { return WinId(offset >= kStatic ? 2 : 1); }
  static std::uint64_t displacement_of(std::uint64_t offset) {
    return offset >= kStatic ? offset - kStatic : offset;
  }
  void set_target(const Call_& call, int target, std::uint64_t offset, const How& how);
  Operation& begin(const Call_& call, int target, const How& how, bool ordered);
  void origin(const Call_& call, BufferUse use, std::int64_t bytes, const How& how,
              Operation& operation);
  void observe(const Call_& call, int owner, std::uint64_t offset);
  void complete(const Call_& call, int context);
  void follow(const Call_& call, const std::vector<Node>& sources);
  void together(const std::vector<int>& team, Call what, bool completes, std::uint64_t psync = 0,
                int root = -1);
  CommId team_of(const std::vector<int>& team);
  void own(int pe, Call what, std::uint64_t address, std::int64_t bytes);
  void wait(int pe, Call what, const std::vector<std::uint64_t>& offsets);
  void mapped(int pe, int target, std::uint64_t offset, std::int64_t bytes, Call what);

  std::vector<Pe> pes_;
  std::vector<std::vector<Node>> next_;
  std::vector<TwinAccess> accesses_;
  std::vector<Operation> pending_;
  std::map<std::pair<int, std::uint64_t>, Word> words_;
  std::map<std::vector<int>, CommId> teams_;
  struct LockState {
    int holder = -1;
    Node released = 0;
    bool was_released = false;
  };
  std::map<std::uint64_t, LockState> locks_;
  std::uint64_t clock_ = 1000;
  std::uint32_t site_ = 0;
  std::uint64_t fresh_ = kPrivate + 0x10000;
};

}  // namespace photofinish::shmem_testing

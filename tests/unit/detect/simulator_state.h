// The state of a simulation: the ranks, their windows, and all pending operations.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "mailbox.h"
#include "simulator.h"

namespace photofinish::testing {

// The memory layout, the same on every rank: windows cover data (one slot for each rank) and the
// words of atomics; buffers are separate.
inline constexpr std::uint64_t kMemory = 0x1000;
inline constexpr std::uint64_t kSlot = 8, kSlots = 5, kWords = 6;
inline constexpr std::uint64_t kMemorySize = kSlot * (kSlots + kWords);
inline constexpr std::uint64_t kBuffers = 0x2000;
inline constexpr std::uint64_t slot_address(std::uint64_t slot) { return kMemory + kSlot * slot; }
inline constexpr std::uint64_t word_address(std::uint64_t word) {
  return slot_address(kSlots + word);
}

class Simulator {
 public:
  explicit Simulator(const Program& program);
  Simulated run();

 private:
  enum class Mode { Fence, Epochs, Passive };

  struct Window {
    WinRef ref;
    CommRef comm;
    Mode mode{};
    bool made = false, freed = false;
    std::vector<std::int64_t> fences;   // assertions of fences with NOPRECEDE that some ranks have
                                        // called and others have not
    std::map<int, std::size_t> fenced;  // how many of these each rank has called
    std::map<int, bool> open;           // whether operations may follow the rank's last fence
    std::map<int, std::map<int, bool>> locks;  // by rank: target, exclusive
    std::set<int> all_locked;                  // ranks with lock_all
    struct Exposure {
      std::set<int> group, started, completed;
    };
    std::map<int, Exposure> posted;           // by target
    std::map<int, std::vector<int>> started;  // by origin
    bool live() const { return made && !freed; }
  };

  struct Operation {
    Ref event;
    int win = 0, target = 0;
    bool fetches = false;
    bool locally_complete = false, complete = false;
    // An atomic, with its bytes.
    bool atomic = false, applied = false, reported = false;
    std::uint64_t address = 0, operand = 0, compare = 0, result = 0;
    ReduceOp op = ReduceOp::None;
    Element element;
  };

  struct Request {
    RequestRef ref;
    int rank = 0;
    enum class Kind { Send, SynchronousSend, Receive, Collective, OneSided } kind{};
    bool persistent = false, active = true, released_done = false;
    std::size_t message = 0, post = 0, operation = 0;  // depending on the kind
    int comm = 0;
    std::size_t instance = 0;
    Data data;  // of a persistent request
    int peer = 0;
    std::int64_t tag = 0;
  };

  struct Instance {  // a collective
    Call call{};
    std::optional<CommRef> makes;  // the communicator that it makes
    int root = 0;
    std::int64_t bytes = 8;
    std::set<int> joined;
  };
  struct Comm {
    CommRef ref;
    bool ring = false;
    std::vector<Instance> instances;
    std::map<int, std::size_t> next;  // by rank
  };

  struct Queued {  // a rank's entry in the queue lock
    enum { Out, Linking, Waiting, Holding, Leaving } state = Out;
    int before = 0;
  };
  struct Ticket {
    std::optional<std::uint64_t> taken;
    bool inside = false;
  };

  // simulator.cpp
  void set_up();
  void take_by_anybody(Step step);
  void take(const Step& step);
  void finish();
  std::size_t events() const;
  int below(int limit, std::uint8_t byte) const { return byte % limit; }
  std::uint64_t pick_address(int rank, std::uint8_t c) const;
  Data pick_buffer(std::uint8_t d, std::int64_t bytes);
  void touch_memory(const Step& step);
  Ref next_event(int rank) {
    return {rank, script_.execution().ranks[static_cast<std::size_t>(rank)].events.size()};
  }
  int ranks() const { return script_.size(); }

  // simulator_messages.cpp
  int pick_comm(int rank, std::uint8_t a) const;  // that the rank is a member of
  int pick_peer(int rank, int comm, std::uint8_t byte) const;
  void send(const Step& step);
  void receive(const Step& step);
  void post_receive(const Step& step);
  void rendezvous(const Step& step);
  void exchange(const Step& step);
  void probe(const Step& step);
  void matched_probe(const Step& step);
  void prepare(const Step& step);
  void start(const Step& step);
  void deliver(const Step& step);
  Got got(std::size_t post) const;
  Got got_message(std::size_t message) const;
  void add_request(Ref made, Request request);
  void begin_persistent(Request& request, Ref start);
  std::vector<std::size_t> active_requests(int rank) const;
  bool can_complete(Request& request, std::uint8_t hint);
  Done complete(Request& request);  // report() reports the atomics that it completes
  void wait(const Step& step);
  void test(const Step& step);
  void wait_all(const Step& step);
  void wait_some(const Step& step);
  void get_status(const Step& step);
  void free_request(const Step& step);
  void complete_receives();

  // simulator_collectives.cpp
  void collective(const Step& step);
  void join_step(const Step& step);
  void make_comm(const Step& step);
  bool needs(const Comm& comm, const Instance& instance, int rank,
             int other) const;  // of the other's data
  bool all_it_needs(const Comm& comm, const Instance& instance, int rank) const;
  bool join(int comm, int rank, std::uint8_t d);
  void catch_up(int comm);
  void together(int comm, Call call, std::int64_t bytes, std::uint8_t d);
  void barrier(CommRef comm);

  // simulator_one_sided.cpp
  Window* pick_window(const Step& step);
  bool is_member(const Window& window, int rank) const;
  std::vector<int> targets(const Window& window, int rank) const;
  void one_sided(const Step& step);
  std::optional<std::size_t> one_sided(int rank, Window& window, int target, Call call,
                                       OneSided given, std::uint64_t address, bool at_once);
  void complete_operations(Ref by, int rank, int win, std::optional<int> target, bool remotely);
  void report(Ref by, Operation& operation, bool remotely);
  bool operations_open(int win) const;
  void fence(const Step& step);
  void call_fence(Window& window, int rank);
  void catch_up(Window& window);
  void fence_together(Window& window, std::int64_t assertion);
  void post(const Step& step);
  void start_epoch(const Step& step);
  void complete_epoch(const Step& step);
  void wait_epoch(const Step& step);
  void lock(const Step& step);
  void lock_all(Window& window, int rank, std::int64_t assertion);
  void unlock(const Step& step);
  void unlock_everything(Window& window, int rank);
  void flush(const Step& step);
  void flush(Window& window, int rank, int target, std::uint8_t how);
  bool at_rest(const Window& window) const;
  void switch_mode(const Step& step);
  void win_life(const Step& step);
  int index_of(const Window& window) const { return window.ref.index; }

  // simulator_atomics.cpp
  std::uint64_t read_memory(int rank, std::uint64_t address, std::size_t bytes) const;
  void write_memory(int rank, std::uint64_t address, std::size_t bytes, std::uint64_t value);
  void scribble(int rank, std::uint64_t address, std::int64_t bytes,
                std::uint64_t value);  // not by an atomic
  void apply(std::size_t operation);   // applies it and all earlier ones of this rank at this
                                       // target
  std::optional<std::uint64_t> atomic(int rank, Window& window, int home, std::uint64_t word,
                                      Call call, std::string_view op, std::uint64_t operand,
                                      std::uint64_t compare, bool complete, bool at_once = false);
  bool can_reach(const Window& window, int rank, int home) const;
  void guarded(int rank, Window& window, int home, std::uint64_t slot, std::uint8_t d);
  void flag(const Step& step);
  void ticket(const Step& step);
  void spin_lock(const Step& step);
  void queue_lock(const Step& step);
  void any_atomic(const Step& step);
  void progress(const Step& step);

  const Program& program_;
  Script script_;
  std::vector<Comm> comms_;
  std::vector<Window> windows_;
  std::vector<Operation> operations_;
  std::vector<Request> requests_;
  Mailbox mail_;
  std::map<int, std::vector<std::pair<Ref, std::size_t>>>
      probed_;  // messages taken by matched probes, by rank
  std::vector<std::array<std::uint8_t, kMemorySize>> memory_;
  std::map<std::tuple<int, int, int>, bool> spinning_;  // rank, window, home: whether it holds the
                                                        // lock
  std::map<std::tuple<int, int, int>, Ticket> tickets_;
  std::map<std::pair<int, int>, Queued>
      queued_;  // rank, window; the tail of the queue is at rank 0 of the window
};

}  // namespace photofinish::testing

// The order in which the threads of a recorded rank synchronize and communicate, and its
// enforcement on replay.
//
// Rule: a step of a thread that other threads can notice is a turn: an MPI call begins or returns,
// a lock is taken, an atomic operation is made. Turns of one rank have one order. While the rank
// is recorded, a turn is stored when it happens; what may block (taking a lock, receiving) becomes
// a turn only once it has happened. On replay, a thread waits until the next stored turn is its
// own.
//
// Why a replay does not deadlock: a thread that holds the turn may have to wait for another thread
// to release a lock. In the recorded run that release came first, and so did all turns of its
// thread before it. So nothing is left that the releasing thread would have to wait for.
//
// Worked example, two threads and a mutex:
//   recorded   T2 locks [turn 1: T2 lock], T2 unlocks, T1 locks [turn 2: T1 lock], T1 unlocks
//   replayed   T1 comes first: the next turn is T2's, T1 waits. T2 comes: turn 1, locks, unlocks.
//              T1: turn 2, locks.
//
// Threads are identified by names that do not depend on timing (runtime/turns.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "trace/codec.h"
#include "trace/writer.h"

namespace photofinish {

struct ThreadName {
  std::uint64_t value = 0;  // 0: none
  auto operator<=>(const ThreadName&) const = default;
};

enum class TurnKind : std::uint8_t {
  Call,    // an MPI call begins
  Return,  // an MPI call returns
  Local,   // an MPI call that needs no other rank
  Lock,
  TryLock,  // also timed forms: the value is the result
  Condition,
  Semaphore,
  Barrier,
  Once,
  Atomic,
  Chunk,   // of a parallel loop
  Single,  // OpenMP's single construct
  Load,    // from a window
  kCount
};

struct ThreadTurn {
  ThreadName thread;
  TurnKind kind{};
  std::int64_t value = 0;
  bool operator==(const ThreadTurn&) const = default;
};

// Most turns take one byte: which thread, which kind, and whether there is a value.
class TurnEncoder {
 public:
  static constexpr std::size_t kMaxBytes = 3 * kMaxVarint;
  std::size_t encode(const ThreadTurn& turn, std::uint8_t* out);

 private:
  std::map<ThreadName, std::uint64_t> numbers_;
};

class TurnDecoder {
 public:
  // Returns whole turns, several at a time; false: no more.
  using Source = std::function<bool(std::vector<std::uint8_t>&)>;
  explicit TurnDecoder(Source source) : source_(std::move(source)) {}
  bool next(ThreadTurn& turn);  // false: no more, or the rest is damaged

 private:
  const Source source_;
  std::vector<std::uint8_t> chunk_;
  Decoder in_{nullptr, nullptr};
  std::vector<ThreadName> names_;
};

class TurnOrder {
 public:
  // Records.
  explicit TurnOrder(Lane* lane) : lane_(lane), decoder_(nullptr) {}
  // Replays. `is_blocked`: whether no thread of the program can go on by itself, apart from those
  // that wait for their turn.
  TurnOrder(TurnDecoder::Source source, std::function<bool()> is_blocked);

  bool replays() const { return lane_ == nullptr; }

  enum class Entered {
    Ordered,
    Other,  // it is this thread's turn, but the recorded one is of another kind: expected()
    End,    // there are no more turns
    Stuck   // the thread whose turn it is does not come: expected()
  };
  // Begins a turn of the calling thread. Until leave(), no other thread is in a turn.
  Entered enter(ThreadName thread, TurnKind kind);
  // Ends it. `value` is stored.
  void leave(const ThreadTurn& turn);
  // In a turn that is replayed, its recorded value.
  std::int64_t value() const { return next_.value; }
  const ThreadTurn& expected() const { return next_; }

  // The recorded thread took no further turn: waits until the others have taken theirs.
  void drain(ThreadName thread);

  // How long the order may stand still while all threads are blocked.
  void set_patience(unsigned milliseconds) { patience_ = milliseconds; }

 private:
  Entered enter_recorded();
  void advance();  // requires mutex_
  // Whether the order has stood still too long; called from time to time, with mutex_.
  bool is_stuck(std::uint64_t& seen, unsigned& waited);

  Lane* const lane_ = nullptr;
  std::atomic_flag busy_;  // while recording: some thread is in its turn
  TurnEncoder encoder_;

  std::mutex mutex_;  // of what follows
  std::condition_variable advanced_;
  TurnDecoder decoder_;
  std::function<bool()> is_blocked_;
  ThreadTurn next_;
  std::atomic<std::uint64_t> number_{0};  // of next_
  bool inside_ = false, at_end_ = false;
  unsigned patience_ = 10'000;
};

// The lane of a recorded rank in which its turns are stored.
inline constexpr TaskId kTurnJournal{0xfffffffd};

}  // namespace photofinish

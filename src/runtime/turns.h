// The threads of a recorded or replayed rank: their names, and the turns they take
// (record/turn_order.h).
//
// Rule: the name of a thread follows from its creation, not from timing. The first thread has
// kFirst; a thread that the program creates is named by its creator and by how many the creator
// made before; a thread of an OpenMP team by the thread that started the team and its number in
// it. Threads of MPI and of the tool have none, and take no turns.
//
// Ranks with one thread take no turns: Turns::active() is false until the program is about to
// create another one.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/turn_order.h"

namespace photofinish {

class Turns {
 public:
  static constexpr ThreadName kFirst{1};

  // In a process that is going to be recorded or replayed, before main, by the first thread.
  static void name_threads();
  static bool names_threads() { return names_threads_; }

  struct Hooks {
    // Whether the calling thread runs the program, not a callback of MPI or the tool.
    bool (*is_program)() = nullptr;
    // The program is about to create its first thread, or has created it already.
    TurnOrder& (*begin)() = nullptr;
    // A turn inside an explicit OpenMP task: which thread executes it is not enforced.
    void (*in_task)() = nullptr;
    // The replay cannot go on. Does not return.
    void (*diverge)(TurnKind asked, const ThreadTurn& expected, bool stuck) = nullptr;
  };
  // Once there is a journal.
  static void follow(const Hooks& hooks);
  // By whoever is about to create a thread.
  static void begin();

  static bool active() { return active_.load(std::memory_order_relaxed); }
  static bool replays() { return order_->replays(); }
  // Whether what the calling thread is about to do is a turn: in the program, and in a call of MPI.
  static bool here() { return in_call() && hooks_.is_program(); }
  static bool in_call() { return active() && self_ != ThreadName{} && state_ == State::Outside; }

  static ThreadName self() { return self_; }
  static void set_self(ThreadName name);
  // For a thread that the calling thread is about to create.
  static ThreadName next_child();
  // For a thread of a team that the thread `starter` started.
  static ThreadName team_member(ThreadName starter, unsigned number);

  // Begins and ends a turn. False: the record has ended, so nothing is enforced.
  static bool enter(TurnKind kind);
  static void leave(std::int64_t value);
  static std::int64_t value() { return order_->value(); }
  // The recorded thread came no further: waits until the others have taken their turns.
  static void drain();

  // Whether all threads that have names wait for each other (Linux: from /proc).
  static bool are_blocked();

 private:
  static bool names_threads_, has_threads_;
  static std::atomic<bool> active_;
  static TurnOrder* order_;
  static Hooks hooks_;
  static thread_local ThreadName self_;
  static thread_local std::uint64_t children_;
  enum class State : std::uint8_t { Outside, Ordered, AfterEnd };
  static thread_local State state_;
  static thread_local TurnKind kind_;
};

// A turn, until the end of the scope, if the calling thread takes any.
class TurnScope {
 public:
  TurnScope(TurnKind kind, bool here) : entered_(here), ordered_(here && Turns::enter(kind)) {}
  explicit TurnScope(TurnKind kind) : TurnScope(kind, Turns::here()) {}
  ~TurnScope() { end(); }
  TurnScope(const TurnScope&) = delete;
  TurnScope& operator=(const TurnScope&) = delete;
  bool is_ordered() const { return ordered_; }
  std::int64_t recorded() const { return Turns::value(); }
  void set(std::int64_t value) { value_ = value; }
  void end() {
    if (entered_) Turns::leave(value_);
    entered_ = false;
  }

 private:
  bool entered_, ordered_;
  std::int64_t value_ = 0;
};

}  // namespace photofinish

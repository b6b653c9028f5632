// One rank of an explored run at the gate of shared objects, for all front ends: operations on a
// word are made one after the other, and locks are granted, in the prescribed order as far as there
// is one (explore/object_order.h).
//
//   gate->begin_call(call);                  // a call of the program, also one that uses no object
//   if (gate->enter({.object = …}))          // waits for its turn
//     made(), gate->leave({.effect = …});    // and the next one begins
//
// Polling: a call that repeats the previous one of its rank, which changed nothing, has the same
// result until another rank changes the object. Such a repetition needs no turn, and the first call
// after the change is not possible before it. So a loop that polls has few orders, and a rank in it
// counts as one that waits.
//
// Ground rules: an operation is complete when it leaves. A rank that waits here makes progress.
// Every wait ends: after some time, calls are passed on, and the log shows that the order was not
// followed. Ranks on one node only.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explore/object_order.h"
#include "model/call.h"
#include "model/ids.h"

namespace photofinish {

class Steering;

class ObjectGate {
 public:
  using Effect = ObjectLogEntry::Effect;

  // Null unless this is an explored run of ranks on one node.
  static ObjectGate* get() { return instance_; }
  static void start(const std::string& directory, Steering& steering);

  // `passes`: the program may make it between two calls that poll.
  void begin_call(Call call, bool passes = false);

  struct Turn {
    std::uint64_t object = 0;  // the uid of the window
    std::int32_t target = 0;   // the rank whose memory it is
    std::uint64_t displacement = 0;
    SharedObject type = SharedObject::Word;
    Effect effect = Effect::None;  // Lock: not as long as the object is held
    // Identifies the call and its operands: one that changes nothing may repeat. 0: it never does.
    std::uint64_t repeats = 0;
    // Reads a word, for ranks that wait for its value.
    std::function<std::uint64_t()> value = nullptr;
    static std::uint64_t line_of(const Turn& turn);
  };
  struct Result {
    Effect effect = Effect::Change;
    std::uint64_t returned = 0;
    std::optional<std::uint64_t> value = std::nullopt;  // of the word now
  };
  // False: the order is not controlled. Otherwise no other operation begins before leave().
  bool enter(const Turn& turn);
  void leave(const Result& result);
  // The release of a SharedObject::Lock, which needs no turn, has been made.
  void unlocked(const Turn& turn);

  // A store to a word without a turn is about to be made.
  void about_to_write(const Turn& word, std::uint64_t value);
  // The rank has waited until the word satisfied a condition. `before`: it did so at once.
  std::uint32_t now();  // to be passed on as `since`, from before the wait
  using Satisfies = std::function<bool(std::uint64_t)>;
  void observed(const Turn& word, std::uint32_t since, bool before, const Satisfies& satisfies);

 private:
  explicit ObjectGate(Steering& steering) : steering_(steering) {}
  bool take();
  bool take_soon();
  void give_back();
  void give_up();
  void stop_controlling();
  void append(ObjectLogEntry& entry, ObjectLogEntry::Kind kind);
  void read_new();
  bool may_pass(const Turn& turn, std::uint64_t line);
  std::uint32_t first_change(std::uint64_t line, std::uint32_t since) const;
  ObjectLogEntry entry_of(const Turn& turn) const;
  void add_initial(const Turn& turn, ObjectLogEntry& entry);
  std::uint32_t arriving_write(std::uint64_t line, std::uint32_t since,
                               const Satisfies& satisfies) const;
  void end_polling();

  static ObjectGate* instance_;  // never deleted

  Steering& steering_;
  ObjectLog* log_ = nullptr;
  std::int32_t rank_ = 0;
  std::map<std::uint64_t, std::vector<std::int32_t>> prescribed_;
  std::atomic<bool> given_up_ = false;  // a wait was in vain
  // With the log taken.
  std::uint32_t read_ = 0;  // entries of the log
  std::map<std::uint64_t, std::size_t> served_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> changes_;  // by line: indices
  std::set<std::uint64_t> held_;                                 // locks, by line
  std::set<std::uint64_t> valued_;                               // lines whose entries have values
};

}  // namespace photofinish

// One rank of an explored run at the gate of shared objects: atomic operations on a location of a
// window are made one after the other, and exclusive window locks are granted, in the prescribed
// order as far as there is one (explore/object_order.h).
//
// Ground rules: an operation is complete at its target before the next one begins, which MPI allows
// in a lock epoch. A rank that waits here progresses MPI. Every wait ends: after a minute, calls
// are passed on, and the log shows that the order was not followed. Ranks on one node only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explore/object_order.h"
#include "frontend/mpi/context.h"

namespace photofinish::mpi {

class ObjectGate {
 public:
  static ObjectGate* get() { return instance_; }
  static void start(const std::string& directory, WorldRank rank);

  // Around a call, on the thread that makes it.
  void enter(Context& c, const std::function<void()>& progress);
  void leave(Context& c);

 private:
  bool take();
  void give_back();
  void append(ObjectLogEntry::Kind kind);
  void read_new();
  bool may_pass(bool is_lock);
  std::pair<std::uint64_t, std::int32_t> epoch_of(const Context& c) const;

  static ObjectGate* instance_;  // never deleted

  ObjectLog* log_ = nullptr;
  std::int32_t rank_ = 0;
  std::map<std::uint64_t, std::vector<std::int32_t>> prescribed_;
  std::uint64_t ordinal_ = 0;
  ObjectLogEntry now_{};    // of the call at hand
  bool operates_ = false;   // and it holds the log
  bool given_up_ = false;   // a wait was in vain
  std::uint32_t read_ = 0;  // entries of the log
  std::map<std::uint64_t, std::size_t> served_;
  std::set<std::uint64_t> held_;                                // locks, by line
  std::set<std::pair<std::uint64_t, std::int32_t>> epochs_;     // of this rank: window, target
  std::set<std::pair<std::uint64_t, std::int32_t>> exclusive_;  // of these: exclusive, at the gate
};

}  // namespace photofinish::mpi

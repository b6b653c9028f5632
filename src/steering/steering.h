// The engine of a confirming run in one rank, for all front ends: holds tasks that reach an access
// site of the race, and releases them in the order that was asked for (docs/internals/confirm.md).
//
// A front end whose operations are complete when they return has a call before, and one after:
//
//   steering.enter();                                       // a call of the program begins
//   if (const auto sides = steering.sides_at_call(call, site)) {
//     TableEntry access = steering.make_access(sides);
//     access.owner = …;                                     // whose memory; then its bytes there
//     steering.add_buffers(access, event.buffers, kind, base, unit);
//     steering.reach(access, {});                           // waits for the other access
//   }
//   real(…);
//   steering.leave(effect, [] { return true; });            // the access is over
//
// Operations that stay pending after their call may be completed early or deferred
// (steering/operation.h).
//
// Ground rules: every wait ends, and none stops the progress of the library. Whatever cannot be
// steered is passed through and reported as not forced.
//
// steering.cpp: start, access sites, and the steps around a call. rendezvous.cpp: who waits for
// whom. operations.cpp: pending operations. accesses.cpp: loads and stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/process_times.h"
#include "confirm/rendezvous_table.h"
#include "confirm/schedule.h"
#include "model/definitions.h"
#include "model/event.h"
#include "steering/host.h"
#include "steering/operation.h"

namespace photofinish {

class Steering {
 public:
  // Null unless this is a confirming run.
  static Steering* get() { return instance_.load(std::memory_order_acquire); }
  static bool has_schedule(const std::string& directory);

  // --- start and end. `recorded`: this rank is recorded for replay.
  Steering(Schedules schedules, WorldRank rank, int size, bool recorded, Host& host);
  // False if its file cannot be mapped; all ranks must have succeeded before `begin`.
  bool open_result(const std::string& directory);
  bool share_table(const std::string& directory);
  void open_channel(std::unique_ptr<MeetingChannel> channel);  // instead of the table
  void begin();
  // Where an address of this process is shared memory of another rank: its owner, and the address
  // there. One for each front end that has such memory.
  struct Place {
    WorldRank owner;
    std::int64_t address;
  };
  using FindPlace = std::function<std::optional<Place>(std::int64_t address)>;
  void add_memory(FindPlace find) { places_.push_back(std::move(find)); }
  void close_channel();  // in front of the last call
  void end();            // it has returned
  // This rank has failed: deferred calls are made, and others that wait for it proceed. In front of
  // a call that is passed on.
  void give_up(bool last);

  WorldRank rank() const { return rank_; }
  const Schedule& schedule() const { return schedule_; }
  const Schedules& schedules() const { return schedules_; }
  RankResult& result() { return *result_; }
  // Some finding is a race on memory; a side is a call that uses a buffer of its rank.
  bool is_of_memory() const { return of_memory_; }
  bool is_of_buffers() const { return of_buffers_; }
  // The calls are on record: of an explored run, or of a rank that is recorded for replay.
  bool records() const { return schedule_.explores || recorded_; }
  bool is_recorded() const { return recorded_; }

  // --- around a call, on the thread that makes it
  void enter();
  // The sides that a call at this site is; 0: none. Waits at the site of another race.
  std::uint32_t sides_at_call(Call call, SiteId site);
  bool has_pending() const { return !pending_.empty(); }
  // Before the call: pending operations that it completes may still meet the other access, and
  // deferred ones are issued if they have to be.
  void precede(const CallEffect& call);
  // An access of the call. Counted as an arrival. Its rank is the owner until the caller says
  // otherwise.
  TableEntry make_access(std::uint32_t sides);
  const ScheduledSide& side_of(const TableEntry& access) const;
  // Buffers of such a kind, at an address of the owner.
  void add_buffers(TableEntry& access, const std::vector<Buffer>& buffers, AccessKind kind,
                   std::int64_t base, std::int64_t unit) const;
  struct How {
    bool stays_pending = false;  // after the call
    bool is_deferrable = false;
  };
  void reach(TableEntry& access, const How& how);
  // Of the operation at hand: it is to be complete at once; it is not to be made now; it has been
  // completed at once.
  bool goes_first() const;
  bool is_deferred() const;
  bool is_complete() const;
  // The side that goes second is at the target. Otherwise the race is about the origin buffer: a
  // deferred operation must read it late, without a copy.
  bool second_is_in_target() const;
  // Instead of the call.
  void defer(PendingOperation operation);
  // No load or store matters any more.
  void lift_if_settled();
  void begin_waiting();
  void end_waiting();
  // After the call. `complete`: completes the operation at once, if that is possible; `pending`
  // describes it if it stays pending.
  void leave(const CallEffect& effect, const std::function<bool()>& complete,
             const std::function<PendingOperation()>& pending = nullptr);
  // The call has nothing to do with the race: none of the above is needed.
  bool lets_pass(Call call);

  // --- deferred operations of a model that promises progress
  bool has_deferred();
  // Issued once they are no longer needed, all other ranks wait, or they have been deferred for as
  // long as a pause lasts.
  void issue_if_late();
  // In place of a call that waits: until `is_over`, with progress. Deferred operations are issued
  // as by `issue_if_late`.
  void wait_while_deferring(const std::function<bool()>& is_over);

  // --- locks that the rank holds
  void hold_lock(const HeldLock& lock);
  void release_lock(const HeldLock& lock);
  const std::vector<HeldLock>& locks() const { return locks_; }

  // --- waits of a front end
  std::uint64_t wait_ns();  // a clock that stands still while a rank cannot run
  bool all_others_wait();
  void restart_quiet();  // this rank does what others may wait for
  void begin_pause();    // this rank waits, for all to see
  void end_pause();
  bool await_completion(const std::function<bool()>& is_complete, std::uint32_t limit_ms);
  void make_progress();
  void let_others_continue();  // until all wait
  void stop_for_debugger();

  // --- loads and stores
  bool checks_memory() const;
  // Of the sides that are loads and stores (base/line_key.h).
  std::vector<std::uint32_t> lines() const;
  // The sides that a load or store at this call site is, as one byte that is not 0.
  std::uint8_t sides_at(Call call, std::uint64_t pc);
  // Whether a load or store at a site with such a byte (0: not known) is to be reported.
  bool wants(std::uint8_t sides) const;
  // The access is about to be made. `loop`: the first of many.
  void reach_access(std::uint8_t sides, std::vector<Strided> footprint, bool loop);
  // The thread synchronizes with others, or makes a call: its accesses so far are over.
  void end_accesses();

 private:
  template <class Write>
  void exchange(Write write);
  void receive_messages();
  std::uint32_t sides_of(Call call, SiteId site);
  std::uint64_t key_of(Call call, SiteId site) const;
  TableEntry make_entry(std::uint32_t sides);
  void count_arrival(std::uint32_t sides, bool by_access);
  bool takes_part(std::uint32_t sides) const;
  bool wants_to_wait(std::uint32_t sides);
  Turn reach_site(TableEntry& mine, bool stays_pending, std::uint32_t& slot);
  Turn pause(std::uint32_t limit_ms, std::uint32_t slot);
  Turn await_answers(std::uint64_t ask, Turn turn);
  void wait_for_first();
  void let_first_continue();
  void hold_at_other_site();
  void first_is_done();
  void store_meeting();
  void close(std::uint64_t number);
  bool is_settled() const;
  bool has_met() const;
  static bool must_issue_locally(const PendingOperation& operation) {
    return operation.over_locally || (operation.later && operation.copy == nullptr);
  }
  void before_completion(const CallEffect& call);
  void issue_deferred(const CallEffect& call);
  void retire(const CallEffect& effect);
  void complete_pending();
  bool is_overdue(const PendingOperation& operation);
  void issue_all();
  void issue(const std::vector<std::function<void()>>& due);
  ByteRange bytes_of_race() const;
  bool is_other_stopped();
  bool does_other_starve();

  template <class Change>
  void with_table(Change change);

  static std::atomic<Steering*> instance_;  // a failure clears it while other threads read it

  const Schedules schedules_;
  const std::size_t finding_;  // the one that this rank takes part in
  const Schedule& schedule_;   // its
  const bool of_memory_;
  bool of_buffers_ = false;
  const WorldRank rank_;
  const int size_;
  const bool recorded_;
  Host& host_;
  std::vector<FindPlace> places_;
  RendezvousTable* table_ = nullptr;
  std::atomic<std::uint64_t>* words_ = nullptr;  // one for each rank: odd while it waits for others
  const std::atomic<std::uint64_t>* processes_ = nullptr;  // of each rank; null: on several nodes
  RankResult* result_ = nullptr;
  // Ranks on several nodes: the table is this rank's own.
  std::mutex channel_mutex_;
  std::unique_ptr<RendezvousTable> own_table_;
  std::unique_ptr<MeetingChannel> channel_;
  std::unique_ptr<MeetingProtocol> protocol_;  // null: both parties are in one rank

  std::mutex mutex_;                                        // of what follows
  std::unordered_map<std::uint64_t, std::uint32_t> sites_;  // sides by key
  std::vector<std::uint8_t> sides_of_site_;                 // 1 + sides; 0: not known yet
  std::vector<HeldLock> locks_;
  std::vector<PendingOperation> pending_;
  std::minstd_rand random_;
  double eagerness_ = 1;  // the probability of the next pause
  std::uint64_t arrivals_[2] = {};
  std::uint64_t timestamp_ = 1, arrival_timestamp_[2] = {};
  std::uint64_t deferred_since_ = 0;  // the last of them
  std::atomic<std::uint32_t> holds_in_vain_ = 0;
  // The other ranks' words at the last check, and for how long they have not changed.
  std::vector<std::uint64_t> seen_words_;
  std::uint64_t quiet_ns_ = 0, last_check_ = 0;
  std::vector<CoreTimes> seen_times_;  // of the other ranks, since they were found waiting
};

}  // namespace photofinish

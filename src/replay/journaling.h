// The engine of a recorded or replayed rank (docs/internals/record-replay.md), for all front ends.
//
// A call of the communication library is an entry of the journal: its key is the call, its site and
// its arguments; the reply is what it returns and what it writes to the program's memory. A
// recorded rank makes the call and stores the reply. A replayed rank does not make it, and receives
// the reply:
//
//   Entry entry(journaling, task);
//   journaling.ask_call(task, call, site);               // the key must be the recorded one
//   journaling.ask_with_arguments(task, event);
//   journaling.before_call(task);
//   if (!journaling.replays()) result = real(…);
//   entry.journal()(result);                             // stored, or set to the recorded one
//   journaling.exchange_written(task, buffer);           // the same for memory
//   entry.close();
//
// Calls that need no other process may be made again instead: they are no entries.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "record/start_info.h"
#include "record/watched_memory.h"
#include "replay/facts.h"
#include "replay/task_state.h"
#include "runtime/call_site.h"
#include "runtime/failure.h"
#include "runtime/object_lock.h"
#include "runtime/reach.h"
#include "runtime/turns.h"
#include "trace/reader.h"

namespace photofinish {

// A loop, or two nested ones: rows of bytes, stride apart; and all that `planes` times.
struct RangeShape {
  std::uint64_t rows;
  std::int64_t stride;
  std::uint64_t planes;
  std::int64_t plane_stride;
};

class Journaling {
 public:
  // Null unless this rank is recorded or replayed.
  static Journaling* get() { return instance_.load(std::memory_order_acquire); }
  // The rank has failed. A replayed one ends here: without its journal it cannot go on.
  static void stop() noexcept;
  // What the front end knows of the program.
  struct Setup {
    bool one_thread = false;   // only one thread communicates
    bool others_load = false;  // threads that do not may load from memory that others write, too
    bool steered = false;      // of a confirming run, in which operations may be complete early
    void (*abort)(int code) = nullptr;  // ends a replayed rank as an abort does
  };
  // `directory` is where this process writes. `replayed`: the trace to replay; null to record.
  static void start(Recorder& recorder, const std::string& directory,
                    std::unique_ptr<RankTrace> replayed, const Setup& setup);

  // The last call has returned. A rank that did not return from it when it was recorded ends here.
  void finalized(Task& task);
  bool replays() const { return replayed_ != nullptr; }
  bool is_steered() const { return setup_.steered; }
  Journal& of(Task& task) {
    const TaskState& state = TaskState::of(task);
    return state.journal != nullptr && state.journal_of == Turns::self() ? *state.journal
                                                                         : open_journal(task);
  }

  // Shares payloads inside the group (record/shared_payloads.h).
  void share(std::unique_ptr<PayloadTable> table, std::unique_ptr<PayloadFiles> files);
  const std::vector<WorldRank>& group() const { return group_; }
  void set_group(std::vector<WorldRank> sorted) { group_ = std::move(sorted); }

  // Begins an entry; its reply follows. A replayed rank with another key than the recorded one, or
  // with more entries, ends here.
  void ask(Task& task, std::uint32_t what, SiteId site);
  // The same for a call. One that the record ends in goes as far as before_call(): others of the
  // group may have received something from it.
  void ask_call(Task& task, Call call, SiteId site);
  void ask_with_arguments(Task& task, const Event& event);
  void answered(Task& task);

  // The rank is about to have several threads: the order of their turns, recorded or to be
  // replayed.
  TurnOrder& begin_turns();
  // The calling thread asks for a turn that is not the recorded one, or that never comes.
  [[noreturn]] void leave_order(Task& task, TurnKind asked, const ThreadTurn& expected, bool stuck);
  // Whether loads from memory that others write are turns: not if only one thread communicates.
  bool loads_are_turns() const { return !setup_.one_thread; }

  // What the program loads and stores in memory that others may write (record/watched_memory.h).
  void loaded(Task& task, CallSite call_site, const void* address, void* value, std::size_t bytes);
  void stored(Task& task, CallSite call_site, const void* address, const void* value,
              std::size_t bytes);
  void will_store(Task& task, CallSite call_site, const void* address, std::size_t bytes);
  // In front of a loop (runtime_abi.h): where it may find all of that.
  std::int64_t look_ahead(Task& task, CallSite call_site, const char* address, std::uint64_t bytes,
                          const RangeShape& shape);
  // What it may find around an address, if it looks at each block first; null: nothing.
  const photofinish_seen* all_around(const void* base, bool writes);
  void check_at(Task& task, CallSite call_site, const void* address, std::size_t bytes);

  // While a call runs, the library may call the program back: its loads are not recorded.
  static void pause_values(bool paused) {
    if (Reach* reach = Reach::get()) reach->pause_seen(paused);
  }

  // In a steered run, before a load or store: the stores before it have been made, and another rank
  // may be waiting for that.
  void settle_stores();

  // The contents of a buffer that a call has written: at most so many bytes, -1 for all. From
  // `share_from` bytes on they may be a shared payload.
  void exchange_memory(Task& task, const Buffer& buffer, std::int64_t most_bytes,
                       std::size_t share_from);
  // The same for the buffers of an operation that is complete now. `step` started it, if it is
  // one-sided.
  void exchange_fills(Task& task, const std::vector<Buffer>& fills, std::int64_t bytes,
                      std::uint64_t step);
  // Memory that others can write from now on, inside an entry; and its end.
  void watch(Task& task, std::uint64_t key, void* memory, std::size_t bytes);
  // The same for static data, which held `known` when it became reachable.
  void watch_known(std::uint64_t key, void* memory, const void* known, std::size_t bytes);
  void unwatch(std::uint64_t key);
  // A call of this rank names these bytes: others may write them, too.
  void name(const void* address, std::size_t bytes);
  // What a call has written to the program's memory.
  void exchange_written(Task& task, const Buffer& buffer);
  // Memory that others can write, and whose value a call has observed for the program.
  void exchange_observed(Task& task, CallSite call_site, const void* address, std::size_t bytes);
  // After a call that may have waited for others, if loads do not show what these have written.
  void exchange_changes(Task& task);
  void exchange_all_changes(Task& task);
  // Before a call is made, and before it sends anything to others.
  void report_stores(Task& task);
  void before_call(Task& task);

  // For calls that send to ranks of the group: publishes the contents of a buffer, and returns
  // their hash if they are shared; announces where a put will arrive.
  bool in_group(std::int64_t rank) const {
    return std::binary_search(group_.begin(), group_.end(),
                              WorldRank(static_cast<std::int32_t>(rank)));
  }
  std::optional<ContentHash> publish(Task& task, const Buffer& buffer);
  void publish_put(Task& task, const Buffer& origin, WorldRank target, Uid win,
                   const Buffer& there);
  // A buffer of `block` elements for each rank, one rank's at a time; 0: all are one rank's. A
  // group of one shares nothing, so nothing is divided.
  template <class Visitor>
  void each_piece(Task& task, const Buffer& buffer, std::int64_t block, Visitor&& visit) {
    if (block <= 0 || block >= buffer.count || group_.size() < 2) return visit(buffer);
    const std::int64_t extent = buffer.type == TypeId(0) ? 1 : map_of(task, buffer.type).extent;
    for (std::int64_t first = 0; first < buffer.count; first += block)
      visit(Buffer{buffer.access, buffer.address + static_cast<std::uint64_t>(first * extent),
                   std::min(block, buffer.count - first), buffer.type});
  }
  // For photofinish explain: what the current one-sided operation writes, and what the operation of
  // a step has read.
  void report_carried(Task& task, const Buffer& buffer);
  void report_brought(Task& task, std::uint64_t step, const Buffer& buffer);

  // A replayed rank is to say what it did, for photofinish explain.
  void keep_account(AccessRecordFilter order) {
    order_ = std::move(order);
    watched_.report_news();
  }

 private:
  Journaling(Recorder& recorder, std::string notes, std::unique_ptr<RankTrace> replayed,
             const Setup& setup)
      : recorder_(recorder),
        notes_(std::move(notes)),
        replayed_(std::move(replayed)),
        setup_(setup) {}
  [[gnu::cold, gnu::noinline]] Journal& open_journal(Task& task);
  std::unique_ptr<Journal> new_journal(ThreadName thread);
  const std::uint8_t* given(Task& task, const std::uint8_t* memory, std::size_t bytes);
  const DataMap& map_of(Task& task, TypeId type);
  std::string packed(const Buffer& buffer) const;
  void expect_arrivals();
  const WinDefinition* own_window(Uid uid);
  AccessRecordLog* account_of(Task& task);
  photofinish_seen around_ = {};  // of the last one that was asked for
  void settle_loads(Task& task);
  void report_loaded(Task& task, CallSite call_site, const void* address, const void* value,
                     std::size_t bytes, std::uint64_t tick);
  void show_seen(Journal& journal, const void* address);
  [[noreturn]] void left_path(Task& task, const Inquiry& expected);
  bool returned_from_last_call();
  [[noreturn]] void end_as_recorded(Task& task);

  static std::atomic<Journaling*> instance_;  // a failure clears it while other threads look
  Recorder& recorder_;
  const std::string notes_;
  const std::unique_ptr<RankTrace> replayed_;
  const Setup setup_;
  std::mutex mutex_;  // of `replayed_` and `journals_`
  std::map<ThreadName, std::unique_ptr<Journal>> journals_;
  std::unique_ptr<TurnOrder> turns_;
  ObjectLock watched_lock_;
  WatchedMemory watched_;
  std::vector<WorldRank> group_;
  std::unique_ptr<PayloadTable> table_;
  std::unique_ptr<PayloadFiles> files_;
  std::vector<Arrival> arrivals_;
  WinId last_arrival_;  // the window that it was for
  std::optional<AccessRecordFilter> order_;
  struct Pending {
    std::uint64_t pc;
    const void* address;
    std::size_t bytes;
  };
  std::vector<Pending>
      pending_;  // blocks that are about to be stored, of a rank that keeps an account of that
};

// The entry of one call. In between, facts about objects belong to it.
class Entry {
 public:
  Entry(Journaling& journaling, Task& task)
      : journaling_(journaling), task_(task), journal_(journaling.of(task)) {
    t_journal = &journal_;
    journaling.pause_values(true);
  }
  ~Entry() {
    if (open_) guarded([&] { close(); });  // the program has thrown something through the call
    t_journal = nullptr;
    journaling_.pause_values(false);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  // It is complete: on record, or all that was recorded has been given back.
  void close() {
    open_ = false;
    journaling_.answered(task_);
  }
  void give_up() { open_ = false; }
  Journal& journal() { return journal_; }

 private:
  Journaling& journaling_;
  Task& task_;
  Journal& journal_;
  bool open_ = true;
};

}  // namespace photofinish

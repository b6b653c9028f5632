// A rank that is recorded, or replayed (docs/internals/record-replay.md).
// Each call is a question to the
// outside; what it returns, and what it puts into the program's memory, is the answer. The recorded
// rank asks MPI and keeps the answers; the replayed one is alone, and is given them.
//
// Calls that need nobody else (datatypes, operations, packing) are no questions: the library of a
// single process answers them as well.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frontend/mpi/call_site.h"
#include "frontend/mpi/context.h"
#include "frontend/mpi/facts.h"
#include "record/start_info.h"
#include "record/watched_memory.h"
#include "runtime/failure.h"
#include "runtime/reach.h"
#include "runtime/turns.h"
#include "trace/reader.h"

namespace photofinish::mpi {

// A question all the same, but the stand-in must go as well.
constexpr bool frees_stand_in(Action action) {
  return action == Action::WinFree || action == Action::CommFree || action == Action::GroupFree;
}

// Of a loop, or two nested ones: rows of bytes, stride apart; and all that planes times.
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
  // The rank has failed; one that is replayed ends here, for it cannot ask MPI.
  static void stop() noexcept;
  // `directory` is where this process writes. `replayed`: the trace to replay; null to record.
  // `steered`: of a confirming run (control.h), in which operations may be complete early.
  static void start(Recorder& recorder, const std::string& directory,
                    std::unique_ptr<RankTrace> replayed, bool steered);

  // MPI_Finalize has returned: a rank that never came back from it when it was recorded ends here.
  void finalized(Task& task);
  bool replays() const { return replayed_ != nullptr; }
  bool is_steered() const { return steered_; }
  Journal& of(Task& task) {
    Scratch& scratch = Context::scratch_of(task);
    return scratch.journal != nullptr && scratch.journal_of == Turns::self() ? *scratch.journal
                                                                             : open_journal(task);
  }

  // How the group's ranks give each other what they gave each other (record/shared_payloads.h).
  void share(std::unique_ptr<PayloadTable> table, std::unique_ptr<PayloadFiles> files);
  const std::vector<WorldRank>& group() const { return group_; }
  void set_group(std::vector<WorldRank> sorted) { group_ = std::move(sorted); }

  // The task asks; comes back with the answer to be exchanged. A replayed rank that asks something
  // else, or more than it did, ends here.
  void ask(Task& task, std::uint32_t what, SiteId site);
  // The same for a call. One that the record ends in is made as far as before_call(): others of the
  // group may have had something from it.
  void ask_call(Task& task, Call call, SiteId site);
  void ask_with_arguments(Context& c);
  void answered(Task& task);

  // The rank is about to have several threads: the order of their turns, recorded or to be
  // replayed.
  TurnOrder& begin_turns();
  // The calling thread asks for a turn that is not the recorded one, or that never comes.
  [[noreturn]] void leave_order(Task& task, TurnKind asked, const ThreadTurn& expected, bool stuck);
  // Whether loads from windows are turns: where one thread calls MPI, they are its own.
  bool loads_are_turns() const { return !one_thread_; }

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

  // While MPI runs it may call the program back, which is no concern of ours.
  static void pause_values(bool paused) {
    if (Reach* reach = Reach::get()) reach->pause_seen(paused);
  }

  // Before a call: what it gives to others of the group is offered, and memory that it may take
  // away is not looked at any more.
  void before_call(Context& c, Action action, When when);
  // What is in the program's memory now that a call has returned, or will be once what it started
  // completes.
  void exchange_contents(Context& c, Action action, When when);
  // In a steered run, what the call started may be complete already: then what it wrote is in
  // memory now, and the program may load it before the call that completes it.
  void exchange_early(Context& c, bool is_complete);
  // In a steered run, in front of a load or store: the stores before it have been made, and another
  // rank may be waiting for that.
  void settle_stores();
  // The same for a request: of a receive at most so many bytes, -1 for all. `step` started it, if
  // it is one-sided.
  void exchange_fills(Task& task, const std::vector<Buffer>& fills, std::int64_t bytes,
                      std::uint64_t step);
  // A replayed rank is to say what it did, for photofinish explain.
  void keep_account(AccessRecordFilter order) {
    order_ = std::move(order);
    windows_.report_news();
  }

 private:
  Journaling(Recorder& recorder, std::string notes, std::unique_ptr<RankTrace> replayed,
             bool steered)
      : recorder_(recorder),
        notes_(std::move(notes)),
        replayed_(std::move(replayed)),
        steered_(steered) {}
  [[gnu::cold, gnu::noinline]] Journal& open_journal(Task& task);
  std::unique_ptr<Journal> new_journal(ThreadName thread);
  // From `share_from` bytes on they may be what one of the group gave.
  void exchange_memory(Task& task, const Buffer& buffer, std::int64_t most_bytes,
                       std::size_t share_from);
  void payload_buffers(Context& c, Action action);
  std::optional<ContentHash> payload(Task& task, const Buffer& buffer);
  const std::uint8_t* given(Task& task, const std::uint8_t* memory, std::size_t bytes);
  // A buffer of `block` elements for each rank, one rank's at a time; 0: it is all one rank's.
  template <class Visitor>
  void each_piece(Task& task, const Buffer& buffer, std::int64_t block, Visitor&& visit);
  const DataMap& map_of(Task& task, TypeId type);
  bool in_group(std::int64_t rank) const {
    return std::binary_search(group_.begin(), group_.end(),
                              WorldRank(static_cast<std::int32_t>(rank)));
  }
  std::string packed(const Buffer& buffer) const;
  void expect_arrivals();
  const WinDefinition* own_window(Uid uid);
  AccessRecordLog* account_of(Task& task);
  void report_pending(Task& task);
  photofinish_seen around_ = {};  // of the last one that was asked for
  void settle_loads(Task& task);
  void report_loaded(Task& task, CallSite call_site, const void* address, const void* value,
                     std::size_t bytes, std::uint64_t tick);
  void show_seen(Journal& journal, const void* address);
  void exchange_buffers(Context& c, Action action, When when);
  void exchange_window_fills(Context& c);
  void follow_windows(Context& c, Action action);
  [[noreturn]] void left_path(Task& task, const Inquiry& expected);
  bool came_back_from_finalize();
  [[noreturn]] void end_as_recorded(Task& task);

  static std::atomic<Journaling*> instance_;  // a failure clears it while other threads look
  Recorder& recorder_;
  const std::string notes_;
  const std::unique_ptr<RankTrace> replayed_;
  const bool steered_;
  std::mutex mutex_;  // of `replayed_` and `journals_`
  std::map<ThreadName, std::unique_ptr<Journal>> journals_;
  std::unique_ptr<TurnOrder> turns_;
  ObjectLock windows_lock_;
  WatchedMemory windows_;
  std::vector<WorldRank> group_;
  std::unique_ptr<PayloadTable> table_;
  std::unique_ptr<PayloadFiles> files_;
  std::vector<Arrival> arrivals_;
  WinId last_arrival_;  // the window that it was for
  std::optional<AccessRecordFilter> order_;
  bool one_thread_ = false;    // calls MPI
  bool others_check_ = false;  // threads that do not may load from windows, too
  struct Pending {
    std::uint64_t pc;
    const void* address;
    std::size_t bytes;
  };
  std::vector<Pending>
      pending_;  // blocks that are about to be stored, of a rank that keeps an account of that
};

// external_input.cpp: answers from before there was a journal.
std::vector<EarlyAnswer> take_early_answers();

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

}  // namespace photofinish::mpi

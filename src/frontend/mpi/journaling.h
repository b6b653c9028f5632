// A rank that is recorded, or replayed (docs/record-replay.md). Each call is a question to the outside; what it returns, and what it puts into the program's
// memory, is the answer. The recorded rank asks MPI and keeps the answers; the replayed one is alone, and is given them.
//
// Calls that need nobody else (datatypes, operations, packing) are no questions: the library of a single process answers them as well.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "frontend/mpi/context.h"
#include "frontend/mpi/facts.h"
#include "record/start_info.h"
#include "record/watched_memory.h"
#include "trace/reader.h"

namespace photofinish::mpi {

// Whether one process is enough for it.
constexpr bool is_local(Action action) {
  switch (action) {
    case Action::Init:
    case Action::Finalize:
    case Action::Abort:
    case Action::SessionInit:
    case Action::SessionFinalize:
    case Action::TypeCreate:
    case Action::TypeCommit:
    case Action::TypeFree:
    case Action::OpCreate:
    case Action::OpFree:
    case Action::ReduceLocal:
    case Action::Pack:
    case Action::Unpack:
    case Action::MemoryAllocate:
    case Action::MemoryFree:
    case Action::BufferAttach:
    case Action::BufferDetach:
    case Action::SetName: return true;
    default: return false;
  }
}

// A question all the same, but the stand-in must go as well.
constexpr bool frees_stand_in(Action action) {
  return action == Action::WinFree || action == Action::CommFree || action == Action::GroupFree;
}

class Journaling {
 public:
  // Null unless this rank is recorded or replayed.
  static Journaling* get() { return instance_; }
  // `directory` is where this process writes. `replayed`: the trace to replay; null to record.
  static void start(Recorder& recorder, const std::string& directory, std::unique_ptr<RankTrace> replayed);

  bool replays() const { return replayed_ != nullptr; }
  Journal& of(Task& task);

  // The task asks; comes back with the answer to be exchanged. A replayed rank that asks something else, or more than it did, ends here.
  void ask(Task& task, std::uint32_t what, SiteId site);
  void ask_with_arguments(Context& c);
  void answered(Task& task);

  // What the program loads and stores in memory that others may write (record/watched_memory.h).
  void loaded(Task& task, const void* address, void* value, std::size_t bytes);
  void stored(const void* address, const void* value, std::size_t bytes);
  void will_store(const void* address, std::size_t bytes);

  // Before a call: memory that it may take away is not looked at any more.
  void before_call(const Context& c, Action action);
  // What is in the program's memory now that a call has returned, or will be once what it started completes.
  void exchange_contents(Context& c, Action action, When when);
  // The same for a request: of a receive at most so many bytes, -1 for all.
  void exchange_fills(Task& task, const std::vector<Buffer>& fills, std::int64_t bytes);

 private:
  Journaling(Recorder& recorder, std::string notes, std::unique_ptr<RankTrace> replayed)
      : recorder_(recorder), notes_(std::move(notes)), replayed_(std::move(replayed)) {}
  void exchange_memory(Journal& journal, const Buffer& buffer, std::int64_t most_bytes);
  void exchange_buffers(Context& c, Action action, When when);
  void exchange_window_fills(Context& c, Action action);
  void follow_windows(Context& c, Action action);
  [[noreturn]] void left_path(Task& task, const Question& expected);
  [[noreturn]] void end_as_recorded(Task& task);

  static Journaling* instance_;
  Recorder& recorder_;
  const std::string notes_;
  const std::unique_ptr<RankTrace> replayed_;
  std::mutex mutex_;  // of `replayed_`
  ObjectLock windows_lock_;
  WatchedMemory windows_;
};

// outside.cpp: answers from before there was a journal.
std::vector<EarlyAnswer> take_early_answers();

// The entry of one call. In between, facts about objects belong to it.
class Entry {
 public:
  Entry(Journaling& journaling, Task& task) : journaling_(journaling), task_(task) { t_journal = &journaling.of(task); }
  ~Entry() {
    journaling_.answered(task_);
    t_journal = nullptr;
  }
  Journal& journal() { return *t_journal; }

 private:
  Journaling& journaling_;
  Task& task_;
};

}  // namespace photofinish::mpi

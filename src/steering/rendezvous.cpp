// The rendezvous of a confirming run: a task that reaches an access site waits for the other one
// (docs/internals/confirm.md).
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/process_times.h"
#include "base/system_file.h"
#include "steering/step.h"

namespace photofinish {
namespace {

constexpr double kBackOff = 0.9;  // after each pause in vain
// In units of pause_ms:
constexpr std::uint32_t kQuietUnits =
    2;  // no rank changes its word for so long: all wait for this one
constexpr std::uint32_t kDoneUnits = 50;     // the second waits for the first, at most
constexpr std::uint32_t kStarvedTimes = 20;  // so many times longer, if the first has no core
constexpr std::uint32_t kHoldUnits = 10;     // at a site of another race, at most
constexpr std::uint32_t kHoldsInVain = 3;    // of a run: then the order there is left to chance
constexpr std::uint32_t kContinueUnits = 5;  // the first continues before the second, at most
constexpr std::uint64_t kCheckNs = 500'000, kSteadyNs = 2 * kMs;
// Between two looks, no more counts: this rank had no core, or did something else.
constexpr std::uint64_t kMostQuietNs = 5 * kMs;
constexpr std::uint64_t kCoreNs = 12 * kMs;  // more than the counts of the kernel are late
constexpr std::uint64_t kStoppedCheckNs = 5 * kMs, kStoppedCheckOfRankNs = kMs / 10;
constexpr std::uint64_t kLongNs = 200 * kMs;  // a thread that waits looks at the clock more often

// The clock of a thread's waits: up to when it is known, how much of that does not count, and what
// it last showed.
thread_local std::uint64_t t_known_ns = 0, t_left_out_ns = 0, t_shown_ns = 0;

// Whether a rank waits in a call or at a site, and has done so for a while.
class SteadyWait {
 public:
  explicit SteadyWait(const std::atomic<std::uint64_t>& word) : word_(word) {}
  bool operator()() {
    const std::uint64_t now = now_ns(), word = word_.load(std::memory_order_relaxed);
    if (std::exchange(last_, word) != word || word % 2 == 0) since_ = now;
    return now - since_ > kSteadyNs;
  }

 private:
  const std::atomic<std::uint64_t>& word_;
  std::uint64_t last_ = 0, since_ = now_ns();
};

}  // namespace

// One for each finding, and the words behind them.
bool Steering::share_table(const std::string& directory) {
  if (schedules_.by_messages) return false;
  const std::size_t words_at = words_offset(schedules_.findings.size());
  const std::size_t words = sizeof(std::uint64_t) * static_cast<std::size_t>(size_);
  auto* memory = static_cast<char*>(map_shared_file(directory + kTableFile, words_at + 2 * words));
  if (memory == nullptr) return false;
  table_ = reinterpret_cast<RendezvousTable*>(memory) + finding_;
  table_->repeats = schedule_.scope == Scope::Every ? 1 : 0;  // all ranks store the same
  words_ = reinterpret_cast<std::atomic<std::uint64_t>*>(memory + words_at);
  auto* const processes = reinterpret_cast<std::atomic<std::uint64_t>*>(memory + words_at + words);
  processes[rank_.value].store(static_cast<std::uint64_t>(getpid()), std::memory_order_relaxed);
  processes_ = processes;
  return true;
}

void Steering::open_channel(std::unique_ptr<MeetingChannel> channel) {
  own_table_ = std::make_unique<RendezvousTable>();
  table_ = own_table_.get();
  channel_ = std::move(channel);
  words_ = channel_->words();
  if (schedule_.scope == Scope::Every && meets_in_one_rank(schedule_)) {
    table_->repeats = 1;
    return;
  }
  std::vector<std::int32_t> others;
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_.value &&
        std::any_of(schedule_.sides.begin(), schedule_.sides.end(), [&](const ScheduledSide& side) {
          return side.rank == kAnySource || side.rank == WorldRank(rank);
        }))
      others.push_back(rank);
  protocol_ = std::make_unique<MeetingProtocol>(rank_.value, std::move(others), schedule_.first);
  result_->by_messages = schedule_.kind == RaceKind::Memory ? 1 : 0;
}

// With the protocol, the table, and what is to be sent. What two have kept is in their results
// before either goes on.
template <class Write>
void Steering::exchange(Write write) {
  std::lock_guard lock(channel_mutex_);
  std::vector<AddressedMessage> out;
  with_table([&](RendezvousTable& table) { write(*protocol_, table, out); });
  if (schedule_.kind == RaceKind::Memory && table_->met == 0)
    result_->met = 0;
  else if (table_->first.rank == rank_.value || table_->second.rank == rank_.value)
    store_meeting();
  for (const AddressedMessage& message : out) channel_->send(message);
}

void Steering::receive_messages() {
  std::vector<ReceivedMessage> arrived;
  {
    std::lock_guard lock(channel_mutex_);
    for (ReceivedMessage one{}; channel_->next(one.message, one.from);) arrived.push_back(one);
  }
  if (protocol_ == nullptr) return;
  MeetingProtocol::drop_withdrawn(arrived);
  for (const ReceivedMessage& one : arrived)
    exchange(
        [&](MeetingProtocol& protocol, RendezvousTable& table, std::vector<AddressedMessage>& out) {
          protocol.receive(table, one.from, one.message, out);
        });
}

void Steering::count_arrival(std::uint32_t sides, bool by_access) {
  std::lock_guard lock(mutex_);
  for (std::uint32_t side = 0; side < 2; ++side) {
    if ((sides >> side & 1) == 0) continue;
    ++result_->reached[side];
    // Loads and stores between two calls are one arrival, as in the trace.
    if (by_access && std::exchange(arrival_timestamp_[side], timestamp_) == timestamp_) continue;
    ++arrivals_[side];
  }
}

// One instance was steered: nobody waits any more.
bool Steering::is_settled() const {
  return schedule_.scope == Scope::Off || (table_->repeats == 0 && has_met());
}

bool Steering::has_met() const {
  return std::atomic_ref(table_->met).load(std::memory_order_acquire) != 0;
}

bool Steering::takes_part(std::uint32_t sides) const {
  for (std::uint32_t side = 0; side < 2; ++side) {
    const ScheduledSide& wanted = schedule_.sides[side];
    if ((sides >> side & 1) != 0 &&
        (wanted.rank == kAnySource || (wanted.rank == rank_ && arrivals_[side] >= wanted.arrival)))
      return true;
  }
  return false;
}

bool Steering::wants_to_wait(std::uint32_t sides) {
  // A task's own operation, and its next accesses: it would wait for itself.
  if (schedule_.own_operation &&
      (schedule_.sides[0].rank != kAnySource || schedule_.scope == Scope::Every))
    return false;
  if (result_->paused_ns > schedule_.patience_ms * kMs) return false;
  if (schedule_.sides[static_cast<std::size_t>(sides >> 1 & 1)].rank != kAnySource) return true;
  std::lock_guard lock(mutex_);
  return std::uniform_real_distribution<double>()(random_) < eagerness_;
}

TableEntry Steering::make_entry(std::uint32_t sides) {
  std::lock_guard lock(mutex_);
  TableEntry mine{};
  mine.state = EntryState::Waiting;
  mine.sides = sides;
  mine.rank = mine.owner = rank_.value;
  mine.task = task_number();
  std::copy(std::begin(arrivals_), std::end(arrivals_), mine.arrival);
  for (const HeldLock& lock : locks_)
    if (mine.locks < kLocks) mine.lock[mine.locks++] = lock;
  return mine;
}

void Steering::make_progress() {
  if (host_.may_call()) {
    if (channel_ != nullptr)
      receive_messages();
    else
      host_.progress();
  }
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// Time, for waits that end after a while. It stands still while this rank does not run, or another
// one is stopped (SIGSTOP, a debugger): a rank that cannot come is not late.
std::uint64_t Steering::wait_ns() {
  const std::uint64_t now = now_ns(), passed = now - t_known_ns;
  const std::uint64_t interval =
      std::max(kStoppedCheckNs, static_cast<std::uint64_t>(size_) * kStoppedCheckOfRankNs);
  if (passed >= interval) {
    if (passed > kLongNs || is_other_stopped()) t_left_out_ns += passed;
    t_known_ns = now;
  }
  // It never goes back, though time that it has shown may turn out not to count.
  return t_shown_ns = std::max(t_shown_ns, now - t_left_out_ns);
}

bool Steering::is_other_stopped() {
  for (int rank = 0; processes_ != nullptr && rank < size_; ++rank) {
    const std::uint64_t process = processes_[rank].load(std::memory_order_relaxed);
    if (rank == rank_.value || process == 0 || !is_stopped_process(process)) continue;
    result_->found_stopped = rank + 1;
    return true;
  }
  return false;
}

// No other rank reaches its site while all of them wait: for this rank, in collectives or for locks
// that it holds, or for each other. The threads of this rank may still.
bool Steering::all_others_wait() {
  if (schedule_.threads) return false;
  const std::uint64_t now = now_ns(), passed = now - last_check_;
  if (passed < kCheckNs) return false;
  if (channel_ != nullptr) {
    std::lock_guard lock(channel_mutex_);
    if (!host_.may_call() || !channel_->fetch()) return false;
  }
  last_check_ = now;
  bool quiet = true;
  for (int rank = 0; rank < size_; ++rank) {
    const std::uint64_t word = words_[rank].load(std::memory_order_relaxed);
    if (rank == rank_.value ||
        (std::exchange(seen_words_[static_cast<std::size_t>(rank)], word) == word &&
         (word & 1) != 0))
      continue;
    quiet = false;
  }
  if (quiet) {
    quiet_ns_ += std::min(passed, kMostQuietNs);
    if (quiet_ns_ <= kQuietUnits * schedule_.unit_ms * kMs) return false;
    if (!is_other_stopped()) return !does_other_starve();
  }
  restart_quiet();
  return false;
}

void Steering::restart_quiet() {
  if (schedule_.threads) return;
  last_check_ = now_ns();
  quiet_ns_ = 0;
  seen_times_.clear();
}

// Whether another rank is ready to run, but has had no core since the ranks were found waiting: its
// wait may be over, and it cannot know yet.
bool Steering::does_other_starve() {
  if (processes_ == nullptr) return false;
  const bool first = seen_times_.empty();
  seen_times_.resize(static_cast<std::size_t>(size_));
  bool starves = false;
  for (int rank = 0; rank < size_; ++rank) {
    const std::uint64_t process = processes_[rank].load(std::memory_order_relaxed);
    if (rank == rank_.value || process == 0) continue;
    const CoreTimes now = main_thread_times(process);
    CoreTimes& seen = seen_times_[static_cast<std::size_t>(rank)];
    if (first) seen = now;
    // Given one twice: it had the first time to itself. Or it never lost the one that it has.
    const bool had_core = now.times >= seen.times + 2 || now.cpu_ns - seen.cpu_ns >= kCoreNs;
    starves = starves || (now.times != 0 && !had_core && process_times(process).state == 'R');
  }
  return starves;
}

// First, Second, or Proceed if others met and no meeting follows; Entered if no task came. `slot`
// is that of the task's entry, or of its pending operation.
Turn Steering::pause(std::uint32_t limit_ms, std::uint32_t slot) {
  const std::uint64_t since = wait_ns(), task = task_number();
  Turn turn = Turn::Entered;
  const auto update = [&](RendezvousTable& table) {
    turn = turn_at(table, slot, rank_.value, task);
    const TableEntry* const entry = own_entry(table, slot, rank_.value, task);
    if (turn == Turn::Entered && table.repeats != 0 && entry != nullptr &&
        entry->state == EntryState::Waiting)
      turn = arrive_again(table, static_cast<int>(schedule_.first), slot);
    t_meeting = table.number;
  };
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  restart_quiet();
  while (wait_ns() - since < limit_ms * kMs) {
    if (table_->repeats != 0) {
      with_table(update);
      if (turn != Turn::Entered) break;
    } else if (has_met()) {
      break;
    }
    if (all_others_wait()) break;
    make_progress();
  }
  if (turn == Turn::Entered) with_table(update);
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  // Only pauses in vain count: the others are the purpose of the run.
  if (turn == Turn::Entered) result_->paused_ns += wait_ns() - since;
  eagerness_ = turn == Turn::Entered ? eagerness_ * kBackOff : 1;
  ++result_->pauses;
  return turn;
}

void Steering::begin_pause() {
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  restart_quiet();
}

void Steering::end_pause() { words_[rank_.value].fetch_add(1, std::memory_order_relaxed); }

// Whether an operation is complete within the limit, and before all other ranks wait.
bool Steering::await_completion(const std::function<bool()>& is_complete, std::uint32_t limit_ms) {
  const std::uint64_t since = wait_ns();
  begin_pause();
  bool complete = false;
  do {
    complete = is_complete();
    if (!complete) make_progress();
  } while (!complete && wait_ns() - since < limit_ms * kMs && !all_others_wait());
  end_pause();
  return complete;
}

void Steering::let_others_continue() {
  constexpr std::uint64_t kMostNs = 2000 * kMs;
  const std::uint64_t since = now_ns();
  restart_quiet();
  while (!all_others_wait() && now_ns() - since < kMostNs)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Steering::store_meeting() {
  with_table([&](RendezvousTable& table) {
    if (table.met == 0 && table.repeats != 0) return;
    const std::uint32_t first_side = table.first.side & 1;
    result_->ranks[first_side] = table.first.rank;
    result_->ranks[1 - first_side] = table.second.rank;
    result_->arrivals[first_side] = table.first.arrival;
    result_->arrivals[1 - first_side] = table.second.arrival;
    result_->forced = table.forced;
    result_->met = table.met;
  });
}

// The rank is at its access: until a debugger is attached, or the tool gives up. Nothing here calls
// the library, so that the debugger finds the rank in a simple place.
void Steering::stop_for_debugger() {
  if (schedule_.debugged != rank_ || result_->stopped != 0) return;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  std::atomic_ref(result_->stopped).store(getpid(), std::memory_order_release);
  const auto is_traced = [] {
    const std::string status = read_system_file("/proc/self/status");
    const std::size_t at = status.find("TracerPid:");
    return at != std::string::npos && std::atoi(status.c_str() + at + 10) != 0;
  };
  while (std::atomic_ref(result_->released).load(std::memory_order_acquire) == 0 && !is_traced())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// At a site of another race, before the meeting: the rank of side 0 passes first. Its own word does
// not say that it waits: the other rank's pause would end.
void Steering::hold_at_other_site() {
  const WorldRank first = schedule_.sides[0].rank;
  if (is_settled() || channel_ != nullptr || first == rank_ || schedule_.sides[1].rank != rank_ ||
      first == kAnySource || first == kProcNull || holds_in_vain_ >= kHoldsInVain)
    return;
  const std::uint64_t since = wait_ns();
  SteadyWait first_waits(words_[first.value]);
  bool waits = false;
  while (!waits && !has_met() && wait_ns() - since < kHoldUnits * schedule_.unit_ms * kMs) {
    make_progress();
    waits = first_waits();
  }
  holds_in_vain_ += waits ? 0 : 1;
}

// After the meeting, the first rank continues until it waits: its next accesses come before those
// of the second, in every run.
void Steering::let_first_continue() {
  const std::int32_t first = table_->first.rank;
  if (channel_ != nullptr || first == rank_.value || table_->repeats != 0) return;
  const std::uint64_t since = wait_ns();
  SteadyWait first_waits(words_[first]);
  while (!first_waits() && wait_ns() - since < kContinueUnits * schedule_.unit_ms * kMs)
    make_progress();
}

// Before the second access of a meeting.
void Steering::wait_for_first() {
  store_meeting();
  const std::uint64_t since = wait_ns();
  const auto is_done = [&] {
    return std::atomic_ref(table_->first_done).load(std::memory_order_acquire) != 0 ||
           (table_->repeats != 0 && (!has_met() || table_->number != t_meeting));
  };
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  const bool debugged = schedule_.debugged != kProcNull;
  const std::uint64_t limit = kDoneUnits * schedule_.unit_ms * kMs;
  // On a busy machine, the first may not have a core for a long time. It is not late then.
  const Starvation starves(processes_ != nullptr ? processes_[table_->first.rank].load() : 0);
  const auto is_late = [&] {
    const std::uint64_t passed = wait_ns() - since;
    return !debugged && passed >= limit && (passed >= kStarvedTimes * limit || !starves(limit));
  };
  while (!is_done() && !is_late()) make_progress();
  if (is_done()) let_first_continue();
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  if (table_->repeats == 0) return;
  // A wait that timed out did not force the order.
  if (!is_done()) {
    with_table([](RendezvousTable& table) { table.forced = 0; });
    std::lock_guard lock(mutex_);
    result_->paused_ns += wait_ns() - since;
  }
  close(t_meeting);
}

// Counts a meeting that is over, so that the next can begin.
void Steering::close(std::uint64_t number) {
  bool closed = false, forced = false;
  with_table([&](RendezvousTable& table) {
    forced = table.forced != 0;
    closed = close_meeting(table, number);
  });
  if (!closed) return;
  std::lock_guard lock(mutex_);
  ++result_->meetings;
  result_->forced_meetings += forced ? 1 : 0;
}

void Steering::first_is_done() {
  bool closes = false;
  with_table([&](RendezvousTable& table) {
    if (table.repeats != 0 && table.number != t_meeting) return;
    table.first_done = 1;
    closes = table.repeats != 0 && table.second_waits == 0;
  });
  store_meeting();
  if (closes) close(t_meeting);
  if (protocol_ == nullptr || table_->met == 0 || table_->second.rank == rank_.value ||
      !host_.may_call())
    return;
  std::lock_guard lock(channel_mutex_);
  channel_->send(MeetingProtocol::done(*table_));
}

// Ranks that wait at the other site answer at once.
Turn Steering::await_answers(std::uint64_t ask, Turn turn) {
  const std::uint64_t since = wait_ns(), task = task_number();
  bool answered = false;
  while (!answered && table_->met == 0 &&
         wait_ns() - since < kQuietUnits * schedule_.unit_ms * kMs) {
    make_progress();
    std::lock_guard lock(channel_mutex_);
    answered = protocol_->is_answered(ask);
  }
  with_table([&](RendezvousTable& table) {
    if (table.met != 0) turn = turn_of(table, rank_.value, task);
  });
  return turn;
}

// A task is at an access site. Entered: no other task came, and its entry stays in the table.
Turn Steering::reach_site(TableEntry& mine, bool stays_pending, std::uint32_t& slot) {
  if (is_settled() || !takes_part(mine.sides) || mine.pieces == 0) return Turn::Proceed;
  const bool waits = wants_to_wait(mine.sides);
  Turn turn = Turn::Proceed;
  bool is_busy = false;
  const auto try_once = [&] {
    with_table([&](RendezvousTable& table) {
      is_busy = table.repeats != 0 && table.met != 0;
      turn = arrive(table, mine, static_cast<int>(schedule_.first), waits || stays_pending, slot);
      t_meeting = table.number;
    });
    return !is_busy || turn != Turn::Proceed;
  };
  // An access that meets its own task's operation does not enter the table. A meeting of another
  // rank ends by itself.
  for (const std::uint64_t since = wait_ns();
       !try_once() && schedule_.own_operation &&
       wait_ns() - since < kDoneUnits * schedule_.unit_ms * kMs;)
    make_progress();
  std::uint64_t ask = 0;
  if (protocol_ != nullptr && (turn == Turn::Entered || turn == Turn::Proceed) && host_.may_call())
    exchange([&](MeetingProtocol& protocol, RendezvousTable&, std::vector<AddressedMessage>& out) {
      ask = protocol.ask(mine, out);
    });
  if (turn == Turn::Entered && waits)
    turn = pause(schedule_.pause_ms, slot);
  else if (ask != 0)
    turn = await_answers(ask, turn);
  if (ask != 0) {
    exchange(
        [&](MeetingProtocol& protocol, RendezvousTable& table, std::vector<AddressedMessage>& out) {
          protocol.forget(table, ask, out);
          if (const Turn now = turn_of(table, rank_.value, mine.task); now != Turn::Entered)
            turn = now;
        });
  }
  if (turn == Turn::Entered && !stays_pending) {
    // Another task may have come just now.
    with_table([&](RendezvousTable& table) {
      turn = turn_at(table, slot, rank_.value, mine.task);
      t_meeting = table.number;
      if (TableEntry* const entry = own_entry(table, slot, rank_.value, mine.task))
        entry->state = EntryState::Free;
    });
    if (turn == Turn::Entered) turn = Turn::Proceed;
  }
  return turn;
}

}  // namespace photofinish

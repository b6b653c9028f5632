// Merges the message steps of each rank into one sequence that is consistent with happens-before.
// Also simulates the same steps without send buffering, to find out whether the run would have
// completed.
//
// Rule: a step is taken once what it waits for has happened. A send and a receive match when both
// are posted and each is the first for the other. Without buffering, the completion of a standard
// send also waits for its match. If the simulation gets stuck, the deadlock is reported, one of the
// sends is completed as if buffered, and the simulation continues.
//
// A polling call (MPI_Test, MPI_Iprobe, MPI_Waitany of several) would have returned another result,
// and what the program does then is unknown. The simulation continues with the recorded steps.
// Everything that depends on them is uncertain (`may_go_on`) and not reported.
//
// Invariant: the queue of a rank holds the steps that wait for other ranks; it is empty when
// nothing is outstanding. Sends and receives of one class (the same source and tag, or the same
// wanted ones) match in posting order. Each class is a list, and only its first element is checked.
//
// Memory: about 80 bytes per incomplete send or receive, 50 per unmatched message, 10 per waiting
// step. Misses: deadlocks without buffering under another matching than the observed one.
// `other_match` is set if the observed matching is impossible but another one is not.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "detect/id_table.h"
#include "detect/message_race.h"
#include "detect/step_queue.h"
#include "detect/thread_races.h"
#include "effects/timing_counts.h"

namespace photofinish {

// The state of a rank at the end of the run, or now. Only certain knowledge counts: a rank that
// computes, died, or is not fully recorded is Unknown and may do anything.
struct RankEnding {
  enum class State : std::uint8_t { Unknown, InCall, Finished };
  State state = State::Unknown;
  SiteId finalize;  // if Finished: where it called MPI_Finalize
};

// Ranks that wait for each other, each for the next. In a cycle, the last waits for the first;
// otherwise for something that never happens.
struct WaitChain {
  struct Waits {
    WorldRank rank;
    MessageStep step;          // the step that it cannot take
    MessageStep posted;        // the operation that the step completes, if any
    WorldRank on = kProcNull;  // kAnySource: any rank may send the message
    SiteId finalize;           // of `on`, if it has finished
  };
  std::vector<Waits> waits;
  bool cycle = false;
  // A send and a receive that were not matched to each other could be now.
  bool other_match = false;
  std::uint64_t count = 1;     // deadlocks at the same call sites
  std::uint64_t phase = 0;     // of the first deadlock
  std::set<WorldRank> behind;  // ranks that wait for one of these
};

inline Wanted wanted_by(const MessageStep& step) { return {step.peer, step.tag}; }

class MessageSequence {
 public:
  enum class Sends { AsSeen, Unbuffered };
  // `races` may be null.
  MessageSequence(std::int32_t ranks, Sends sends, MessageRaces* races);
  // Reports the matches of operations that `threads` watches. Requires `races`.
  void report_to(ThreadRaces* threads) { threads_ = threads; }

  // The rank will release a lock. Must be called before any step that may have to wait for it.
  void announce(WorldRank rank, const MessageStep& unlock);
  // The rank's next step. Takes all steps that are possible now.
  void add(WorldRank rank, MessageStep step);
  // The message that a receive took or a probe saw, if its step did not name it.
  void took(WorldRank rank, std::uint64_t operation, MessageKey key);
  void begin_phase(std::uint64_t phase) { phase_ = phase; }
  // No further steps, or none that a waiting step needs. If not all ranks have `ended`, later steps
  // are unknown.
  void finish(bool ended = true);
  // Drops matched operations, which will not be completed here.
  void forget_operations();

  // Without buffering: empty if the run would have completed.
  std::vector<WaitChain> deadlocks() const;
  // Polling calls that would have returned another result; the first phase with such a call, or
  // with a receive that would have matched another message; and whether the outcome depends on
  // later steps.
  std::vector<TimingDependence> answers() const { return answers_.all(); }
  std::uint64_t unsure_after() const { return unsure_after_; }
  bool unsure() const { return unsure_; }
  // Deadlocks that occurred: ranks that were inside calls at the end of the run, none of which
  // could have returned. A call may return if running ranks can provide what it waits for. The
  // proof holds even if the ranks' states have different ages: the first call to return would need
  // another one to have returned before.
  std::vector<WaitChain> proven_deadlocks(const std::vector<RankEnding>& endings);
  std::size_t waiting() const;  // steps that are not taken yet
  std::size_t bytes() const;    // approximate memory use

 private:
  // One per incomplete send or receive, so it is small.
  struct Operation {
    MessageKey key = 0;
    std::int64_t tag = kAnyTag;
    std::uint64_t order = 0;      // posting order in its inbox
    std::uint64_t next = 0;       // the next one of its class
    std::uint64_t handle = 0;     // in MessageRaces: id of a receive, index of a send
    std::uint32_t call_site = 0;  // where it was posted
    WorldRank peer;
    std::uint32_t inbox = 0;
    MessageStep::Kind kind{};
    SendMode mode{};
    bool posted : 1 = false;
    bool matched : 1 = false;
    bool cancelled : 1 = false;
    bool let_go : 1 = false;
    bool freed : 1 = false;
    bool nowhere : 1 = false;  // an unmatched send that replaces a cancelled one
    bool unsure : 1 = false;   // the rank may have done something else
    bool met_unsure : 1 = false;
    Wanted wanted() const { return {peer, tag}; }
  };
  static_assert(sizeof(Operation) <= 56, "one for each send and receive that is not over");
  struct Message {
    WorldRank from = kProcNull, to = kProcNull;
    std::uint64_t send = 0, receive = 0;  // operations; 0: unknown
  };
  // One class in posting order, linked by Operation::next.
  struct Class {
    std::uint64_t first = 0, last = 0;
  };
  using ClassKey = std::pair<std::int64_t, WorldRank>;  // tag and source
  struct Inbox {
    WorldRank rank;
    Uid comm;
    std::uint32_t races = 0;  // number of the inbox in MessageRaces
    std::uint64_t posted = 0;
    std::uint64_t any_tag = 0;            // number of open receives with any tag
    std::map<ClassKey, Class> open;       // receives, by wanted tag and source
    std::map<ClassKey, Class> unmatched;  // sends
  };
  struct Released {
    std::vector<WorldRank> by;
    std::uint32_t acquired = 0, others = 0;
    std::vector<WorldRank> waiting;
    std::size_t needed = ~std::size_t{0};  // releases that the first waiting rank needs
    bool unsure = false;
  };
  // The releases of one lock of a window. The oldest are merged.
  struct Release {
    WorldRank rank;
    bool exclusive = false, taken = false;
    std::int64_t clock = 0;
    std::uint64_t ticks = 0, key = 0;
  };
  struct Lock {
    std::deque<Release> releases;
    std::vector<WorldRank> waiting;
  };
  // An epoch with a lock that is open at the end.
  struct Holder {
    WorldRank rank, target;
    bool exclusive = false, certain = false;
  };
  struct Rank {
    std::deque<std::pair<Lock*, std::uint64_t>> unlocks;  // announced, with their keys
    StepQueue queue;
    IdTable<Operation> operations;
    std::size_t check = 256;  // queue length at which to check for a deadlock
    bool woken = false;
    // Cancelled sends that were matched before the cancellation was known.
    std::set<MessageKey> taken_over;
    bool goes_past_lock = false;  // does not wait for earlier holders
    bool let_go = false;          // the polling call at the front returns without a result
    bool unsure = false;          // without buffering, its further steps are uncertain
  };

  Rank& rank(WorldRank rank) { return ranks_[static_cast<std::size_t>(rank.value)]; }
  Operation* operation(WorldRank who, std::uint64_t id) { return rank(who).operations.find(id); }
  std::uint32_t inbox_of(WorldRank rank, Uid comm);
  void wake(WorldRank who);
  void run();
  bool take(WorldRank who, MessageStep& step);
  void post_send(WorldRank who, MessageStep& step);
  void rename_cancelled(WorldRank who, std::uint64_t id, Operation& send);
  void cancel_send(WorldRank who, std::uint64_t id, Operation& send);
  MessageStep posted(const Operation& operation) const;
  void post_receive(WorldRank who, MessageStep& step);
  MessageKey seen_by(WorldRank who, const MessageStep& probe);
  bool probe(WorldRank who, const MessageStep& step);
  bool acquire(WorldRank who, const MessageStep& step);
  void unlock(WorldRank who);
  bool lock(WorldRank who, const MessageStep& step);
  void go_past_locks();
  template <class Visit>
  void each_before(WorldRank who, const MessageStep& locked,
                   Visit visit);  // visits earlier releases
  void try_match(MessageKey key);
  void append(std::map<ClassKey, Class>& classes, const ClassKey& key, WorldRank who,
              std::uint64_t id);
  void remove(std::map<ClassKey, Class>& classes, const ClassKey& key, WorldRank who,
              std::uint64_t id);
  static constexpr std::uint64_t kLast = ~std::uint64_t{0};
  // The first open receive that takes the message; 0: none.
  std::uint64_t first_open(const Inbox& inbox, WorldRank from, std::int64_t tag);
  // The first unmatched send of a rank that fits; 0: none.
  std::uint64_t first_unmatched(const Inbox& inbox, WorldRank from, const Wanted& wanted);
  template <class Visit>
  void each_first_send(const Inbox& inbox, Visit visit);  // visit(from, id), until it returns true
  bool first(const Inbox& inbox, WorldRank from, std::uint64_t send, std::uint64_t before,
             const Wanted& wanted);
  void gone(std::uint32_t inbox, const Wanted& receive, WorldRank from);
  void try_again();
  void match(MessageKey key, const Message& message, Operation& send, Operation& receive);
  void report_match(const Message& message, const Operation& send, const Operation& receive);
  MessageRaces::Receive in_races(const Operation& receive) const {
    return {inboxes_[receive.inbox].races, receive.handle};
  }
  static MessageRaces::Send send_in_races(const Operation& send) {
    return {static_cast<std::uint32_t>(send.handle)};
  }
  void drop_if_over(WorldRank who, std::uint64_t id);

  // --- wait-for relation
  using Ranks = std::vector<bool>;
  WorldRank waits_for(WorldRank who, const Ranks& sooner_not = {});
  WorldRank would_wait_for(WorldRank who, const Operation& operation);
  WorldRank holder(MessageKey key, int depth);
  WaitChain who_waits(WorldRank from, const Ranks& sooner_not = {});
  WaitChain::Waits describe(WorldRank who, const Ranks& sooner_not);
  template <class Visit>
  void each_holder(WorldRank who, const MessageStep& awaits, Visit visit);
  bool may_return(WorldRank who, const Ranks& going, bool anybody);
  Ranks may_go_on(bool reported_all);
  bool may_go_on(WorldRank who, const Ranks& others, bool anybody, bool reported_all);
  bool check_early(WorldRank who);
  bool find_deadlock(WorldRank from, bool only_cycles, const Ranks& going);
  bool let_asked_go(WorldRank from, bool only_cycles);
  bool let_unsure_go(WorldRank from, bool only_cycles);
  bool let_send_go(WaitChain chain, bool reported);
  void not_sure(Rank& rank);
  bool any_other_match();
  enum class Among { WaitedSends, AllSends, CertainMatches };
  bool match_unknown(Among among);

  const Sends sends_;
  MessageRaces* const races_;
  ThreadRaces* threads_ = nullptr;
  std::vector<Rank> ranks_;
  std::vector<Inbox> inboxes_;
  std::map<std::pair<WorldRank, Uid>, std::uint32_t> inbox_index_;
  IdTable<Message> messages_;
  StepTable table_;
  std::vector<MessageKey> again_;  // messages to try to match again
  bool trying_ = false;
  std::unordered_map<std::uint64_t, Released> released_;
  std::map<Uid, std::map<WorldRank, Lock>> locks_;  // by window and target
  std::map<Uid, std::vector<Holder>> holders_;      // by window
  std::uint64_t unlocks_ = 0;
  std::vector<WorldRank> woken_;
  bool running_ = false;
  std::map<std::vector<std::uint64_t>, WaitChain> deadlocks_;
  TimingCounts answers_;
  std::uint64_t phase_ = 0, unsure_after_ = ~std::uint64_t{0};
  bool unsure_ = false;
};

template <class Visit>
void MessageSequence::each_first_send(const Inbox& inbox, Visit visit) {
  for (const auto& [key, list] : inbox.unmatched)
    if (visit(key.second, list.first)) return;
}

// Visits the releases that precede `locked`. Ticks of one clock are compared. For different clocks,
// the releases processed so far precede it.
template <class Visit>
void MessageSequence::each_before(WorldRank who, const MessageStep& locked, Visit visit) {
  const auto window = locks_.find(locked.comm);
  if (window == locks_.end()) return;
  for (auto& [target, lock] : window->second) {
    if (locked.peer != kAnySource && target != kAnySource && target != locked.peer) continue;
    for (const Release& release : lock.releases) {
      if (release.rank == who || !(release.exclusive || locked.exclusive)) continue;
      if (release.clock == locked.tag && release.clock != 0 ? release.ticks < locked.operation
                                                            : release.taken)
        visit(lock, release);
    }
  }
}

}  // namespace photofinish

// What each rank did about messages, rank by rank, put into an order that agrees with
// happens-before; and the same with nothing buffered, to see whether it would have come to its end.
//
// Rule: a step is taken when what it waits for has happened. A match happens when both ends are
// posted and each is the first for the other. Unbuffered, the completion of a standard send waits
// for its match, too: where that leads nowhere, the ranks that wait for each other are told, one of
// the sends is let go as if buffered, and the rest goes on. A call that asks (MPI_Test, MPI_Iprobe,
// MPI_Waitany of several) would have come back otherwise. What the program does then nobody knows:
// it goes on as it did, and whatever comes of that is not sure (`may_go_on`) and not told.
// Invariant: a rank's queue holds what it did and what waits here for others; it is empty when
// nothing is outstanding. Sends and receives of one class (the same source and tag, or wish for
// them) are matched in the order they were posted: each class is a list of its own, and only the
// first of each list is looked at. Memory: some 80 bytes for each send and receive that is not
// over, some 50 for a message that was not taken, and 10 for each step that waits. Misses:
// unbuffered, another matching than the one that was seen may deadlock; and where that one cannot
// come about but another could, `other_match` says so.
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
#include "detect/timing_notes.h"

namespace photofinish {

// How a rank was at the end of the run, or is now. Only what is certain: a rank that computes, or
// died, or of which not everything is known, is Unknown, and may do anything.
struct RankEnding {
  enum class State : std::uint8_t { Unknown, InCall, Finished };
  State state = State::Unknown;
  SiteId finalize;  // Finished: where it called MPI_Finalize
};

// Ranks that wait, each for the next, and the last for the first if it is a cycle; otherwise the
// last waits for what never comes.
struct WaitChain {
  struct Waits {
    WorldRank rank;
    MessageStep step;          // that it cannot take
    MessageStep posted;        // what that completes, if it completes something
    WorldRank on = kProcNull;  // kAnySource: for a message from anybody
    SiteId finalize;           // of `on`, if it has finished
  };
  std::vector<Waits> waits;
  bool cycle = false;
  bool other_match =
      false;                // a send and a receive that were not matched to each other could be now
  std::uint64_t count = 1;  // at the same sites
  std::uint64_t phase = 0;  // the first one
  std::set<WorldRank> behind;  // wait for one of these
};

class MessageSequence {
 public:
  enum class Sends { AsSeen, Unbuffered };
  // `races` may be null.
  MessageSequence(std::int32_t ranks, Sends sends, MessageRaces* races);

  // The rank will give back a lock: it is known to all before anybody's step that may have to wait
  // for it.
  void announce(WorldRank rank, const MessageStep& unlock);
  // The rank's next step. Whatever can be taken is taken.
  void add(WorldRank rank, MessageStep step);
  // Which message a receive took, or a probe saw, if its step did not say.
  void took(WorldRank rank, std::uint64_t operation, MessageKey key);
  void begin_phase(std::uint64_t phase) { phase_ = phase; }
  // Nothing follows, or nothing that anybody waits for here; unless all ranks have `ended`, what
  // follows is not known.
  void finish(bool ended = true);
  // What has been posted is matched, and who completes it will not come back to it here.
  void forget_operations();

  // Unbuffered: empty if it would have come to its end as well.
  std::vector<WaitChain> deadlocks() const;
  // Calls that would have come back otherwise; the first phase of one, or of a receive that would
  // have taken another message; and whether it takes what follows to know if it would come to its
  // end.
  std::vector<TimingDependence> answers() const { return answers_.all(); }
  std::uint64_t unsure_after() const { return unsure_after_; }
  bool unsure() const { return unsure_; }
  // As seen: ranks that were inside calls at the end of the run, and for which it is certain that
  // none of these calls could have returned. A call may return if a rank that may go on does what
  // it waits for; all others wait for ever. That holds also if what is known of the ranks is not
  // equally recent: the first of them to go on would need one of the others to have gone on before.
  std::vector<WaitChain> proven_deadlocks(const std::vector<RankEnding>& endings);
  std::size_t waiting() const;  // steps not taken
  std::size_t bytes() const;    // what it takes to keep all this, about

 private:
  // Small: one for each send and receive that is not over.
  struct Operation {
    MessageKey key = 0;
    std::int64_t tag = kAnyTag;
    std::uint64_t order = 0;      // among those posted to its inbox
    std::uint64_t next = 0;       // behind it in its class
    std::uint64_t handle = 0;     // of MessageRaces: a receive's id, a send's index
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
    bool nowhere : 1 = false;  // a send that nobody took, in the place of one that was cancelled
    bool unsure : 1 = false;   // the rank may have done something else
    bool met_unsure : 1 = false;
    Wanted wanted() const { return {peer, tag}; }
  };
  static_assert(sizeof(Operation) <= 56, "one for each send and receive that is not over");
  struct Message {
    WorldRank from = kProcNull, to = kProcNull;
    std::uint64_t send = 0, receive = 0;  // operations; 0: not known
  };
  // Of one class, in the order they were posted; linked by Operation::next.
  struct Class {
    std::uint64_t first = 0, last = 0;
  };
  using ClassKey = std::pair<std::int64_t, WorldRank>;  // tag and source
  struct Inbox {
    WorldRank rank;
    std::uint32_t races = 0;  // its number there
    std::uint64_t posted = 0;
    std::uint64_t any_tag = 0;            // open receives that take any tag
    std::map<ClassKey, Class> open;       // receives, by what they want
    std::map<ClassKey, Class> unmatched;  // sends
  };
  struct Released {
    std::vector<WorldRank> by;
    std::uint32_t acquired = 0, others = 0;
    std::vector<WorldRank> waiting;
    std::size_t needed = ~std::size_t{0};  // for the first of them to go on
    bool unsure = false;
  };
  // One lock of a window, and who gave it back when. The oldest are one, in the end.
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
  // An open epoch with a lock, at the end.
  struct Holder {
    WorldRank rank, target;
    bool exclusive = false, certain = false;
  };
  struct Rank {
    std::deque<std::pair<Lock*, std::uint64_t>> unlocks;  // announced, by their keys
    StepQueue queue;
    IdTable<Operation> operations;
    std::size_t check = 256;  // for a deadlock when the queue is so long
    bool woken = false;
    std::set<MessageKey>
        taken_over;               // of cancelled sends that were matched here before that was known
    bool goes_past_lock = false;  // whoever else may have had it before
    bool let_go = false;          // of what it asks for
    bool unsure = false;          // what it does from here on, without buffers
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
                   Visit visit);  // whoever gave it back before
  void try_match(MessageKey key);
  void append(std::map<ClassKey, Class>& classes, const ClassKey& key, WorldRank who,
              std::uint64_t id);
  void remove(std::map<ClassKey, Class>& classes, const ClassKey& key, WorldRank who,
              std::uint64_t id);
  static constexpr std::uint64_t kLast = ~std::uint64_t{0};
  // Of the open receives that take it, the first; 0: there is none.
  std::uint64_t first_open(const Inbox& inbox, WorldRank from, std::int64_t tag);
  // Of the unmatched sends of a rank, the first that fits; 0: there is none.
  std::uint64_t first_unmatched(const Inbox& inbox, WorldRank from, const Wanted& wanted);
  template <class Visit>
  void each_first_send(const Inbox& inbox, Visit visit);  // from, id; until true
  bool first(const Inbox& inbox, WorldRank from, std::uint64_t send, std::uint64_t before,
             const Wanted& wanted);
  void gone(std::uint32_t inbox, const Wanted& receive, WorldRank from);
  void try_again();
  void match(MessageKey key, const Message& message, Operation& send, Operation& receive);
  MessageRaces::Receive in_races(const Operation& receive) const {
    return {inboxes_[receive.inbox].races, receive.handle};
  }
  static MessageRaces::Send send_in_races(const Operation& send) {
    return {static_cast<std::uint32_t>(send.handle)};
  }
  void drop_if_over(WorldRank who, std::uint64_t id);

  // --- who waits for whom
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
  bool match_unknown(bool waited_for);

  const Sends sends_;
  MessageRaces* const races_;
  std::vector<Rank> ranks_;
  std::vector<Inbox> inboxes_;
  std::map<std::pair<WorldRank, Uid>, std::uint32_t> inbox_index_;
  IdTable<Message> messages_;
  StepTable table_;
  std::vector<MessageKey> again_;  // to be tried once more
  bool trying_ = false;
  std::unordered_map<std::uint64_t, Released> released_;
  std::map<Uid, std::map<WorldRank, Lock>> locks_;  // by window and target
  std::map<Uid, std::vector<Holder>> holders_;      // by window
  std::uint64_t unlocks_ = 0;
  std::vector<WorldRank> woken_;
  bool running_ = false;
  std::map<std::vector<std::uint64_t>, WaitChain> deadlocks_;
  TimingNotes answers_;
  std::uint64_t phase_ = 0, unsure_after_ = ~std::uint64_t{0};
  bool unsure_ = false;
};

}  // namespace photofinish

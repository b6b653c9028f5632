// A rank as owner of its memory: checks every access to it, its own and the others', a period at a time.
//
// Rule: docs/one-sided-races.md. Of two accesses whose kinds clash, that share a byte and that no lock keeps apart, one must be before
// the other. Cuts, program order and the owner's own epochs decide nearly always; what they leave becomes questions to the
// resolvers of the slices, and the pair waits for the answers.
// Invariant: after check() only accesses that are not over are kept; everything later is behind the cut that ended the period.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "detect/access_list.h"
#include "detect/atomics.h"
#include "detect/groups.h"
#include "detect/rules.h"
#include "detect/timeline.h"
#include "memory/sweep.h"
#include "model/finding.h"

namespace photofinish {

class Owner {
 public:
  // Two accesses of the owner itself, by address, need nobody else: they are looked at apart, as they come.
  enum class Pairs { Own, WithOthers };

  Owner(WorldRank rank, const Timeline& timeline, const RuleOptions& options, Pairs pairs)
      : rank_(rank), timeline_(timeline), options_(options), pairs_(pairs) {}

  // `clock`: the sender's.
  void receive(AccessList accesses, std::vector<AtomicOp> atomics, const HostClock& clock);

  // Looks at all that was received since the last time. `until` is the cut that ended the period; kNoCut: the end of it all.
  // True if there are pairs that only the resolvers can decide.
  bool check(std::uint64_t period, Cut until);

  std::map<Cut, std::vector<Question>> questions(std::uint64_t period) const;
  // How the atomics of the period, as the owner sees them, ordered their ranks.
  std::vector<RankSignal> atomic_signals(std::uint64_t period) const;
  // Answers as they were asked. When all have come, conclude.
  void answer(std::uint64_t period, Cut slice, const std::vector<Moment>& answers);
  void conclude(std::uint64_t period);
  void forget(std::uint64_t period) { batches_.erase(period); }  // nobody has a question about it

  const std::vector<Finding>& findings() const { return findings_; }
  std::vector<Finding> take_findings();
  std::size_t kept() const { return carried_.size(); }

 private:
  // At most one at the rank that made the access, and one at the owner.
  struct Instants {
    std::array<Instant, 2> all;
    std::size_t count = 0;
    void add(const Instant& instant) { all[count++] = instant; }
    const Instant* begin() const { return all.data(); }
    const Instant* end() const { return all.data() + count; }
  };
  struct Item {
    Item(Access&& what, bool before) : access(std::move(what)), seen(before) {}
    Access access;
    bool seen = false;  // it was here in an earlier period
    Instants begins, ends;
    // For meet_all: its spans, its first and last slice (or moment), and whether it has met all that are open.
    std::size_t first_span = 0, last_span = 0;
    std::uint64_t from = 0, to = 0;
    bool met = false;
  };
  // One pair that is a race unless one of the conditions holds.
  struct Condition {
    Cut slice = 0;
    std::size_t question = 0;
    Moment least = 0;  // the answer must be at least this
  };
  struct Undecided {
    Finding finding;
    std::vector<Condition> conditions;
  };
  struct Batch {
    std::vector<Undecided> undecided;
    std::map<Cut, std::vector<Question>> questions;
    std::map<Cut, std::map<Question, std::size_t>> asked;
    std::map<Cut, std::vector<Moment>> answers;
    std::vector<RankSignal> atomic_signals;
  };
  struct Delivery {
    AccessList accesses;
    HostClock clock;
  };
  struct Place {
    const WinDefinition* window = nullptr;
    std::uint64_t base = 0;
  };

  void add_atomic(AtomicOp atomic, std::uint64_t address, const HostClock& clock);
  void add_plain_atomic(const Access& access, std::uint64_t address, const HostClock& clock);
  std::optional<Place> place_of(const Access& access);
  static Access placed(const Access& access, const Place& place);
  static bool meets_stores_anywhere(const Access& access, const WinDefinition* window);
  bool awaits(const Access& access, Cut until) const { return until != kNoCut && timeline_.awaits_exposure(access); }
  bool is_over(const Access& access, Cut until) const;
  void take_fresh(Groups& groups, Cut until);
  void set_instants(Item& item) const;
  bool is_own(const Access& access) const { return access.rank == rank_ && access.win == Uid(0); }
  void meet_all(Batch& batch, Groups& groups);
  void meet(Batch& batch, std::size_t a, std::size_t b, std::size_t box_a, std::size_t box_b, bool separate);
  std::vector<RankSignal> order_fresh_atomics(std::uint64_t period);
  void judge(Batch& batch, const Item& a, const Item& b, Reason reason, const ByteRange& where);
  // Whether a is before b for certain; conditions under which it would be are added.
  static bool before(const Item& a, const Item& b, Batch& batch, std::vector<Condition>& conditions);
  Finding make_finding(const Item& a, const Item& b, Reason reason, const ByteRange& where) const;
  void found(Finding finding);
  AccumulateRules accumulate_rules(Uid win) const;

  const WorldRank rank_;
  const Timeline& timeline_;
  const RuleOptions options_;
  const Pairs pairs_;
  std::vector<Delivery> fresh_;
  std::pair<Uid, const WinDefinition*> last_window_;  // that was looked up
  std::vector<AtomicOp> fresh_atomics_;
  std::unordered_map<std::uint64_t, HostClock> clocks_;  // by id, whichever rank's came first
  std::unordered_map<std::uint64_t, AtomicValue> atomic_values_;  // by address, of locations that atomics have looked at
  std::vector<Access> carried_;
  std::vector<Access> awaiting_;  // those whose epoch this rank has not come to
  std::vector<Item> items_;
  std::set<std::pair<std::size_t, std::size_t>> met_;  // pairs of accesses with several boxes
  std::map<std::uint64_t, Batch> batches_;             // by period
  std::vector<Finding> findings_;
  std::size_t merge_at_ = 1024;
  Sweeper sweeper_;
  std::vector<Span> spans_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> boxes_;  // access and box of each span
};

}  // namespace photofinish

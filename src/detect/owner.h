// A rank as owner of its memory: checks every access to it, its own and the others', a period at a
// time.
//
// Rule: docs/internals/one-sided-races.md.
// Of two accesses whose kinds clash, that share a byte and that no
// lock keeps apart, one must be before the other. Sync points, program order and the owner's own
// epochs decide nearly always; what they leave becomes queries to the resolvers of the phases, and
// the pair waits for the answers. Memory: accesses stay where they are handed from (in memory, or
// in a file), and only those are taken out that may clash with others, or are not over. Where that
// is too much at once, one band of addresses is checked after the other. What touches several is
// looked at in each, and a pair counts where the first byte lies that the two have in common. What
// repeats itself is looked at as one (detect/repeated_accesses.h). Invariant: after check() only
// accesses that are not over are kept; everything later is behind the sync point that ended the
// period. Of the owner's own pairs nothing is kept: what is not over is handed again with each
// check, under its serial.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "detect/atomics.h"
#include "detect/batch.h"
#include "detect/groups.h"
#include "detect/repeated_accesses.h"
#include "detect/rules.h"
#include "detect/shards.h"
#include "detect/timeline.h"
#include "memory/sweep.h"
#include "model/finding.h"

namespace photofinish {

class Owner {
 public:
  // Two accesses of the owner itself, by address, need nobody else: they are looked at apart, as
  // they come.
  enum class Pairs { Own, WithOthers };

  Owner(WorldRank rank, const Timeline& timeline, const RuleOptions& options, Pairs pairs)
      : rank_(rank), timeline_(timeline), options_(options), pairs_(pairs) {}

  // Hands all batches of the period to whom it is given, the same ones in the same order as often
  // as it is called: the accesses and atomics of each, with the clock of the sender.
  using Hand = std::function<void(const Batch&)>;
  using Each = std::function<void(const Hand&)>;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  // `until` is the sync point that ended the period; kNoSyncPoint: the end of it all. `memory`:
  // about how many bytes it may take to look at them. True if there are pairs that only the
  // resolvers can decide.
  bool check(std::uint64_t period, SyncPoint until, const Each& each,
             std::size_t memory = kNoLimit);

  std::map<SyncPoint, std::vector<Query>> queries(std::uint64_t period) const;
  // How the atomics of the period, as the owner sees them, ordered their ranks.
  std::vector<RankEdge> atomic_edges(std::uint64_t period) const;
  // Answers as they were asked. When all have come, conclude.
  // The first phase whose queries can still be answered.
  void begin_period(SyncPoint first_phase) { first_phase_ = first_phase; }
  void answer(std::uint64_t period, SyncPoint phase, const std::vector<Timestamp>& answers);
  void conclude(std::uint64_t period);
  void forget(std::uint64_t period) { candidates_.erase(period); }  // nobody has a query about it

  const std::vector<Finding>& findings() const { return findings_; }
  std::vector<Finding> take_findings();
  std::size_t kept() const { return carried_.size(); }

 private:
  struct Item {
    Item(Access&& what, bool before) : access(std::move(what)), seen(before) {}
    Access access;
    bool seen = false;  // it was here in an earlier period
    Instants begins, ends;
    // For meet_all: its spans, its first and last phase (or timestamp), and whether it has met all
    // that are open.
    std::size_t first_span = 0, last_span = 0;
    std::uint64_t from = 0, to = 0;
    bool met = false;
  };
  // One pair that is a race unless one of the conditions holds.
  struct Condition {
    SyncPoint phase = 0;
    std::size_t query = 0;
    Timestamp least = 0;  // the answer must be at least this
  };
  struct Undecided {
    Finding finding;
    std::vector<Condition> conditions;
  };
  // An access of one series, and those of another that race with it unless the resolvers say that
  // they are before it or behind it.
  struct Repeated {
    std::shared_ptr<const RepeatedAccess> one, others;
    std::size_t at = 0, first = 0, last = 0;
    Reason reason{};
    ByteRange where;
  };
  struct Candidates {
    std::vector<Undecided> undecided;
    std::vector<Repeated> repeated;
    std::map<SyncPoint, std::vector<Query>> queries;
    std::map<SyncPoint, std::map<Query, std::size_t>> asked;
    std::map<SyncPoint, std::vector<Timestamp>> answers;
    std::vector<RankEdge> atomic_edges;
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>>
        edges_at;  // by address: which of them
  };
  struct Location {
    const WinDefinition* window = nullptr;
    std::uint64_t base = 0;
  };

  // What a first look at everything tells.
  struct Check {
    Check(WorldRank rank, const RuleOptions& options) : groups(rank, options) {}
    Groups groups;
    bool any_atomic = false;        // that fetches
    bool any_plain_atomic = false;  // where somebody has fetched
    bool any_open = false;
    std::uint64_t last_serial = 0;
    std::size_t accesses = 0;  // to be taken out, at most
    std::vector<Shard> shards;
    bool takes_accesses() const { return any_open || any_plain_atomic || groups.any_clash(); }
  };
  // Those of earlier periods that are still of interest.
  struct Earlier {
    std::vector<Access> carried, awaiting;
  };

  const HostClock& common(const HostClock& clock);
  Check check_at_all(SyncPoint until, const Each& each, std::size_t memory);
  void check_shard(Candidates& candidates, std::uint64_t period, SyncPoint until, Check& check,
                   const Each& each, Earlier& earlier);
  void take_earlier(Earlier& earlier, bool last);
  void take_atomics(const Batch& batch);
  void take_accesses(const Batch& batch, Check& check, SyncPoint until);
  bool touches_shard(const Access& access, const Location& location) const;
  bool begins_in_shard(const Access& access) const;
  void keep_unless_elsewhere(std::vector<Access>& list, Access&& access) const;
  void add_atomic(std::vector<AtomicOp>& list, AtomicOp atomic, std::uint64_t address,
                  const HostClock& clock);
  void add_plain_atomic(const Access& access, std::uint64_t address, const HostClock& clock);
  std::optional<Location> location_of(const Access& access);
  static Access located(const Access& access, const Location& location);
  static bool meets_stores_anywhere(const Access& access, const WinDefinition* window);
  bool awaits(const Access& access, SyncPoint until) const {
    return until != kNoSyncPoint && timeline_.awaits_exposure(access);
  }
  bool is_over(const Access& access, SyncPoint until) const;
  void set_instants(Item& item) const;
  bool is_own(const Access& access) const { return access.rank == rank_ && access.win == Uid(0); }
  void meet_all(Candidates& candidates, Groups& groups);
  void meet(Candidates& candidates, std::size_t a, std::size_t b, std::size_t strided_a,
            std::size_t strided_b, bool separate);
  void meet_separate(Candidates& candidates, std::size_t a, std::size_t b);
  void form_series(std::vector<std::uint32_t>& items);
  RepeatedAccess& series_at(std::size_t number, const Candidates& candidates);
  void meet_series(Candidates& candidates, std::size_t a, std::size_t b, bool separate);
  void meet_each(Candidates& candidates, const RepeatedAccess& a, const RepeatedAccess& b,
                 bool separate);
  void judge_series(Candidates& candidates, std::size_t one, std::size_t others, Reason reason,
                    const ByteRange& where);
  // How they clash in two of their boxes, and where.
  struct Meeting {
    ByteRange where;
    Reason reason{};
    auto key() const { return std::tuple(where.begin, where.end, reason); }
  };
  std::optional<Meeting> meeting_of(const Access& one, const Access& other, const Strided& first,
                                    const Strided& second) const;
  bool met_below_shard(const Access& one, const Access& other) const;
  void order_atomics_of_shard(Candidates& candidates, std::uint64_t period);
  void add_stores(std::map<std::uint64_t, std::vector<AtomicOp>>& by_location) const;
  void forget_shown();
  void judge(Candidates& candidates, const Item& a, const Item& b, Reason reason,
             const ByteRange& where);
  // The number of the query what is known of the task of an instant.
  static std::size_t ask(Candidates& candidates, const Instant& instant, const Instant& about);
  // Whether what is over at any of these is before b for certain; conditions under which it would
  // be are added.
  template <class Ends>
  bool before(const Ends& ends, const Item& b, Candidates& candidates,
              std::vector<Condition>& conditions);
  // When others had a result that this atomic's effect is part of: its bytes were changed by then,
  // whenever its rank completes it.
  std::vector<Instant> shown(const Access& access, const Candidates& candidates);
  Finding make_finding(const Access& a, const Access& b, Reason reason,
                       const ByteRange& where) const;
  void found(Finding finding);
  void note_end(const Access& access);
  void settle_ends();
  AccumulateRules accumulate_rules(Uid win) const;

  const WorldRank rank_;
  const Timeline& timeline_;
  const RuleOptions options_;
  const Pairs pairs_;
  SyncPoint first_phase_ = 0;
  std::pair<Uid, const WinDefinition*> last_window_;     // that was looked up
  std::unordered_map<std::uint64_t, HostClock> clocks_;  // by id, whichever rank's came first
  std::unordered_map<std::uint64_t, AtomicValue>
      atomic_values_;       // by address, of locations that atomics have looked at
  std::uint64_t seen_ = 0;  // Pairs::Own: serials up to this one were here in an earlier check
  std::vector<Access> carried_;
  std::vector<Access> awaiting_;  // those whose epoch this rank has not come to
  std::map<std::pair<WorldRank, Timestamp>, std::vector<Instant>>
      shown_;  // of those that are kept, in earlier periods
  std::unordered_map<std::uint64_t, Sightings>
      sightings_;  // of this period, by address, as they are asked for

  // Of the band that is being checked.
  Shard shard_;
  std::vector<AtomicOp> atomics_, plain_atomics_;
  std::map<std::pair<WorldRank, std::uint64_t>, std::size_t>
      earlier_;  // items of earlier periods, by their serials
  std::vector<Item> items_;
  std::map<std::pair<std::size_t, std::size_t>, Meeting>
      met_;  // pairs of accesses with several boxes: where they meet first
  std::set<std::pair<std::size_t, std::size_t>>
      separate_;  // pairs that were told of by the separate model

  // Of the accesses that are being brought together: which series each item is in, and which items
  // each is made of, from the first on.
  struct Row {
    std::uint32_t first = 0, last = 0, count = 0;
  };
  std::vector<Row> rows_;
  std::vector<std::uint32_t> row_of_, next_in_row_;  // by item
  std::unordered_map<std::uint64_t, std::uint32_t> row_like_;
  std::unordered_map<std::size_t, std::shared_ptr<RepeatedAccess>>
      repeated_;  // by row, of those with several, as they are asked for
  std::set<std::tuple<std::size_t, std::size_t, bool>> met_series_;

  std::map<std::uint64_t, Candidates> candidates_;  // by period
  std::vector<Finding> findings_;
  // Accesses of earlier periods whose end has come: rank, begin, part and kind, as findings that
  // were made before it know them.
  struct End {
    Timestamp timestamp = kNever;
    SiteId closed;
  };
  std::map<std::tuple<WorldRank, Timestamp, std::uint32_t, AccessKind>, End> ends_;
  std::size_t merge_at_ = 1024;
  Sweeper sweeper_;
  std::vector<Span> spans_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> footprint_;  // access and box of each span
};

}  // namespace photofinish

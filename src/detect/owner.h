// A rank as owner of its memory: checks every access to it, of all ranks, one period at a time.
//
// Rule (docs/internals/one-sided-races.md): two conflicting accesses to a common byte that are not
// protected by a common lock must be ordered. Sync points, program order and the owner's epochs
// decide nearly all pairs. The others become queries to the resolvers of the phases; the pair stays
// undecided until the answers arrive.
//
// Memory: access records are read where they are stored, in memory or in a file. Only those that
// may conflict, or are pending, are decoded. If these are too many, one address shard is checked
// after the other. An access that touches several shards is checked in each. A pair counts in the
// shard of its first common byte. Repeated accesses are checked as one group
// (detect/repeated_accesses.h).
//
// Invariant: after check() only pending accesses are stored; everything later comes after the sync
// point that ended the period. Pairs::Own stores nothing: pending accesses are passed again to each
// check, with the same serial.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "detect/atomics.h"
#include "detect/batch.h"
#include "detect/deliveries.h"
#include "detect/groups.h"
#include "detect/repeated_accesses.h"
#include "detect/rules.h"
#include "detect/shards.h"
#include "effects/timeline.h"
#include "memory/sweep.h"
#include "model/finding.h"

namespace photofinish {

class Owner {
 public:
  // Own: two accesses of the owner to its own memory, by address. They need no other rank and are
  // checked separately, as they occur.
  enum class Pairs { Own, WithOthers };

  Owner(WorldRank rank, const Timeline& timeline, const RuleOptions& options, Pairs pairs)
      : rank_(rank), timeline_(timeline), options_(options), pairs_(pairs) {}

  // Each visits all batches of the period: accesses, atomics and the sender's clock. It may be
  // called repeatedly and visits the same batches in the same order.
  using Hand = std::function<void(const Batch&)>;
  using Each = std::function<void(const Hand&)>;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  // `until` is the sync point that ended the period; kNoSyncPoint: the end of the run. `memory`:
  // approximate limit in bytes for decoded accesses. True if there are pairs that only the
  // resolvers can decide.
  bool check(std::uint64_t period, SyncPoint until, const Each& each,
             std::size_t memory = kNoLimit);

  std::map<SyncPoint, std::vector<Query>> queries(std::uint64_t period) const;
  // Edges between ranks from the reconstructed order of the period's atomics.
  std::vector<RankEdge> atomic_edges(std::uint64_t period) const;
  // The first phase whose queries can still be answered.
  void begin_period(SyncPoint first_phase) { first_phase_ = first_phase; }
  // Answers are in the order of the queries. Call conclude() after all of them.
  void answer(std::uint64_t period, SyncPoint phase, const std::vector<Timestamp>& answers);
  void conclude(std::uint64_t period);
  void forget(std::uint64_t period) { candidates_.erase(period); }  // no rank has a query about it

  const std::vector<Finding>& findings() const { return findings_; }
  std::vector<Finding> take_findings();
  std::size_t kept() const { return carried_.size(); }

 private:
  struct Item {
    Item(Access&& what, bool before) : access(std::move(what)), seen(before) {}
    Access access;
    bool seen = false;  // also in an earlier period
    Instants begins, ends;
    // For pair_all: its spans, its first and last phase (or timestamp), and whether it has been
    // compared with all open ones.
    std::size_t first_span = 0, last_span = 0;
    std::uint64_t from = 0, to = 0;
    bool met = false;
  };
  // A pair that is a race unless one of the conditions holds.
  struct Condition {
    SyncPoint phase = 0;
    std::size_t query = 0;
    Timestamp least = 0;  // smallest answer that fulfills the condition
  };
  struct Undecided {
    Finding finding;
    std::vector<Condition> conditions;
  };
  // An access of one group of repeated accesses, and the range of another group that races with it,
  // except those that the resolvers order before or after it.
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
    // By address: range in atomic_edges.
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> edges_at;
  };
  struct Location {
    const RegionTraits* region = nullptr;
    std::uint64_t base = 0;
  };

  // Result of the first pass over all batches.
  struct Check {
    Check(WorldRank rank, const RuleOptions& options) : groups(rank, options) {}
    Groups groups;
    bool any_atomic = false;        // that fetches
    bool any_plain_atomic = false;  // at a location from which some rank has fetched
    bool any_open = false;
    bool any_delivery = false;  // an operation whose delivery is ordered
    std::uint64_t last_serial = 0;
    std::size_t accesses = 0;  // upper bound of those to decode
    std::vector<Shard> shards;
    bool takes_accesses() const { return any_open || any_plain_atomic || groups.any_conflict(); }
  };
  // Accesses of earlier periods that are still needed.
  struct Earlier {
    std::vector<Access> carried, awaiting;
  };

  // An observation in one shard may show that an operation on another one is delivered. Then the
  // atomics of all shards are ordered before the first pair is checked.
  enum class Part { Order, Pair, Both };

  const HostClock& common(const HostClock& clock);
  Check first_pass(SyncPoint until, const Each& each, std::size_t memory);
  void check_shard(Candidates& candidates, std::uint64_t period, SyncPoint until, Check& check,
                   const Each& each, Earlier& earlier, Part part);
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
  static bool meets_stores_anywhere(const Access& access, const RegionTraits* region);
  bool awaits(const Access& access, SyncPoint until) const {
    return until != kNoSyncPoint && timeline_.awaits_exposure(access);
  }
  bool is_over(const Access& access, SyncPoint until) const;
  void set_instants(Item& item) const;
  bool is_own(const Access& access) const { return access.rank == rank_ && access.win == Uid(0); }
  void set_spans(Groups& groups);
  void pair_all(Candidates& candidates, Groups& groups);
  // Compares accesses of one round with each other and with those that are still open.
  void pair_singly(Candidates& candidates, const GroupConflicts& conflicts,
                   std::span<const std::uint32_t> open, std::span<const std::uint32_t> fresh);
  void pair_together(Candidates& candidates, const GroupConflicts& conflicts,
                     std::span<const std::uint32_t> open, std::span<const std::uint32_t> fresh);
  void pair_spans(Candidates& candidates, const Span& a, const Span& b);
  void meet(Candidates& candidates, std::size_t a, std::size_t b, std::size_t strided_a,
            std::size_t strided_b, bool separate);
  void pair_separate(Candidates& candidates, std::size_t a, std::size_t b);
  void form_groups(std::vector<std::uint32_t>& items);
  RepeatedAccess& group_at(std::size_t number, const Candidates& candidates);
  void pair_groups(Candidates& candidates, std::size_t a, std::size_t b, bool separate);
  void pair_each(Candidates& candidates, const RepeatedAccess& a, const RepeatedAccess& b,
                 bool separate);
  void pair_beside(Candidates& candidates, const RepeatedAccess& one, const RepeatedAccess& others);
  void judge_groups(Candidates& candidates, std::size_t one, std::size_t others, Reason reason,
                    const ByteRange& where);
  // How two strided blocks conflict, and where.
  struct Meeting {
    ByteRange where;
    Reason reason{};
    auto key() const { return std::tuple(where.begin, where.end, reason); }
  };
  std::optional<Meeting> meeting_of(const Access& one, const Access& other, const Strided& first,
                                    const Strided& second) const;
  bool met_below_shard(const Access& one, const Access& other) const;
  void order_atomics_of_shard(Candidates& candidates, std::uint64_t period);
  void add_carried(std::map<std::uint64_t, std::vector<AtomicOp>>& by_location);
  void add_stores(std::map<std::uint64_t, std::vector<AtomicOp>>& by_location) const;
  void forget_shown();
  void judge(Candidates& candidates, const Item& a, const Item& b, Reason reason,
             const ByteRange& where);
  // Number of the query: what `instant` knows of the task of `about`.
  static std::size_t ask(Candidates& candidates, const Instant& instant, const Instant& about);
  // Whether one of the ends certainly precedes b. Adds the conditions under which one would.
  template <class Ends>
  bool before(const Ends& ends, const Item& b, Candidates& candidates,
              std::vector<Condition>& conditions);
  // When other ranks fetched a result that includes this atomic's effect, or saw a later operation
  // that is delivered after this one. The effect is settled by then, even if its rank completes it
  // later.
  const Sightings* sightings_at(std::uint64_t address, const Candidates& candidates);
  std::vector<Instant> shown(const Access& access, const Candidates& candidates);
  Finding make_finding(const Access& a, const Access& b, Reason reason,
                       const ByteRange& where) const;
  void found(Finding finding);
  void note_end(const Access& access);
  void settle_ends();
  const RegionTraits* region_of(const Access& access) const {
    return access.win != Uid(0) ? timeline_.region(access.win) : nullptr;
  }

  const WorldRank rank_;
  const Timeline& timeline_;
  const RuleOptions options_;
  const Pairs pairs_;
  SyncPoint first_phase_ = 0;
  std::pair<Uid, const RegionTraits*> last_region_;      // cache of location_of()
  std::unordered_map<std::uint64_t, HostClock> clocks_;  // by id: the first one received
  // By address, for locations from which atomics have fetched.
  std::unordered_map<std::uint64_t, AtomicValue> atomic_values_;
  std::uint64_t seen_ = 0;  // Pairs::Own: serials up to this one were in an earlier check
  std::vector<Access> carried_;
  std::vector<Access> awaiting_;  // in an epoch that this rank has not reached
  // Of carried accesses, from earlier periods.
  std::map<std::pair<WorldRank, Timestamp>, std::vector<Instant>> shown_;
  // Of this period, by address, created on demand.
  std::unordered_map<std::uint64_t, Sightings> sightings_;
  Deliveries deliveries_;  // of this period

  // State of the shard that is being checked.
  Shard shard_;
  std::vector<AtomicOp> atomics_, plain_atomics_;
  // Items of earlier periods, by serial.
  std::map<std::pair<WorldRank, std::uint64_t>, std::size_t> earlier_;
  std::vector<Item> items_;
  // Pairs with several strided blocks: their first conflict.
  std::map<std::pair<std::size_t, std::size_t>, Meeting> met_;
  // Pairs already reported for the separate model.
  std::set<std::pair<std::size_t, std::size_t>> separate_;

  // Groups of repeated accesses among the compared items: the items of each group as a linked list.
  struct Row {
    std::uint32_t first = 0, last = 0, count = 0;
  };
  std::vector<Row> rows_;
  std::vector<std::uint32_t> row_of_, next_in_row_;  // by item
  std::unordered_map<std::uint64_t, std::uint32_t> row_like_;
  // By row, for rows with several items, created on demand.
  std::unordered_map<std::size_t, std::shared_ptr<RepeatedAccess>> repeated_;
  std::set<std::tuple<std::size_t, std::size_t, bool>> met_groups_;

  std::map<std::uint64_t, Candidates> candidates_;  // by period
  std::vector<Finding> findings_;
  // Accesses of earlier periods that have ended since, by rank, begin, part and kind. Findings made
  // before identify them by these.
  struct End {
    Timestamp timestamp = kNever;
    SiteId closed;
  };
  std::map<std::tuple<WorldRank, Timestamp, std::uint32_t, AccessKind>, End> ends_;
  std::size_t merge_at_ = 1024;
  Sweeper sweeper_;
  std::vector<Span> spans_;
  // Access and strided block of each span.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> footprint_;
};

}  // namespace photofinish

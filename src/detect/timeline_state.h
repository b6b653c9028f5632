// State of a Timeline: communicators, windows, and incomplete operations and requests.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <set>

#include "detect/timeline.h"
#include "order/keys.h"

namespace photofinish {

SendMode mode_of(Call call);

inline std::uint64_t message_key(Channel channel, Uid comm, WorldRank from, WorldRank to,
                                 std::int64_t tag, std::uint64_t index) {
  return edge_key(channel, comm.value, static_cast<std::uint32_t>(from.value),
                  static_cast<std::uint32_t>(to.value), tag, index);
}

// A posted receive, or a probe. Its match is known once those of all earlier ones are. One per
// outstanding receive, so it is small.
struct Timeline::Posted {
  WorldRank from;
  bool settled : 1 = false;
  bool done : 1 = false;
  bool freed : 1 = false;          // it will never be waited for
  bool reported : 1 = false;       // to synchronous senders
  bool takes : 1 = true;           // false: MPI_Probe leaves the message in the queue
  bool matched_probe : 1 = false;  // of `message`: the receive comes later
  bool reported_complete = false;
  std::int64_t tag = kAnyTag;
  Timestamp posted = 0;
  Knowledge known;  // at the post
  SyncPoint posted_phase = 0;
  // Its message is the index-th from the source with the tag. Before it is settled: its number
  // among the unsettled ones.
  std::uint64_t index = 0;
  MessageId message;
  Timestamp completed = 0;
  SyncPoint phase = 0;
  std::uint64_t operation = 0;  // its number for the sink
  bool wild() const { return from == kAnySource || tag == kAnyTag; }
  bool could_take(WorldRank source, std::int64_t its_tag) const {
    return takes && (from == kAnySource || from == source) && (tag == kAnyTag || tag == its_tag);
  }
};

// The unsettled receives and probes of a communicator: an earlier one could still take their
// message. There may be very many, and they may complete in any order. So each class of equal
// wanted source and tag is a list of its own, which avoids a search through all. Invariant: an
// entry is in `open_` while its message is unknown, otherwise in `known_`, by the source and tag
// that it asked for or took. `open_` may list removed entries behind others.
class Timeline::Unsettled {
 public:
  bool empty() const { return all_.empty(); }
  const std::deque<std::shared_ptr<Posted>>& in_order() const { return all_; }  // null: removed

  void add(std::shared_ptr<Posted> posted) {
    posted->index = first_ + all_.size();
    if (is_known(*posted))
      known_[key_of(*posted)].insert(posted->index);
    else
      open_[key_of(*posted)].push_back(posted->index);
    all_.push_back(std::move(posted));
  }
  // The receive is complete and took this message.
  void narrow(Posted& posted, WorldRank from, std::int64_t tag) {
    if (is_known(posted)) forget(key_of(posted), posted.index);
    posted.done = true;
    posted.from = from;
    posted.tag = tag;
    known_[key_of(posted)].insert(posted.index);
  }
  void remove(const Posted& posted) {
    const Key key = key_of(posted);
    const bool known = is_known(posted);
    if (known) forget(key, posted.index);
    all_[posted.index - first_] = nullptr;  // `posted` may be destroyed
    while (!all_.empty() && all_.front() == nullptr) all_.pop_front(), ++first_;
    if (!known) first_open(key);
  }
  // Calls settle(posted) for entries that no earlier one can take a message from any more, among
  // those that one with `wanted` may have preceded. `settle` removes the entry.
  template <class Settle>
  void settle(const Wanted& wanted, Settle settle) {
    if (all_.empty()) return;
    const Posted& earliest = *all_.front();
    if (!is_known(earliest) && (earliest.from == kAnySource || earliest.from == wanted.source) &&
        (earliest.tag == kAnyTag || earliest.tag == wanted.tag))
      return;  // it precedes all of them
    if (wanted.tag != kAnyTag && wanted.source != kAnySource)
      return settle_class({wanted.tag, wanted.source}, settle);
    std::vector<Key> keys;
    const auto begin = wanted.tag == kAnyTag
                           ? known_.begin()
                           : known_.lower_bound({wanted.tag, WorldRank(INT32_MIN)});
    for (auto at = begin;
         at != known_.end() && (wanted.tag == kAnyTag || at->first.first == wanted.tag); ++at)
      if (wanted.takes(at->first.second, at->first.first)) keys.push_back(at->first);
    for (const Key& key : keys) settle_class(key, settle);
  }

 private:
  using Key = std::pair<std::int64_t, WorldRank>;  // tag and source
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  static Key key_of(const Posted& posted) { return {posted.tag, posted.from}; }
  static bool is_known(const Posted& posted) { return posted.done || !posted.wild(); }
  void forget(const Key& key, std::uint64_t number) {
    const auto found = known_.find(key);
    if (found == known_.end()) return;
    found->second.erase(number);
    if (found->second.empty()) known_.erase(found);
  }
  std::uint64_t first_open(const Key& key) {
    const auto found = open_.find(key);
    if (found == open_.end()) return kNone;
    std::deque<std::uint64_t>& numbers = found->second;
    const auto is_gone = [&](std::uint64_t number) {
      return number < first_ || all_[number - first_] == nullptr ||
             is_known(*all_[number - first_]);
    };
    while (!numbers.empty() && is_gone(numbers.front())) numbers.pop_front();
    if (!numbers.empty()) return numbers.front();
    open_.erase(found);
    return kNone;
  }
  template <class Settle>
  void settle_class(const Key& key, Settle settle) {
    const auto [tag, source] = key;
    const std::uint64_t open =
        std::min({first_open({tag, kAnySource}), first_open({kAnyTag, source}),
                  first_open({kAnyTag, kAnySource})});
    for (auto found = known_.find(key); found != known_.end() && *found->second.begin() < open;
         found = known_.find(key))
      settle(all_[*found->second.begin() - first_]);
  }

  std::deque<std::shared_ptr<Posted>> all_;  // in posting order
  std::uint64_t first_ = 0;                  // number of the first
  std::map<Key, std::deque<std::uint64_t>> open_;
  std::map<Key, std::set<std::uint64_t>> known_;
};

struct Timeline::Comm {
  Uid uid;
  std::int32_t size = 0;
  std::uint64_t position = 0;  // of this rank in the group
  bool whole_world = false;
  bool inter = false;
  bool is_world = false;            // MPI_COMM_WORLD itself
  bool has_external_ranks = false;  // some of its processes have no trace
  const std::vector<WorldRank>*ranks = nullptr, *remote_ranks = nullptr;
  std::uint64_t own_side = 0, other_side = 0;
  std::uint64_t collectives = 0;
  std::uint64_t persistent = 0;
  // Counters by peer and tag, with a cache of recent entries.
  class Counts {
   public:
    std::uint64_t& operator[](std::pair<WorldRank, std::int64_t> key) {
      auto& recent = recent_[(static_cast<std::uint64_t>(key.first.value) +
                              static_cast<std::uint64_t>(key.second) * 7) %
                             recent_.size()];
      if (recent == nullptr || recent->first != key) recent = &*all_.try_emplace(key, 0).first;
      return recent->second;
    }

   private:
    using All = std::map<std::pair<WorldRank, std::int64_t>, std::uint64_t>;
    All all_;  // a map, since its entries do not move
    std::array<All::value_type*, 64> recent_{};
  };
  Counts sent, taken;
  std::map<std::pair<WorldRank, std::int64_t>, std::uint64_t> partitioned_out, partitioned_in;
  Unsettled unsettled;
};

// A pending access of a one-sided operation: to a buffer, or to the target.
struct Timeline::Pending {
  Access access;
  std::uint64_t operation = 0;  // number of the operation
  bool at_target = false;
  bool fetches = false;
  bool over = false;
  std::int64_t atomic = 0;  // its number, if it is an atomic that fetches, or on several elements
  std::int64_t elements = 1;
  std::vector<std::int64_t> more_operands;  // after the first
  std::uint64_t compare = 0;                // of a compare-and-swap
};

struct Timeline::Window {
  WinId id;
  Uid uid;
  Comm* comm = nullptr;
  struct Held {
    bool exclusive = false;
    bool checked = true;
    SiteId site;
    bool reported = false;  // as certainly held
  };
  // Operations on one target, in program order.
  struct Operations {
    std::vector<Pending> pending;
    std::size_t over = 0;        // complete ones that are not erased yet
    bool by_other_task = false;  // a flush completed some that another task started
  };
  std::unordered_map<WorldRank, Operations> operations;
  std::unordered_map<WorldRank, Held> locks;  // kAnySource: MPI_Win_lock_all
  std::vector<WorldRank> started;             // targets of the access epoch
  std::vector<WorldRank> posted;              // origins of the exposure epoch
  SiteId started_site;
  std::vector<std::uint64_t> start_keys;  // of `started`, for the sink
  std::unordered_map<WorldRank, std::uint64_t> starts, posts;

  // The k-th epoch is at k - 1 - forgotten.
  struct Exposures {
    std::deque<Exposure> known;
    std::uint64_t forgotten = 0;
    std::uint64_t mark = 0, old_mark = 0;
    const Exposure* find(std::uint64_t index) const {
      if (index <= forgotten || index - forgotten > known.size()) return nullptr;
      return &known[index - forgotten - 1];
    }
    std::uint64_t count() const { return forgotten + known.size(); }
    // Keeps the epochs that were added since the last call but one.
    void forget() {
      while (forgotten < old_mark && !known.empty() && known.front().end.timestamp != kNever) {
        known.pop_front();
        ++forgotten;
      }
      old_mark = std::exchange(mark, count());
    }
  };
  Exposures fences;
  SiteId fence_site;
  std::unordered_map<WorldRank, Exposures> exposed;  // by origin
};

// The data flow of a collective, as seen by this rank.
struct Timeline::Flow {
  bool everyone = false;  // from all to all
  bool reads = false, writes = false;
  bool among_new_members = false;  // of the communicator that it creates
  std::uint64_t number = 0;        // of the collective on its communicator
  std::vector<std::pair<std::uint64_t, std::uint64_t>> releases, acquires;  // key, position
};

// For the sink: the ranks that this rank waits for in a collective.
struct Timeline::Acquired {
  std::uint64_t key = 0;
  std::shared_ptr<const std::vector<WorldRank>> from;
  bool carries = true;
};

// An access that is pending until a request completes. Small: the common part of a site's accesses
// is shared.
struct Timeline::OpenAccess {
  std::shared_ptr<const Access> like;  // everything except the following
  Timestamp begin = 0;
  std::int64_t shift = 0, length = 0;  // as in Footprint
  std::uint64_t serial = 0;
  std::uint32_t part = 0;
  bool reachable = false;

  Access access() const {
    Access whole = *like;
    whole.begin = begin;
    whole.serial = serial;
    whole.part = part;
    whole.reachable = reachable;
    if (whole.footprint.shared() == nullptr)
      whole.footprint = Footprint(shift, length);
    else
      whole.footprint.move_by(shift - whole.footprint.shift());
    return whole;
  }
};

// Usually has one element.
class Timeline::OpenAccesses {
 public:
  void add(OpenAccess access) {
    if (first_.like == nullptr && more_ == nullptr) {
      first_ = std::move(access);
      return;
    }
    if (more_ == nullptr) more_ = std::make_unique<std::vector<OpenAccess>>();
    more_->push_back(std::move(access));
  }
  // Null: absent, or complete.
  OpenAccess* at(std::size_t index) {
    OpenAccess* const found = index == 0                                   ? &first_
                              : more_ != nullptr && index <= more_->size() ? &(*more_)[index - 1]
                                                                           : nullptr;
    return found != nullptr && found->like != nullptr ? found : nullptr;
  }
  template <class Visit>
  void each(Visit visit) {
    if (first_.like != nullptr) visit(first_);
    if (more_ == nullptr) return;
    for (OpenAccess& access : *more_)
      if (access.like != nullptr) visit(access);
  }
  void clear() { *this = {}; }

 private:
  OpenAccess first_;
  std::unique_ptr<std::vector<OpenAccess>> more_;
};

// One per outstanding request. Small: rare state is separate.
struct Timeline::Request {
  struct Rare {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> acquires;  // at completion
    std::vector<Acquired> acquired;                                 // the same, for the sink
    std::uint64_t operation = 0;                                    // of a one-sided operation
    Window* window = nullptr;
    WorldRank target;
    // A persistent request: the call to repeat at each start.
    std::unique_ptr<Event> prepared;
    // Among the persistent collectives, or partitioned messages, of its communicator.
    std::uint64_t number = 0;
    std::uint64_t starts = 0;
    std::uint64_t ready = 0;  // partitions since the last start
    // Key: number of larger parts, index of the part. Value: how many of its partitions are ready.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> parts;
  };

  OpenAccesses accesses;  // pending until it completes
  Comm* comm = nullptr;
  std::shared_ptr<Posted> receive;
  std::uint64_t send = 0;  // its number for the sink
  std::int64_t sent_tag = 0;
  std::uint64_t sent_index = 0;  // the message is the index-th to the destination with the tag
  WorldRank sent_to;
  Call call{};
  std::unique_ptr<Rare> rare;

  Rare& rarely() {
    if (rare == nullptr) rare = std::make_unique<Rare>();
    return *rare;
  }
  const Event* prepared() const { return rare != nullptr ? rare->prepared.get() : nullptr; }
};

template <class Visit>
void Timeline::each_open(Visit visit) {
  for (auto& [id, request] : requests_)
    request.accesses.each([&](OpenAccess& open) {
      Access access = open.access();
      visit(access);
      open.serial = access.serial;
      open.reachable = access.reachable;
    });
  for (Access& access : unfinished_) visit(access);
  for (auto& [file, accesses] : split_files_)
    for (Access& access : accesses) visit(access);
  for (auto& [id, window] : windows_)
    if (window != nullptr)
      for (auto& [target, operations] : window->operations)
        for (Pending& pending : operations.pending)
          if (!pending.over) visit(pending.access);
}

}  // namespace photofinish

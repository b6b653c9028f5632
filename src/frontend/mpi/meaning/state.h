// State of the interpretation of a rank: communicators, windows, posted receives and requests.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "effects/open_accesses.h"
#include "effects/region.h"
#include "effects/timeline.h"
#include "model/event.h"
#include "model/message.h"
#include "order/keys.h"

namespace photofinish::mpi_meaning {

SendMode mode_of(Call call);

inline std::uint64_t message_key(Channel channel, Uid comm, WorldRank from, WorldRank to,
                                 std::int64_t tag, std::uint64_t index) {
  return edge_key(channel, comm.value, static_cast<std::uint32_t>(from.value),
                  static_cast<std::uint32_t>(to.value), tag, index);
}

// A posted receive, or a probe. It is settled once its match is known, which requires the matches
// of earlier ones that could take the same message. Small, since there is one per outstanding
// receive.
struct Posted {
  WorldRank from;
  bool settled : 1 = false;
  bool done : 1 = false;
  bool freed : 1 = false;          // by MPI_Request_free: no call will complete it
  bool reported : 1 = false;       // its edge to synchronous senders is added
  bool takes : 1 = true;           // false: MPI_Probe leaves the message in the queue
  bool matched_probe : 1 = false;  // a matched probe of `message`, which is received later
  bool reported_complete = false;
  std::int64_t tag = kAnyTag;
  Timestamp posted = 0;
  Knowledge known;  // when it was posted
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
// message. There may be very many, and they may complete in any order. To avoid a search through
// all of them, entries with the same source and tag are in one list. Invariant: an entry is in
// `open_` while the source or tag of its message is unknown, otherwise in `known_`; the key is the
// source and tag that it requested or received. `open_` may contain removed entries that are not
// first.
class Unsettled {
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
  // Calls settle(posted) for each entry from which no earlier entry can take a message any more.
  // Only entries that an entry with `wanted` could have blocked are checked. `settle` removes the
  // entry.
  template <class Settle>
  void settle(const Wanted& wanted, Settle settle) {
    if (all_.empty()) return;
    const Posted& earliest = *all_.front();
    if (!is_known(earliest) && (earliest.from == kAnySource || earliest.from == wanted.source) &&
        (earliest.tag == kAnyTag || earliest.tag == wanted.tag))
      return;  // it still blocks all of them
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
  std::uint64_t first_ = 0;                  // number of the first entry in all_
  std::map<Key, std::deque<std::uint64_t>> open_;
  std::map<Key, std::set<std::uint64_t>> known_;
};

struct Comm {
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

struct Window {
  WinId id;
  Uid uid;
  Comm* comm = nullptr;
  Region* region = nullptr;
  struct Held {
    bool exclusive = false;
    bool checked = true;
    SiteId site;
    bool reported = false;  // reported as certainly held
  };
  std::unordered_map<WorldRank, Held> locks;  // kAnySource: MPI_Win_lock_all
  std::vector<WorldRank> started;             // targets of the access epoch
  std::vector<WorldRank> posted;              // origins of the exposure epoch
  SiteId started_site;
  std::vector<std::uint64_t> start_keys;  // keys of `started`, for the sink
  std::unordered_map<WorldRank, std::uint64_t> starts, posts;
  SiteId fence_site;
};

// The data flow of a collective, as seen by this rank.
struct Flow {
  bool everyone = false;  // data flows from all ranks to all
  bool reads = false, writes = false;
  bool among_new_members = false;  // only members of the new communicator take part
  std::uint64_t number = 0;        // number of the collective on its communicator
  std::vector<std::pair<std::uint64_t, std::uint64_t>> releases, acquires;  // key, position
};

// For the sink: the ranks that this rank waits for in a collective.
struct Acquired {
  std::uint64_t key = 0;
  std::shared_ptr<const std::vector<WorldRank>> from;
  bool carries = true;
};

// One per outstanding request. Small: rare state is separate.
struct Request {
  struct Rare {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> acquires;  // at completion
    std::vector<Acquired> acquired;                                 // the same, for the sink
    std::uint64_t operation = 0;  // number of a one-sided operation
    Window* window = nullptr;
    WorldRank target;
    // A persistent request: the call to repeat at each start.
    std::unique_ptr<Event> prepared;
    // Its number among the persistent collectives, or partitioned messages, of its communicator.
    std::uint64_t number = 0;
    std::uint64_t starts = 0;
    std::uint64_t ready = 0;  // number of partitions that are ready since the last start
    // Key: number of larger parts, index of the part. Value: how many of its partitions are ready.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> parts;
  };

  OpenAccesses accesses;  // pending until the request completes
  Comm* comm = nullptr;
  std::shared_ptr<Posted> receive;
  std::uint64_t send = 0;  // its number for the sink
  std::int64_t sent_tag = 0;
  std::uint64_t sent_index = 0;  // the message is the index-th to the destination with the tag
  WorldRank sent_to;
  Call call{};
  bool cancelled = false;  // MPI_Cancel was called
  std::unique_ptr<Rare> rare;

  Rare& rarely() {
    if (rare == nullptr) rare = std::make_unique<Rare>();
    return *rare;
  }
  const Event* prepared() const { return rare != nullptr ? rare->prepared.get() : nullptr; }
};

using Requests = std::unordered_map<RequestId, Request>;

// The key that orders the task that starts a request before the tasks that complete it.
inline std::uint64_t request_key(RequestId id) { return edge_key(Channel::Request, id.value); }
inline void request_started(Timeline& effects, RequestId id) {
  effects.task_release(request_key(id), At::Start);
}

inline RequestId id_of_request(const Event& event) {
  return RequestId(static_cast<std::uint64_t>(
      event.fields.has(Field::request) ? event.fields[Field::request] : 0));
}

inline Request& new_request(Timeline& effects, Requests& requests, const Event& event) {
  const RequestId id = id_of_request(event);
  Request& request = requests[id];
  request = {};
  request.call = event.call;
  request_started(effects, id);
  return request;
}

inline bool sends(Action action) {
  return action == Action::Send || action == Action::SendReceive ||
         action == Action::SendReceiveReplace;
}
inline bool receives(Action action) {
  return action == Action::Receive || action == Action::SendReceive ||
         action == Action::SendReceiveReplace;
}

}  // namespace photofinish::mpi_meaning

// What a Timeline keeps while it walks: communicators, windows, operations and requests that are
// not over.
#pragma once

#include <array>

#include "detect/timeline.h"
#include "order/keys.h"

namespace photofinish {

SendMode mode_of(Call call);

inline std::uint64_t message_key(Channel channel, Uid comm, WorldRank from, WorldRank to,
                                 std::int64_t tag, std::uint64_t index) {
  return signal_key(channel, comm.value, static_cast<std::uint32_t>(from.value),
                    static_cast<std::uint32_t>(to.value), tag, index);
}

// A receive, from when it was posted, or a probe: which of the messages it took is known once all
// that were posted before it are.
struct Timeline::Posted {
  WorldRank from;
  std::int64_t tag = kAnyTag;
  Moment posted = 0;
  Cut posted_slice = 0;
  std::uint64_t index = 0;  // the index-th message from there with that tag
  bool settled = false;
  bool done = false;
  bool freed = false;                // nobody will wait for it
  bool told = false;                 // those who send synchronously
  bool takes = true;                 // false: MPI_Probe leaves the message where it is
  std::optional<MessageId> message;  // of a matched probe: the receive comes later
  Moment completed = 0;
  Cut slice = 0;
  std::uint64_t operation = 0;  // its number for the sink
  bool told_complete = false;
  bool wild() const { return from == kAnySource || tag == kAnyTag; }
  bool could_take(WorldRank source, std::int64_t its_tag) const {
    return takes && (from == kAnySource || from == source) && (tag == kAnyTag || tag == its_tag);
  }
};

struct Timeline::Comm {
  Uid uid;
  std::int32_t size = 0;
  std::uint64_t place = 0;  // this rank's in the group
  bool whole_world = false;
  bool inter = false;
  bool is_world = false;   // MPI_COMM_WORLD itself
  bool outsiders = false;  // some of its processes are in no trace
  const std::vector<WorldRank>*ranks = nullptr, *remote_ranks = nullptr;
  std::uint64_t own_side = 0, other_side = 0;
  std::uint64_t collectives = 0;
  std::uint64_t persistent = 0;
  // By the other end and the tag. The last few are at hand.
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
    All all_;  // whose entries stay where they are
    std::array<All::value_type*, 64> recent_{};
  };
  Counts sent, taken;
  std::map<std::pair<WorldRank, std::int64_t>, std::uint64_t> partitioned_out, partitioned_in;
  std::deque<std::shared_ptr<Posted>> unsettled;  // in the order they were posted
};

// One access of a one-sided operation that is not over: to a buffer, or to the target.
struct Timeline::Pending {
  Access access;
  std::uint64_t operation = 0;  // which one
  bool at_target = false;
  bool fetches = false;
  bool over = false;
  std::int64_t atomic = 0;  // its number, if it is an atomic that fetches, or on several elements
  std::int64_t elements = 1;
  std::vector<std::int64_t> more_operands;  // behind the first
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
    bool told = false;  // that it is held for certain
  };
  // To one target, in the order they were made.
  struct Operations {
    std::vector<Pending> pending;
    std::size_t over = 0;  // so many of them are, and will be dropped
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
    // Keeps what was added since the last call but one.
    void forget() {
      while (forgotten < old_mark && !known.empty() && known.front().end.moment != kNever) {
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

// How the data of a collective flows, as far as this rank is concerned.
struct Timeline::Flow {
  bool everyone = false;  // from all to all
  bool reads = false, writes = false;
  bool among_new_members = false;  // of the communicator that it makes
  std::uint64_t number = 0;        // of the collective on its communicator
  std::vector<std::pair<std::uint64_t, std::uint64_t>> says, hears;  // key, place
};

// What a rank waits for in a collective, for the sink: who has to come there.
struct Timeline::Heard {
  std::uint64_t key = 0;
  std::shared_ptr<const std::vector<WorldRank>> from;
  bool carries = true;
};

struct Timeline::Request {
  RequestId id;
  Call call{};
  std::vector<Access> accesses;  // that go on until it completes
  Comm* comm = nullptr;
  std::shared_ptr<Posted> receive;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> hears;  // when it completes
  std::vector<Heard> heard;                                    // the same, for the sink
  std::uint64_t send = 0;                                      // its number for the sink
  WorldRank sent_to;
  std::int64_t sent_tag = 0;
  std::uint64_t sent_index = 0;  // the index-th message to there with that tag
  std::uint64_t operation = 0;
  Window* window = nullptr;
  WorldRank target;

  // A persistent one: what to do at each start. (Events are large, and most requests are not.)
  std::unique_ptr<Event> prepared;
  std::uint64_t number =
      0;  // among the persistent collectives, or partitioned messages, of its communicator
  std::uint64_t starts = 0;
  std::uint64_t ready = 0;  // partitions, since the last start
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
      parts;  // of so many larger ones, the so-manieth: how many of its partitions are ready
};

template <class Visit>
void Timeline::each_open(Visit visit) {
  for (auto& [id, request] : requests_)
    for (Access& access : request->accesses) visit(access);
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

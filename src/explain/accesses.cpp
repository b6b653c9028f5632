#include "explain/accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "detect/atomics.h"

namespace photofinish {
namespace {

const WinDefinition* find_window(const RecordedRank& rank, Uid uid) {
  for (const auto& [id, win] : rank.definitions().wins)
    if (win.uid == uid) return &win;
  return nullptr;
}

// A memory and an offset in it. Offsets are addresses for ranks of the group, and window offsets
// for others.
struct Location {
  std::uint32_t memory = 0;
  std::uint64_t offset = 0;
};

class Memories {
 public:
  explicit Memories(const std::vector<RecordedRank>& group) : group_(group) {}

  // The target of a one-sided operation.
  std::optional<Location> at_target(const RecordedRank& origin, const Access& access) {
    const RecordedRank* owner = find_rank(group_, access.owner);
    const WinDefinition* win = find_window(owner != nullptr ? *owner : origin, access.win);
    if (win == nullptr) return std::nullopt;
    if (win->flavour == WinFlavour::Dynamic)
      return Location{memory(access.owner, owner != nullptr ? Uid() : access.win),
                      access.displacement};
    const std::uint64_t offset = access.displacement * static_cast<std::uint64_t>(win->unit);
    if (owner == nullptr) return Location{memory(access.owner, access.win), offset};
    return Location{memory(access.owner, Uid()), win->base + offset};
  }

  // The location of an address of a rank: its own memory, or that of another rank in a shared
  // window.
  Location at_address(const RecordedRank& rank, std::uint64_t address) {
    for (const auto& [id, win] : rank.definitions().wins)
      for (const WinSegment& segment : win.segments) {
        if (segment.owner == rank.rank || address < segment.address ||
            address >= segment.address + segment.size)
          continue;
        const RecordedRank* owner = find_rank(group_, segment.owner);
        const WinDefinition* its = owner != nullptr ? find_window(*owner, win.uid) : nullptr;
        if (its == nullptr) return {memory(segment.owner, win.uid), address - segment.address};
        return {memory(segment.owner, Uid()), its->base + (address - segment.address)};
      }
    return {memory(rank.rank, Uid()), address};
  }
  std::vector<WorldRank> owners() const {
    std::vector<WorldRank> owners(numbers_.size());
    for (const auto& [who, number] : numbers_) owners[number] = who.first;
    return owners;
  }
  std::uint32_t memory(WorldRank owner, Uid win) {
    return numbers_.try_emplace({owner, win}, static_cast<std::uint32_t>(numbers_.size()))
        .first->second;
  }

 private:
  const std::vector<RecordedRank>& group_;
  std::map<std::pair<WorldRank, Uid>, std::uint32_t> numbers_;
};

std::vector<ByteRange> ranges_of(const Footprint& footprint) {
  DataMap map;
  for (std::size_t i = 0; i < footprint.size(); ++i) map.footprint.push_back(footprint[i]);
  return expand(map);
}

// Contents are in ascending order of addresses.
std::vector<Contents> pieces_of(const Access& access, const Location& at,
                                const std::string& content) {
  std::vector<Contents> pieces;
  std::size_t used = 0;
  for (const ByteRange& range : ranges_of(access.footprint)) {
    const std::size_t bytes =
        std::min(static_cast<std::size_t>(range.end - range.begin), content.size() - used);
    if (bytes == 0) break;
    pieces.push_back({at.memory, at.offset + static_cast<std::uint64_t>(range.begin),
                      content.substr(used, bytes)});
    used += bytes;
  }
  return pieces;
}

class Collector {
 public:
  Collector(const std::vector<RecordedRank>& group, const Accounts& accounts)
      : group_(group), accounts_(accounts), memories_(group) {}

  GroupAccesses collect() {
    for (const RecordedRank& rank : group_) {
      const auto account = accounts_.find(rank.rank);
      if (account == accounts_.end()) continue;
      for (const AccessRecord& access_record : account->second.access_records)
        add_access_record(rank, account->second, access_record);
    }
    accesses_.owners = memories_.owners();
    return std::move(accesses_);
  }

 private:
  void add_access_record(const RecordedRank& rank, const RankAccount& account,
                         const AccessRecord& access_record) {
    const std::uint64_t event = rank.event_of(access_record.task, access_record.step);
    if (access_record.kind == AccessRecord::Kind::Loaded ||
        access_record.kind == AccessRecord::Kind::Stored) {
      const Location at = memories_.at_address(rank, access_record.address);
      const bool loads = access_record.kind == AccessRecord::Kind::Loaded;
      const auto location = account.locations.find(access_record.pc);
      AccessEnd end{{rank.rank,
                     fmt::format("{} {}", loads ? "load" : "store",
                                 location != account.locations.end() ? location->second : ""),
                     event},
                    loads ? AccessEnd::Kind::Load : AccessEnd::Kind::Store};
      const std::vector<Contents> pieces{{at.memory, at.offset, access_record.content}};
      if (loads) {
        const std::uint64_t when = rank.time_of_tick(access_record.tick);
        accesses_.readings.push_back({{when, when}, pieces});
        accesses_.readers.push_back(std::move(end));
      } else {
        const std::uint64_t next = rank.event_of(access_record.task, access_record.step + 1);
        accesses_.writings.push_back({{event < rank.times.size() ? rank.times[event].end : 0,
                                       next != 0 ? rank.times[next].start : kForever},
                                      pieces});
        accesses_.writers.push_back(std::move(end));
      }
      return;
    }
    const auto operation = rank.operations.find(event);
    if (operation == rank.operations.end()) return;
    const Access& access = operation->second.access;
    const auto at = memories_.at_target(rank, access);
    if (!at) return;
    const TimeSpan when{rank.times[event].start,
                        photofinish::event_of(access.end) < rank.times.size()
                            ? rank.times[photofinish::event_of(access.end)].end
                            : kForever};
    AccessEnd end{{rank.rank, names_.call(rank, access.call, access.site), event},
                  AccessEnd::Kind::Operation,
                  access.end == kNever ? kForever : photofinish::event_of(access.end),
                  access.op,
                  access.element};
    const auto own = writing_of_.find({rank.rank, event});
    if (access_record.kind == AccessRecord::Kind::Brought && operation->second.reads) {
      if (own != writing_of_.end()) settle_atomic(access, own->second, access_record.content);
      accesses_.readings.push_back({when, pieces_of(access, *at, access_record.content),
                                    own != writing_of_.end() ? own->second : Origin::kElsewhere});
      accesses_.readers.push_back(std::move(end));
    } else if (access_record.kind == AccessRecord::Kind::Carried && own != writing_of_.end()) {
      // Follows what a compare-and-swap writes.
      compared_[own->second] = access_record.content;
    } else if (access_record.kind == AccessRecord::Kind::Carried && operation->second.writes) {
      const bool known = access.kind == AccessKind::Put || access.op == ReduceOp::Replace;
      writing_of_[{rank.rank, event}] = accesses_.writings.size();
      accesses_.writings.push_back({when, pieces_of(access, *at, access_record.content), !known});
      accesses_.writers.push_back(std::move(end));
    }
  }

  // The result of an atomic on one element shows what it wrote, or that it wrote nothing.
  void settle_atomic(const Access& access, std::size_t index, const std::string& brought) {
    Writing& writing = accesses_.writings[index];
    if (writing.pieces.size() != 1 || brought.size() > sizeof(std::uint64_t) ||
        brought.size() != writing.pieces[0].content.size())
      return;
    const auto bits = [](const std::string& bytes) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
      return value;
    };
    AtomicOp op;
    op.op = access.op;
    op.element = access.element;
    op.operand = bits(writing.pieces[0].content);
    op.compare = bits(compared_[index]);
    const AtomicValue after = written(op, bits(brought));
    if (!after) return;
    writing.is_update = false;
    if (*after == bits(brought) && access.op == ReduceOp::CompareAndSwap)
      writing.pieces.clear();
    else
      std::memcpy(writing.pieces[0].content.data(), &*after, brought.size());
  }

  const std::vector<RecordedRank>& group_;
  const Accounts& accounts_;
  Memories memories_;
  CallNames names_;
  GroupAccesses accesses_;
  std::map<std::size_t, std::string> compared_;  // by writing
  // By rank and event, of operations that read and write.
  std::map<std::pair<WorldRank, std::uint64_t>, std::size_t> writing_of_;
};

}  // namespace

const RecordedRank* find_rank(const std::vector<RecordedRank>& group, WorldRank rank) {
  const auto found = std::find_if(group.begin(), group.end(),
                                  [&](const RecordedRank& r) { return r.rank == rank; });
  return found != group.end() ? &*found : nullptr;
}

std::string CallNames::call(const RecordedRank& rank, Call call, SiteId site) {
  std::string& name = names_[{rank.rank, call, site}];
  if (name.empty()) {
    const std::string location = SiteText(rank.definitions(), symbolizer_).location(site);
    name = fmt::format("{}{}{}", traits(call).name, location.empty() ? "" : " ", location);
  }
  return name;
}

GroupAccesses collect_accesses(const std::vector<RecordedRank>& group, const Accounts& accounts) {
  return Collector(group, accounts).collect();
}

std::map<WorldRank, AccessRecordFilter> wanted_stores(const std::vector<RecordedRank>& group,
                                                      const Accounts& accounts) {
  std::map<WorldRank, AccessRecordFilter> orders;
  Memories memories(group);
  const auto want = [&](const Location& at, std::int64_t begin, std::int64_t end) {
    for (const RecordedRank& rank : group)
      if (memories.memory(rank.rank, Uid()) == at.memory)
        orders[rank.rank].where.push_back({static_cast<std::int64_t>(at.offset) + begin,
                                           static_cast<std::int64_t>(at.offset) + end});
  };
  for (const RecordedRank& rank : group) {
    for (const auto& [event, operation] : rank.operations) {
      if (!operation.reads) continue;
      if (const auto at = memories.at_target(rank, operation.access))
        for (const ByteRange& range : ranges_of(operation.access.footprint))
          want(*at, range.begin, range.end);
    }
    const auto account = accounts.find(rank.rank);
    if (account == accounts.end()) continue;
    for (const AccessRecord& access_record : account->second.access_records)
      if (access_record.kind == AccessRecord::Kind::Loaded)
        want(memories.at_address(rank, access_record.address), 0,
             static_cast<std::int64_t>(access_record.content.size()));
  }
  for (auto& [rank, order] : orders) {
    order.stores = true;
    std::sort(order.where.begin(), order.where.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    std::vector<ByteRange> apart;
    for (const ByteRange& range : order.where) {
      if (!apart.empty() && range.begin <= apart.back().end)
        apart.back().end = std::max(apart.back().end, range.end);
      else
        apart.push_back(range);
    }
    order.where = std::move(apart);
  }
  return orders;
}

}  // namespace photofinish

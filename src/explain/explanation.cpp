#include "explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "detect/atomics.h"
#include "report/event_text.h"
#include "report/site_text.h"

namespace photofinish {
namespace {

constexpr std::uint64_t kForever = ~std::uint64_t{0};

const RecordedRank* find_rank(const std::vector<RecordedRank>& group, WorldRank rank) {
  const auto found = std::find_if(group.begin(), group.end(),
                                  [&](const RecordedRank& r) { return r.rank == rank; });
  return found != group.end() ? &*found : nullptr;
}

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

class Names {
 public:
  std::string call(const RecordedRank& rank, Call call, SiteId site) {
    std::string& name = names_[{rank.rank, call, site}];
    if (name.empty()) {
      const std::string location = SiteText(rank.definitions(), symbolizer_).location(site);
      name = fmt::format("{}{}{}", traits(call).name, location.empty() ? "" : " ", location);
    }
    return name;
  }

 private:
  Symbolizer symbolizer_;
  std::map<std::tuple<WorldRank, Call, SiteId>, std::string> names_;
};

class Explainer {
 public:
  Explainer(const std::vector<RecordedRank>& group, const Accounts& accounts)
      : group_(group), accounts_(accounts), memories_(group) {}

  Explanation make() {
    Explanation explanation;
    for (const RecordedRank& rank : group_) explanation.ranks.push_back(rank.rank);
    if (!group_.empty()) explanation.world_size = group_.front().world_size;
    add_messages(explanation);
    add_values(explanation);
    std::stable_sort(explanation.transfers.begin(), explanation.transfers.end(),
                     [](const Transfer& a, const Transfer& b) {
                       return std::tie(a.to.rank, a.to.event) < std::tie(b.to.rank, b.to.event);
                     });
    add_gatherings(explanation);
    return explanation;
  }

 private:
  void add_messages(Explanation& explanation) {
    std::unordered_map<MessageKey, TransferEnd> sent;
    for (const RecordedRank& rank : group_)
      for (const MessagePosition& send : rank.sent)
        sent[send.key] = {rank.rank, names_.call(rank, send.call, send.site), send.event};
    for (const RecordedRank& rank : group_)
      for (const MessagePosition& receive : rank.received) {
        Transfer transfer{
            .kind = Transfer::Kind::Message,
            .from = {},
            .to = {rank.rank, names_.call(rank, receive.call, receive.site), receive.event}};
        if (const auto from = sent.find(receive.key); from != sent.end())
          transfer.inside = true, transfer.from = from->second;
        explanation.transfers.push_back(std::move(transfer));
      }
  }

  void add_values(Explanation& explanation) {
    for (const RecordedRank& rank : group_) {
      const auto account = accounts_.find(rank.rank);
      if (account == accounts_.end()) continue;
      for (const AccessRecord& access_record : account->second.access_records)
        add_access_record(rank, account->second, access_record);
    }
    const auto origins = find_origins(readings_, writings_);
    for (std::size_t i = 0; i < readings_.size(); ++i)
      for (const Origin& origin : origins[i]) {
        Transfer transfer{.kind = Transfer::Kind::Value,
                          .unexplained = origin.unexplained,
                          .from = {},
                          .to = readers_[i],
                          .bytes = origin.bytes};
        if (origin.writing != Origin::kElsewhere) {
          transfer.inside = true;
          transfer.is_update = writings_[origin.writing].is_update;
          transfer.from = writers_[origin.writing];
        }
        if (const auto& pieces = readings_[i].pieces;
            pieces.size() == 1 && pieces[0].content.size() <= sizeof(std::uint64_t) &&
            origin.bytes == pieces[0].content.size())
          transfer.content = pieces[0].content;
        explanation.transfers.push_back(std::move(transfer));
      }
  }

  void add_access_record(const RecordedRank& rank, const RankAccount& account,
                         const AccessRecord& access_record) {
    const std::uint64_t event = rank.event_of(access_record.task, access_record.step);
    if (access_record.kind == AccessRecord::Kind::Loaded ||
        access_record.kind == AccessRecord::Kind::Stored) {
      const Location at = memories_.at_address(rank, access_record.address);
      const bool loads = access_record.kind == AccessRecord::Kind::Loaded;
      const auto location = account.locations.find(access_record.pc);
      TransferEnd end{rank.rank,
                      fmt::format("{} {}", loads ? "load" : "store",
                                  location != account.locations.end() ? location->second : ""),
                      event};
      const std::vector<Contents> pieces{{at.memory, at.offset, access_record.content}};
      if (loads) {
        const std::uint64_t when = rank.time_of_tick(access_record.tick);
        readings_.push_back({{when, when}, pieces});
        readers_.push_back(std::move(end));
      } else {
        const std::uint64_t next = rank.event_of(access_record.task, access_record.step + 1);
        writings_.push_back({{event < rank.times.size() ? rank.times[event].end : 0,
                              next != 0 ? rank.times[next].start : kForever},
                             pieces});
        writers_.push_back(std::move(end));
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
    TransferEnd end{rank.rank, names_.call(rank, access.call, access.site), event};
    const auto own = writing_of_.find({rank.rank, event});
    if (access_record.kind == AccessRecord::Kind::Brought && operation->second.reads) {
      if (own != writing_of_.end()) settle_atomic(access, own->second, access_record.content);
      readings_.push_back({when, pieces_of(access, *at, access_record.content),
                           own != writing_of_.end() ? own->second : Origin::kElsewhere});
      readers_.push_back(std::move(end));
    } else if (access_record.kind == AccessRecord::Kind::Carried && own != writing_of_.end()) {
      // Follows what a compare-and-swap writes.
      compared_[own->second] = access_record.content;
    } else if (access_record.kind == AccessRecord::Kind::Carried && operation->second.writes) {
      const bool known = access.kind == AccessKind::Put || access.op == ReduceOp::Replace;
      writing_of_[{rank.rank, event}] = writings_.size();
      writings_.push_back({when, pieces_of(access, *at, access_record.content), !known});
      writers_.push_back(std::move(end));
    }
  }

  // The result of an atomic on one element shows what it wrote, or that it wrote nothing.
  void settle_atomic(const Access& access, std::size_t index, const std::string& brought) {
    Writing& writing = writings_[index];
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

  void add_gatherings(Explanation& explanation) {
    for (const RecordedRank& rank : group_)
      for (const Collective& collective : rank.collectives) {
        Explanation::Gathering gathering{
            .who = {rank.rank, names_.call(rank, collective.call, collective.site), 0},
            .times = collective.times,
            .inside = {},
            .outside = {}};
        for (const WorldRank member : collective.members)
          (find_rank(group_, member) != nullptr ? gathering.inside : gathering.outside)
              .push_back(member);
        explanation.gatherings.push_back(std::move(gathering));
      }
  }

  const std::vector<RecordedRank>& group_;
  const Accounts& accounts_;
  Memories memories_;
  Names names_;
  std::vector<Reading> readings_;
  std::vector<Writing> writings_;
  std::vector<TransferEnd> readers_, writers_;   // of the same index
  std::map<std::size_t, std::string> compared_;  // by writing
  // By rank and event, of operations that read and write.
  std::map<std::pair<WorldRank, std::uint64_t>, std::size_t> writing_of_;
};

}  // namespace

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

Explanation explain(const std::vector<RecordedRank>& group, const Accounts& accounts) {
  return Explainer(group, accounts).make();
}

std::vector<TransferGroup> grouped(const std::vector<Transfer>& transfers) {
  std::vector<TransferGroup> groups;
  std::map<
      std::tuple<Transfer::Kind, bool, bool, bool, WorldRank, std::string, WorldRank, std::string>,
      std::size_t>
      known;
  for (const Transfer& transfer : transfers) {
    const auto [at, is_new] = known.try_emplace(
        {transfer.kind, transfer.inside, transfer.is_update, transfer.unexplained, transfer.to.rank,
         transfer.to.what, transfer.from.rank, transfer.from.what},
        groups.size());
    if (is_new) groups.push_back({transfer, 0, 0});
    ++groups[at->second].times;
    groups[at->second].bytes += transfer.bytes;
  }
  return groups;
}

namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string times_text(const TransferGroup& group) {
  return group.first.kind == Transfer::Kind::Message
             ? counted(group.times, "message", "messages")
             : fmt::format("{}, {}", counted(group.times, "value", "values"),
                           counted(group.bytes, "byte", "bytes"));
}

// Small values as integers: flags, counters and indices.
std::string value_text(const Transfer& transfer) {
  if (transfer.content.empty()) return "";
  std::uint64_t value = 0;
  std::memcpy(&value, transfer.content.data(), transfer.content.size());
  return fmt::format(", 0x{:x}", value);
}

std::string end_text(const TransferEnd& end) {
  return fmt::format("rank {} {}", end.rank.value, end.what);
}

}  // namespace

std::string explanation_text(const Explanation& explanation, bool each) {
  std::vector<TransferGroup> groups;
  if (each)
    for (const Transfer& transfer : explanation.transfers)
      groups.push_back({transfer, 1, transfer.bytes});
  else
    groups = grouped(explanation.transfers);
  std::string text =
      fmt::format("Ranks {} of {}\n", rank_ranges(explanation.ranks), explanation.world_size);
  const auto section = [&](const char* title, auto chosen, auto line) {
    bool any = false;
    for (const TransferGroup& group : groups) {
      if (!chosen(group.first)) continue;
      if (!any) text += fmt::format("\n{}\n", title);
      any = true;
      text += "  " + line(group) + "\n";
    }
  };
  const auto steps = [&](const TransferGroup& group) {
    const Transfer& t = group.first;
    return fmt::format("{}{}step {}{}", each ? value_text(t) : "",
                       each || group.times == 1 ? ", " : ", first: ", t.to.event,
                       t.inside ? fmt::format(" <- step {}", t.from.event) : "");
  };
  section(
      "Written by the group", [](const Transfer& t) { return t.inside; },
      [&](const TransferGroup& group) {
        const Transfer& t = group.first;
        return fmt::format("{} <- {}{}: {}{}", end_text(t.to), end_text(t.from),
                           t.is_update ? " (or what it was added to)" : "", times_text(group),
                           steps(group));
      });
  section(
      "Written by external ranks", [](const Transfer& t) { return !t.inside; },
      [&](const TransferGroup& group) {
        return fmt::format("{}: {}{}", end_text(group.first.to), times_text(group), steps(group));
      });
  if (!explanation.gatherings.empty()) text += "\nCollectives\n";
  for (const Explanation::Gathering& gathering : explanation.gatherings)
    text += fmt::format("  {}: {}, of ranks {}{}\n", end_text(gathering.who),
                        counted(gathering.times, "time", "times"), rank_ranges(gathering.inside),
                        gathering.outside.empty() ? "; no external rank"
                                                  : fmt::format(" and {} external to the group",
                                                                rank_ranges(gathering.outside)));
  section(
      "No order of the group's own accesses explains these (an external rank wrote the same value, "
      "or memory is not sequentially consistent)",
      [](const Transfer& t) { return t.unexplained; },
      [&](const TransferGroup& group) {
        return fmt::format("{}: {}{}", end_text(group.first.to), times_text(group), steps(group));
      });
  return text;
}

}  // namespace photofinish

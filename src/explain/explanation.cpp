#include "explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>

#include "report/event_text.h"

namespace photofinish {
namespace {

class Explainer {
 public:
  Explainer(const std::vector<RecordedRank>& group, const Accounts& accounts)
      : group_(group), accounts_(accounts) {}

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
    const GroupAccesses accesses = collect_accesses(group_, accounts_);
    const auto origins = find_origins(accesses.readings, accesses.writings);
    for (std::size_t i = 0; i < accesses.readings.size(); ++i)
      for (const Origin& origin : origins[i]) {
        Transfer transfer{.kind = Transfer::Kind::Value,
                          .unexplained = origin.unexplained,
                          .from = {},
                          .to = accesses.readers[i].end,
                          .bytes = origin.bytes};
        if (origin.writing != Origin::kElsewhere) {
          transfer.inside = true;
          transfer.is_update = accesses.writings[origin.writing].is_update;
          transfer.from = accesses.writers[origin.writing].end;
        }
        if (const auto& pieces = accesses.readings[i].pieces;
            pieces.size() == 1 && pieces[0].content.size() <= sizeof(std::uint64_t) &&
            origin.bytes == pieces[0].content.size())
          transfer.content = pieces[0].content;
        explanation.transfers.push_back(std::move(transfer));
      }
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
  CallNames names_;
};

}  // namespace

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
    return fmt::format("{}{}event {}{}", each ? value_text(t) : "",
                       each || group.times == 1 ? ", " : ", first: ", t.to.event,
                       t.inside ? fmt::format(" <- event {}", t.from.event) : "");
  };
  section(
      "Written by the group", [](const Transfer& t) { return t.inside; },
      [&](const TransferGroup& group) {
        const Transfer& t = group.first;
        return fmt::format("{} <- {}{}: {}{}", end_text(t.to), end_text(t.from),
                           t.is_update ? " (or what it was added to)" : "", times_text(group),
                           steps(group));
      });
  const bool all_recorded = static_cast<int>(explanation.ranks.size()) >= explanation.world_size;
  section(
      all_recorded ? "Writer unknown: no recorded write has this value (code that is not "
                     "instrumented wrote it)"
                   : "Written by external ranks, or by code that is not instrumented",
      [](const Transfer& t) { return !t.inside && t.kind == Transfer::Kind::Value; },
      [&](const TransferGroup& group) {
        return fmt::format("{}: {}{}", end_text(group.first.to), times_text(group), steps(group));
      });
  section(
      "Sent by external ranks",
      [](const Transfer& t) { return !t.inside && t.kind == Transfer::Kind::Message; },
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

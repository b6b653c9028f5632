#include "report/event_text.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "model/rank_list.h"

namespace photofinish {
namespace {

constexpr std::size_t kMaxStrided = 4;  // blocks of a data map that are printed
constexpr std::size_t kMaxListed = 16;  // entries of any other list

std::string object(const char* kind, std::uint32_t id, const std::string& name) {
  if (id == 0) return "null";
  if (name.starts_with("MPI_")) return name;
  return name.empty() ? fmt::format("{}{}", kind, id) : fmt::format("{}{}\"{}\"", kind, id, name);
}

std::string access_label(BufferUse access) {
  switch (access) {
    case BufferUse::Read:
      return "reads";
    case BufferUse::Write:
      return "writes";
    case BufferUse::ReadWrite:
      return "updates";
    case BufferUse::TargetRead:
      return "target_reads";
    case BufferUse::TargetWrite:
      return "target_writes";
    case BufferUse::TargetUpdate:
      return "target_updates";
  }
  return "?";
}

std::string assertion_text(std::int64_t bits) {
  static constexpr std::pair<std::int64_t, const char*> kNames[] = {{kNoCheck, "NOCHECK"},
                                                                    {kNoStore, "NOSTORE"},
                                                                    {kNoPut, "NOPUT"},
                                                                    {kNoPrecede, "NOPRECEDE"},
                                                                    {kNoSucceed, "NOSUCCEED"}};
  std::string text;
  for (const auto& [bit, name] : kNames)
    if (bits & bit) text += (text.empty() ? "" : "|") + std::string(name);
  return text.empty() ? "0" : text;
}

std::string level_text(std::int64_t level) {
  static constexpr const char* kLevels[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};
  return level >= 0 && level < 4 ? kLevels[level] : std::to_string(level);
}

template <class T, class Text>
std::string list_text(const std::vector<T>& list, Text text) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size() && i < kMaxListed; ++i)
    out += (i ? ";" : "") + text(list[i]);
  if (list.size() > kMaxListed) out += fmt::format(";…{}", list.size());
  return out + "]";
}

}  // namespace

std::string rank_text(WorldRank rank) {
  if (rank == kAnySource) return "ANY";
  if (rank == kProcNull) return "NULL";
  if (rank == kRootHere) return "ROOT";
  if (rank == kExternalRank) return "outsider";
  return std::to_string(rank.value);
}

std::string rank_ranges(std::vector<WorldRank> ranks) { return rank_list_text(ranks, rank_text); }

std::string map_text(const DataMap& map, std::int64_t count) {
  const DataMap all = repeated(map, count);
  if (all.footprint.empty()) return "+0";
  if (all.footprint.size() == 1 && all.footprint[0].dimensions.empty() &&
      all.footprint[0].offset == 0)
    return fmt::format("+{}", all.footprint[0].length);
  std::string text = "{";
  for (std::size_t i = 0; i < all.footprint.size() && i < kMaxStrided; ++i) {
    const Strided& strided = all.footprint[i];
    text += fmt::format("{}{:+}:{}", i ? "," : "", strided.offset, strided.length);
    for (const Dimension& d : strided.dimensions) text += fmt::format("x{}/{}", d.count, d.stride);
  }
  if (all.footprint.size() > kMaxStrided) text += fmt::format(",…{}", all.footprint.size());
  return text + "}";
}

std::string end_text(const RankEnd& end) {
  std::string text;
  switch (end.state) {
    case RankState::Exited:
      text = fmt::format("exit {}", end.code);
      break;
    case RankState::Aborted:
      text = fmt::format("MPI_Abort with {}", end.code);
      break;
    case RankState::Signaled:
      text =
          fmt::format("signal {} ({})", end.code,
                      sigabbrev_np(end.code) ? fmt::format("SIG{}", sigabbrev_np(end.code)) : "?");
      break;
    case RankState::Finalized:
      text = "after MPI_Finalize, without an exit record (killed, _exit, or still running)";
      break;
    case RankState::Running:
      text = "without an exit record (killed, an MPI error, _exit, or still running)";
      break;
    default:
      text = "unknown";
  }
  if (end.incomplete) text += ", recording stopped early";
  return text;
}

EventText::EventText(const RankTrace& trace, Symbolizer& symbolizer, WindowOfRank window_of_rank)
    : definitions_(trace.definitions()),
      sites_(definitions_, symbolizer),
      window_of_rank_(std::move(window_of_rank)) {}

std::string EventText::comm(CommId id) {
  const auto found = definitions_.comms.find(id);
  return object("comm", id.value, found == definitions_.comms.end() ? "" : found->second.name);
}

std::string EventText::win(WinId id) {
  const auto found = definitions_.wins.find(id);
  return object("win", id.value, found == definitions_.wins.end() ? "" : found->second.name);
}

std::string EventText::type(TypeId id) {
  const auto found = definitions_.types.find(id);
  return object("type", id.value, found == definitions_.types.end() ? "" : found->second.name);
}

std::string EventText::op(OpId id) {
  const auto found = definitions_.ops.find(id);
  return found == definitions_.ops.end() ? object("op", id.value, "") : found->second.name;
}

std::string EventText::group(GroupId id) {
  const auto found = definitions_.groups.find(id);
  return found == definitions_.groups.end()
             ? object("group", id.value, "")
             : fmt::format("{{{}}}", rank_ranges(found->second.ranks));
}

std::string EventText::value(Field field, std::int64_t value) {
  const auto id = static_cast<std::uint32_t>(value);
  switch (traits(field).kind) {
    case FieldKind::Rank:
      return rank_text(WorldRank(static_cast<std::int32_t>(value)));
    case FieldKind::Tag:
      return value == kAnyTag ? "ANY" : std::to_string(value);
    case FieldKind::Comm:
      return comm(CommId(id));
    case FieldKind::Group:
      return group(GroupId(id));
    case FieldKind::Type:
      return type(TypeId(id));
    case FieldKind::Op:
      return op(OpId(id));
    case FieldKind::Win:
      return win(WinId(id));
    case FieldKind::Address:
      return fmt::format("0x{:x}", static_cast<std::uint64_t>(value));
    case FieldKind::Assertion:
      return assertion_text(value);
    case FieldKind::Lock:
      return value == kExclusiveLock ? "exclusive" : "shared";
    case FieldKind::ThreadLevel:
      return level_text(value);
    case FieldKind::Text: {
      const auto found = definitions_.texts.find(TextId(id));
      return found == definitions_.texts.end() ? object("text", id, "")
                                               : fmt::format("\"{}\"", found->second.text);
    }
    case FieldKind::Int:
    case FieldKind::Request:
    case FieldKind::Message:
      return std::to_string(value);
  }
  return "?";
}

std::string EventText::buffer(const Event& event, const Buffer& buffer) {
  std::string address = fmt::format("0x{:x}", buffer.address);
  if (buffer.access >= BufferUse::TargetRead) {
    const auto own =
        definitions_.wins.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
    const WinDefinition* theirs = nullptr;
    if (own != definitions_.wins.end() && event.fields.has(Field::target))
      theirs = window_of_rank_(event.fields.rank(Field::target), own->second.uid);
    if (theirs == nullptr)
      address = fmt::format("disp{}", buffer.address);
    else if (theirs->flavour != WinFlavour::Dynamic)
      address = fmt::format("+0x{:x}", buffer.address * static_cast<std::uint64_t>(theirs->unit));
  }
  if (buffer.type == TypeId(0))
    return fmt::format(" {}={}+{}", access_label(buffer.access), address, buffer.count);
  const auto found = definitions_.types.find(buffer.type);
  const std::string bytes =
      found == definitions_.types.end() ? "" : map_text(found->second.map, buffer.count);
  return fmt::format(" {}={}{}({}x{})", access_label(buffer.access), address, bytes, buffer.count,
                     type(buffer.type));
}

std::string EventText::line(const Event& event) {
  std::string text{traits(event.call).name};
  event.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t number) {
    text += fmt::format(" {}={}", traits(field).label, value(field, number));
  });
  for (std::size_t i = 0; i < event.buffers.size() && i < kMaxListed; ++i)
    text += buffer(event, event.buffers[i]);
  if (event.buffers.size() > kMaxListed)
    text += fmt::format(" … {} buffers in all", event.buffers.size());
  if (!event.requests.empty())
    text += " requests=" +
            list_text(event.requests, [](RequestId id) { return std::to_string(id.value); });
  if (!event.numbers.empty())
    text += " list=" +
            list_text(event.numbers, [](std::int64_t number) { return std::to_string(number); });
  if (!event.completions.empty())
    text += " done=" + list_text(event.completions, [&](const Completion& c) {
              std::string one = std::to_string(event.requests[c.index].value);
              if (c.bytes >= 0)
                one += fmt::format(":from={},tag={},bytes={}", rank_text(c.from), c.tag, c.bytes);
              if (c.cancelled) one += ":cancelled";
              return one;
            });
  if (event.result != 0) text += fmt::format(" error={}", event.result);
  if (!event.returned) text += " DID-NOT-RETURN";
  return text;
}

std::vector<std::string> EventText::definitions() {
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  const auto add = [&](int kind, std::uint32_t id, std::string line) {
    lines.emplace_back((static_cast<std::uint64_t>(kind) << 32) | id, std::move(line));
  };
  for (const auto& [id, d] : definitions_.comms) {
    std::string text = fmt::format("define {} id={} uid={:016x} group={}", comm(id), id.value,
                                   d.uid.value, group(d.group));
    if (d.remote_group.value != 0) text += " remote=" + group(d.remote_group);
    if (d.parent.value != 0) text += " parent=" + comm(d.parent);
    if (d.has_topology)
      text += fmt::format(" sources={{{}}} destinations={{{}}}", rank_ranges(d.sources),
                          rank_ranges(d.destinations));
    add(0, id.value, text);
  }
  for (const auto& [id, d] : definitions_.wins) {
    static constexpr const char* kFlavours[] = {"create", "allocate", "dynamic", "shared",
                                                "symmetric"};
    const auto flavour = static_cast<std::size_t>(d.flavour);
    std::string text = fmt::format(
        "define {} id={} uid={:016x} comm={} flavour={} model={} base=0x{:x} size={} unit={}",
        win(id), id.value, d.uid.value, comm(d.comm),
        flavour < std::size(kFlavours) ? kFlavours[flavour] : "?",
        d.unified ? "unified" : "separate", d.base, d.size, d.unit);
    if (!d.accumulate_ops.empty()) text += " accumulate_ops=" + d.accumulate_ops;
    if (!d.accumulate_ordering.empty()) text += " accumulate_ordering=" + d.accumulate_ordering;
    add(1, id.value, text);
  }
  for (const auto& [id, d] : definitions_.types)
    add(2, id.value,
        fmt::format("define {} id={} size={} extent={} lb={} map={} element={}", type(id), id.value,
                    d.map.size, d.map.extent, d.map.lower_bound, map_text(d.map, 1),
                    d.element.empty() ? "mixed" : d.element));
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> result;
  for (auto& [key, line] : lines) result.push_back(std::move(line));
  return result;
}

}  // namespace photofinish

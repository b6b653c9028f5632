#include "report/caf_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/caf/table/caf_call.h"
#include "report/event_text.h"
#include "report/side_words.h"

namespace photofinish {
namespace {

bool is_atomic_call(const FindingSide& side) {
  return is_caf(side.call) && side.kind == AccessKind::Accumulate;
}

bool is_collective(Call call) {
  const Action action = traits(call).action;
  return action == Action::Bcast || action == Action::Reduce;
}

bool only_reads(const FindingSide& side) {
  return side.kind == AccessKind::Load || side.kind == AccessKind::Get ||
         side.call == CafCall::caf_atomic_ref;
}

std::string noun_of(const FindingSide& side) {
  if (is_atomic_call(side)) return only_reads(side) ? "atomic read" : "atomic";
  if (is_caf(side.call) && is_collective(side.call)) return source_name(side.call);
  return only_reads(side) ? "read" : "write";
}

std::string with_the(const FindingSide& side) { return "the " + noun_of(side); }

std::string two(const FindingSide& a, const FindingSide& b) {
  if (noun_of(a) != noun_of(b)) return with_the(a) + " and " + with_the(b);
  return fmt::format("the two {}{}", noun_of(a),
                     is_caf(a.call) && is_collective(a.call) ? " calls" : "s");
}

}  // namespace

std::string source_name(Call call) {
  std::string name(traits(call).name);
  if (!is_caf(call)) return name;
  if (call == CafCall::caf_finalize) return "the end of the program";
  name.erase(0, std::string_view("caf_").size());
  if (!name.starts_with("co_")) std::ranges::replace(name, '_', ' ');
  return name;
}

std::string image_text(WorldRank rank) { return fmt::format("image {}", rank.value + 1); }

bool CafWords::apply_to(const Finding& finding, RunNotes& notes) {
  return is_caf(finding.sides[0].call) || is_caf(finding.sides[1].call) ||
         (finding.win != Uid() && notes.window(finding.owner, finding.win).coarray);
}

std::string CafWords::access(int index) const { return noun_of(side(index)); }

std::string CafWords::whose(const FindingSide& side) const {
  return fmt::format("{} of {}", with_the(side), image_text(side.rank));
}

// "x(5,2)[3]": the image that owns the memory.
std::string CafWords::element(std::uint64_t index) const {
  const CoarrayLayout& layout = *window().coarray;
  std::string subscripts;
  for (const auto& [lower, extent] : layout.bounds) {
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
    const bool last = &layout.bounds.back().first == &lower;
    const auto here = static_cast<std::int64_t>(last ? index : index % count) + lower;
    subscripts += fmt::format("{}{}", subscripts.empty() ? "" : ",", here);
    index /= count;
  }
  return fmt::format("{}{}[{}]", window().name, subscripts.empty() ? "" : "(" + subscripts + ")",
                     finding_.owner.value + 1);
}

std::string CafWords::object() const {
  const CoarrayLayout& layout = *window().coarray;
  const auto offset = static_cast<std::uint64_t>(finding_.offset);
  const auto bytes = static_cast<std::uint64_t>(
      std::max<std::int64_t>(finding_.where.end - finding_.where.begin, 1));
  const auto part = [](std::uint64_t begin, std::uint64_t end) {
    return fmt::format("+0x{:x}..0x{:x}", begin, end);
  };
  if (const auto block = component()) {
    const std::uint64_t begin = offset - block->begin;
    return fmt::format("allocatable component {} of {}", part(begin, begin + bytes),
                       image_text(finding_.owner));
  }
  const bool known = layout.element > 0 && !window().name.empty();
  if (!known || (layout.bounds.empty() && layout.bytes > layout.element))
    return fmt::format("{} {} of {}", window().name.empty() ? "coarray" : "`" + window().name + "`",
                       part(offset, offset + bytes), image_text(finding_.owner));
  const std::uint64_t first = offset / layout.element;
  const std::uint64_t last = (offset + bytes - 1) / layout.element;
  std::string text = "`" + element(first) + "`";
  if (last != first) return text + "..`" + element(last) + "`";
  const std::uint64_t begin = offset % layout.element;
  return bytes < layout.element ? text + " " + part(begin, begin + bytes) : text;
}

std::string CafWords::headline(int index) const {
  const FindingSide& s = side(index);
  const std::string what =
      is_caf(s.call) && is_collective(s.call)
          ? fmt::format("{} of {} by {} of {}", only_reads(s) ? "read" : "write",
                        bytes_text(s.bytes), noun_of(s), image_text(s.rank))
          : fmt::format("{} of {} by {}", noun_of(s), bytes_text(s.bytes), image_text(s.rank));
  return index == 0 && is_coarray() ? fmt::format("{}, {}", what, object()) : what;
}

// Component memory is found by its address.
std::optional<BlockNotes> CafWords::component() const {
  const auto& block = notes_.block(finding_);
  return block && block->allocated_by == CafCall::caf_register_component ? block : std::nullopt;
}

std::string CafWords::memory() const {
  if (!is_coarray()) return fmt::format("memory of {}", image_text(finding_.owner));
  if (const auto block = component())
    return fmt::format("allocatable component of {}, allocated in {}", bytes_text(block->bytes),
                       block->allocated_at);
  const WindowNotes& coarray = window();
  std::string text = "coarray" + (coarray.name.empty() ? "" : " `" + coarray.name + "`");
  if (coarray.created_at.empty()) return text;
  if (!coarray.coarray->declared_at.empty())
    return text + ", declared at " + coarray.coarray->declared_at;
  // A function of the compiler registers static coarrays. It may have no line.
  if (!coarray.created_at.starts_with("_caf_init"))
    return text + ", allocated in " + coarray.created_at;
  const std::size_t place = coarray.created_at.find(' ');
  const bool has_line =
      place != std::string::npos && coarray.created_at.find(':', place) != std::string::npos;
  return has_line ? text + ", static in the program unit at " + coarray.created_at.substr(place + 1)
                  : text;
}

std::string CafWords::why() const {
  return fmt::format(
      "The accesses are concurrent: no happens-before path leads from {} to {}, or back.",
      whose(side(0)), whose(side(1)));
}

std::string CafWords::advice() const {
  const FindingSide &a = side(0), &b = side(1);
  std::string text =
      fmt::format("Try: sync all between {}, or sync images, which both images call", two(a, b));
  if (only_reads(a) != only_reads(b))
    text += fmt::format("; or event post after {} and event wait before {}",
                        with_the(only_reads(a) ? b : a), with_the(only_reads(a) ? a : b));
  text +=
      ". If any order is correct: one critical construct or one lock around all reads and writes "
      "of "
      "an update";
  const bool word = a.bytes == b.bytes && (a.bytes == 4 || a.bytes == 8);
  if (is_atomic_call(a) != is_atomic_call(b))
    text +=
        fmt::format("; or an atomic subroutine for {}, too", with_the(is_atomic_call(a) ? b : a));
  else if (word)
    text += "; or atomic subroutines for an integer";
  return text + ".";
}

}  // namespace photofinish

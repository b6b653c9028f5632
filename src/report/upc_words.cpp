#include "report/upc_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/upc/table/upc_call.h"
#include "report/event_text.h"
#include "report/side_words.h"

namespace photofinish {
namespace {

bool is_of_language(const FindingSide& side) {
  return is_plain(side) || side.call == UpcCall::shared_read || side.call == UpcCall::shared_write;
}

bool is_strict(const FindingSide& side) {
  return side.call == UpcCall::strict_read || side.call == UpcCall::strict_write;
}

bool reads(const FindingSide& side) {
  return side.kind == AccessKind::Load || side.kind == AccessKind::Get ||
         side.call == UpcCall::strict_read;
}

std::string access_noun(const FindingSide& side) {
  if (is_strict(side)) return reads(side) ? "strict read" : "strict write";
  if (is_of_language(side)) return reads(side) ? "read" : "write";
  return name_of(side.call);
}

std::string access_with_article(const FindingSide& side) {
  return (is_of_language(side) || is_strict(side) ? "the " : "") + access_noun(side);
}

std::string both_accesses(const FindingSide& a, const FindingSide& b) {
  if (access_noun(a) != access_noun(b))
    return access_with_article(a) + " and " + access_with_article(b);
  return is_of_language(a) || is_strict(a) ? fmt::format("the two {}s", access_noun(a))
                                           : fmt::format("the two {} calls", access_noun(a));
}

std::string thread(WorldRank rank) { return fmt::format("thread {}", rank_text(rank)); }

}  // namespace

bool UpcWords::is_shared(const Finding& finding, RunNotes& notes) {
  return finding.win != Uid() && notes.window(finding.owner, finding.win).layout;
}

bool UpcWords::apply_to(const Finding& finding, RunNotes& notes) {
  return is_upc(finding.sides[0].call) || is_upc(finding.sides[1].call) ||
         is_shared(finding, notes);
}

Finding as_accesses_of_upc(Finding finding, RunNotes& notes) {
  if (!UpcWords(finding, notes).is_shared()) return finding;
  for (FindingSide& side : finding.sides) {
    if (side.kind != AccessKind::Load && side.kind != AccessKind::Store) continue;
    const bool plain = is_plain(side), loads = side.kind == AccessKind::Load;
    side.kind = loads ? AccessKind::Get : AccessKind::Put;
    if (plain) side.call = loads ? UpcCall::shared_read : UpcCall::shared_write;
  }
  return finding;
}

const WindowNotes& UpcWords::window() const { return notes_.window(finding_.owner, finding_.win); }

std::string UpcWords::whose(const FindingSide& side) const {
  return fmt::format("{} of {}", access_with_article(side), thread(side.rank));
}

std::string UpcWords::access(int index) const { return access_noun(side(index)); }

// "table[2][5]"
std::string UpcWords::element(std::uint64_t index) const {
  const std::vector<std::uint64_t>& extents = window().layout->extents;
  std::string indices;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const std::uint64_t extent = std::max<std::uint64_t>(extents[i], 1);
    indices = fmt::format("[{}]", i == 0 ? index : index % extent) + indices;
    index /= extent;
  }
  return window().name + indices;
}

std::string UpcWords::variable() const {
  const SharedLayout& layout = *window().layout;
  const auto offset = static_cast<std::uint64_t>(finding_.offset);
  const auto owner = static_cast<std::uint64_t>(std::max(finding_.owner.value, 0));
  const std::uint64_t first =
      layout.block == 0
          ? offset
          : (offset / layout.block * layout.ranks + owner) * layout.block + offset % layout.block;
  const auto bytes = static_cast<std::uint64_t>(
      std::max<std::int64_t>(finding_.where.end - finding_.where.begin, 1));
  const std::uint64_t one = first / layout.element, last = (first + bytes - 1) / layout.element;
  std::string text = "`" + element(one) + "`";
  if (last != one) return text + "..`" + element(last) + "`";
  if (bytes < layout.element)
    text += fmt::format(" +0x{:x}..0x{:x}", first % layout.element, first % layout.element + bytes);
  return text;
}

std::string UpcWords::object() const {
  if (window().layout->element != 0) return variable();
  const auto first = static_cast<std::uint64_t>(finding_.offset);
  const auto bytes = static_cast<std::uint64_t>(
      std::max<std::int64_t>(finding_.where.end - finding_.where.begin, 1));
  const auto block = notes_.heap_block(finding_);
  const std::uint64_t begin = block ? block->begin : 0;
  return fmt::format(
      "{} +0x{:x}..0x{:x}",
      block ? fmt::format("block of {}", traits(block->allocated_by).name) : window().name,
      first - begin, first - begin + bytes);
}

std::string UpcWords::headline(int index) const {
  const FindingSide& s = side(index);
  const bool of_call = !is_of_language(s) && !is_strict(s);
  const std::string what = !of_call                           ? access_noun(s)
                           : s.kind == AccessKind::Accumulate ? "atomic"
                           : reads(s)                         ? "read"
                                                              : "write";
  const std::string text = fmt::format("{} of {} by {}{}", what, bytes_text(s.bytes),
                                       of_call ? access_noun(s) + " of " : "", thread(s.rank));
  if (index != 0) return text;
  return fmt::format("{}, {} of {}", text, object(), thread(finding_.owner));
}

std::string UpcWords::memory() const {
  if (window().layout->element != 0) return fmt::format("shared variable `{}`", window().name);
  const auto block = notes_.heap_block(finding_);
  if (!block) return window().name;
  const bool on_all = block->allocated_by != UpcCall::upc_alloc;
  return fmt::format("block of {}{} allocated by {}{}{}", bytes_text(block->bytes),
                     on_all ? " per thread" : "", traits(block->allocated_by).name,
                     block->allocated_at.empty() ? "" : " in ", block->allocated_at);
}

std::string UpcWords::why() const {
  const FindingSide &a = side(0), &b = side(1);
  if (a.rank == b.rank) {
    const bool swapped = b.begin < a.begin;
    const FindingSide &early = side(swapped), &late = side(!swapped);
    const std::string does =
        is_of_language(late) ? (reads(late) ? "reads" : "writes") : "calls " + access_noun(late);
    return fmt::format("The accesses are concurrent: {} {} while its {} is pending{}",
                       thread(late.rank), does, access_noun(early),
                       early.end == kNever ? "; no upc_sync completes it." : ".");
  }
  for (const int index : {0, 1})
    if (side(index).end == kNever)
      return fmt::format("The accesses are concurrent: no upc_sync completes {}.",
                         whose(side(index)));
  const std::string from = outlasts_call(a) ? "the completion of " + whose(a) : whose(a);
  return fmt::format(
      "The accesses are concurrent: no happens-before path leads from {} to {}, or back.", from,
      whose(b));
}

std::string UpcWords::advice() const {
  const FindingSide &a = side(0), &b = side(1);
  if (a.rank == b.rank)
    return "Try: upc_sync (upc_synci for transfers without a handle) between " +
           both_accesses(a, b) + ".";
  const bool pending = outlasts_call(a) || outlasts_call(b);
  const auto has_no_handle = [](const FindingSide& side) {
    return name_of(side.call).ends_with("_nbi");
  };
  std::string text =
      "Try: upc_barrier between them (in a split barrier: the second access after upc_wait)";
  if (pending)
    text += has_no_handle(a) || has_no_handle(b) ? ", after upc_synci" : ", after upc_sync";
  // Get, compute, put is one update: a lock around each single access still loses updates.
  if (reads(a) || reads(b))
    text +=
        ". Without a barrier: a strict flag, which one thread sets after the write and the other "
        "polls before the read";
  text +=
      ". If any order is correct: one lock (upc_lock) around all reads and writes of an update, "
      "from upc_all_lock_alloc (upc_global_lock_alloc returns another lock to each thread)";
  const std::uint64_t bytes = std::max(a.bytes, b.bytes);
  if (is_strict(a) != is_strict(b))
    text +=
        fmt::format("; or strict for both, as {} is", access_with_article(is_strict(a) ? a : b));
  else if (bytes == 4 || bytes == 8)
    text += "; or upc_atomic_relaxed for one word";
  return text + ".";
}

}  // namespace photofinish

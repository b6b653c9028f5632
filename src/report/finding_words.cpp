#include "report/finding_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/shmem/table/shmem_call.h"
#include "report/caf_words.h"
#include "report/event_text.h"
#include "report/shmem_words.h"
#include "report/side_words.h"
#include "report/upc_words.h"

namespace photofinish {
namespace {

// Threads are numbered in the order of their creation; numbers from here on are explicit OpenMP
// tasks.
constexpr std::uint32_t kFirstExplicitTask = 4096;

std::string thread_of(const FindingSide& side) {
  return side.task >= kFirstExplicitTask
             ? fmt::format("OpenMP task {}", side.task - kFirstExplicitTask + 1)
             : fmt::format("thread {}", side.task);
}

}  // namespace

std::string_view race_name(const Finding& finding) {
  return finding.win == Uid() ? "buffer race" : "one-sided race";
}

bool FindingWords::openshmem() const {
  if (upc() || caf()) return false;
  return is_shmem(side(0).call) || is_shmem(side(1).call) ||
         (finding_.win != Uid() && notes_.window(finding_.owner, finding_.win).symmetric);
}

bool FindingWords::caf() const { return CafWords::apply_to(finding_, notes_); }
bool FindingWords::upc() const { return UpcWords::apply_to(finding_, notes_); }
bool FindingWords::in_shared_memory() const { return UpcWords(finding_, notes_).is_shared(); }

std::string FindingWords::who(const FindingSide& side, bool names_thread) const {
  const std::string text = fmt::format("{} {}", process(), rank_text(side.rank));
  return names_thread || side.task != 0 ? text + ", " + thread_of(side) : text;
}

// In a sentence: "the put of thread 1 of rank 2".
std::string FindingWords::whose(const FindingSide& side, bool names_thread) const {
  return fmt::format("{} of {}{} {}", with_article(side),
                     names_thread || side.task != 0 ? thread_of(side) + " of " : "", process(),
                     rank_text(side.rank));
}

std::string FindingWords::owner() const {
  return fmt::format("{} {}", process(), rank_text(finding_.owner));
}

// "MPI_Win_flush solver.c:130", as far as it is known.
std::string FindingWords::at(const FindingSide& side, SiteId site) const {
  if (site == SiteId()) return "";
  const SiteNotes& known = notes_.site(side.rank, site);
  if (!known.call) return known.location;
  return name_of(*known.call) + (known.location.empty() ? "" : " " + known.location);
}

// A buffer access may lack the epoch of its operation; the call that opened it has it.
EpochKind FindingWords::epoch_kind(const FindingSide& side) const {
  if (side.epoch.kind != EpochKind::None || side.opened == SiteId()) return side.epoch.kind;
  const auto call = notes_.site(side.rank, side.opened).call;
  if (!call) return EpochKind::None;
  switch (traits(*call).action) {
    case Action::Fence:
      return EpochKind::Fence;
    case Action::StartEpoch:
      return EpochKind::Start;
    case Action::Lock:
    case Action::LockAll:
      return EpochKind::Lock;
    default:
      return EpochKind::None;
  }
}

std::string FindingWords::access(int index) const {
  if (caf()) return CafWords(finding_, notes_).access(index);
  return in_shared_memory() ? UpcWords(finding_, notes_).access(index) : noun(side(index));
}

std::string FindingWords::window() const {
  for (const WorldRank rank : {finding_.owner, side(0).rank, side(1).rank})
    if (const std::string& name = notes_.window(rank, finding_.win).name; !name.empty())
      return name;
  return "";
}

std::string FindingWords::window_name() const {
  const std::string name = window();
  return name.empty() ? "window" : fmt::format("window \"{}\"", name);
}

bool FindingWords::in_two_windows() const {
  const Uid a = side(0).win, b = side(1).win;
  return a != Uid() && b != Uid() && a != b && !openshmem();
}

std::string FindingWords::window_of(const FindingSide& s) const {
  for (const WorldRank rank : {finding_.owner, s.rank}) {
    const WindowNotes& window = notes_.window(rank, s.win);
    if (!window.name.empty()) return fmt::format("window \"{}\"", window.name);
    if (!window.created_at.empty()) return "window created in " + window.created_at;
  }
  return "window";
}

std::string FindingWords::bytes_in_window() const {
  return bytes_in_window(finding_.win, finding_.offset);
}

std::string FindingWords::bytes_in_window(Uid win, std::int64_t offset) const {
  const std::int64_t size = std::max<std::int64_t>(finding_.where.end - finding_.where.begin, 0);
  const auto first = static_cast<std::uint64_t>(offset);
  const std::string range =
      size == 0 ? fmt::format("0x{:x}", first)
                : fmt::format("0x{:x}..0x{:x}", first, first + static_cast<std::uint64_t>(size));
  const bool by_address = notes_.window(finding_.owner, win).by_address;
  return (by_address ? "at " : "+") + range;
}

std::string FindingWords::headline(int index) const {
  if (caf()) return CafWords(finding_, notes_).headline(index);
  if (in_shared_memory()) return UpcWords(finding_, notes_).headline(index);
  const FindingSide& s = side(index);
  std::string text;
  if (is_buffer(s)) {
    text = fmt::format("{} of {} by {} of {}", s.kind == AccessKind::Load ? "read" : "write",
                       bytes_text(s.bytes), name_of(s.call), who(s, names_threads()));
  } else {
    std::string how;
    if (is_shmem(s.call))
      how = updates_work_array(s)              ? "work array of " + name_of(s.call)
            : s.kind == AccessKind::Accumulate ? name_of(s.call)
                                               : "";
    else if (s.op != ReduceOp::None && s.op != ReduceOp::CompareAndSwap)
      how = operation_text(s.op);
    text = fmt::format("{}{} of {} by {}", noun(s), how.empty() ? "" : " (" + how + ")",
                       bytes_text(s.bytes), who(s, names_threads()));
  }
  if (in_two_windows())
    return fmt::format("{} {} {}, {} {}", text, s.kind == AccessKind::Get ? "from" : "into",
                       owner(), window_of(s), bytes_in_window(s.win, s.offset));
  // The first side names the window for both.
  if (index != 0 || finding_.win == Uid()) return text;
  if (!is_local(s))
    text += fmt::format(" {} {}", s.kind == AccessKind::Get ? "from" : "into", owner());
  if (notes_.window(finding_.owner, finding_.win).symmetric)
    return text + ", " + ShmemWords(finding_, notes_).object() +
           (is_local(s) ? " on " + owner() : "");
  text += ", " + window_name();
  if (is_local(s) && s.rank != finding_.owner) text += " of " + owner();
  const bool in_part =
      finding_.where.end - finding_.where.begin != static_cast<std::int64_t>(s.bytes);
  return text + (in_part ? ", overlap " : " ") + bytes_in_window();
}

std::string FindingWords::epoch(int index) const {
  const FindingSide& s = side(index);
  if (is_plain(s)) return "";
  const std::string closed = at(s, s.closed);
  if (is_freed(s)) return "pending; its request was freed by " + closed;
  if (s.opened == SiteId()) {
    if (s.end == kNever) return "still pending at the end of the run";
    return outlasts_call(s) && !closed.empty() ? "pending until " + closed : "";
  }
  const std::string opened = at(s, s.opened);
  std::string text = opened.empty() ? "epoch" : "epoch opened by " + opened;
  if (ends_at_target(s)) {
    if (!closed.empty()) text += ", ended by " + closed;
    return text + fmt::format(", complete when MPI_Win_wait of rank {} returns",
                              rank_text(finding_.owner));
  }
  if (s.end == kNever)
    return text + (opened.empty() ? " still open at the end of the run"
                                  : ", still open at the end of the run");
  if (!closed.empty()) return text + (opened.empty() ? " open until " : ", open until ") + closed;
  return opened.empty() ? "" : text;
}

// The source text of the buffer of the first side that has one.
std::string FindingWords::expression() const {
  for (const FindingSide& s : finding_.sides)
    if (is_buffer(s))
      if (const BufferNotes buffer = notes_.buffer(notes_.site(s.rank, s.site).frames, s.call,
                                                   s.kind == AccessKind::Store);
          !buffer.expression.empty())
        return buffer.expression;
  return "";
}

std::string FindingWords::allocated() const {
  const auto& block = notes_.allocation(finding_);
  return block ? fmt::format("block of {} allocated in {}", bytes_text(block->bytes),
                             block->allocated_at)
               : "";
}

std::string FindingWords::named() const {
  if (const auto& global = notes_.variable(finding_.owner, finding_.where.begin))
    return fmt::format("variable `{}`", global->name);
  if (const std::string block = allocated(); !block.empty()) return block;
  const auto local = [](const BufferNotes& buffer) {
    return buffer.local
               ? fmt::format("`{}`, local of {}", buffer.local->name, buffer.local->function)
               : "";
  };
  if (finding_.win != Uid())
    return local(notes_.exposed(notes_.window(finding_.owner, finding_.win)));
  for (const FindingSide& s : finding_.sides)
    if (is_buffer(s))
      if (const std::string name = local(notes_.buffer(notes_.site(s.rank, s.site).frames, s.call,
                                                       s.kind == AccessKind::Store));
          !name.empty())
        return name;
  return "";
}

std::string FindingWords::memory() const {
  if (caf()) return CafWords(finding_, notes_).memory();
  if (finding_.win == Uid()) {
    const std::string name = named();
    std::string text =
        fmt::format("{}memory of {} at 0x{:x}..0x{:x}", name.empty() ? "" : name + ": ", owner(),
                    finding_.where.begin, finding_.where.end);
    std::string calls;
    for (const FindingSide& s : finding_.sides)
      if (is_buffer(s) && calls.find(name_of(s.call)) == std::string::npos)
        calls += (calls.empty() ? "" : " and of ") + name_of(s.call);
    if (calls.empty()) return text;
    const std::string argument = name.empty() || name == allocated() ? expression() : "";
    return text + ", the buffer " + (argument.empty() ? "" : "`" + argument + "` ") + "of " + calls;
  }
  if (in_shared_memory()) return UpcWords(finding_, notes_).memory();
  const WindowNotes& window = notes_.window(finding_.owner, finding_.win);
  if (window.symmetric) return ShmemWords(finding_, notes_).memory();
  const std::string name = named();
  if (in_two_windows())
    return fmt::format("both windows expose {}",
                       name.empty() ? "the same memory of " + owner() : name);
  if (!window.created_by) return "";
  return fmt::format("{} created by {}{}{}", window_name(), name_of(*window.created_by),
                     window.created_at.empty() ? "" : " in " + window.created_at,
                     name.empty() ? "" : ", exposes " + name);
}

}  // namespace photofinish

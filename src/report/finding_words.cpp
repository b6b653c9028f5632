#include "report/finding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/shmem/table/shmem_call.h"
#include "report/caf_words.h"
#include "report/event_text.h"
#include "report/upc_words.h"

namespace photofinish {
namespace {

bool is_local(const FindingSide& side) {
  return side.kind == AccessKind::Load || side.kind == AccessKind::Store;
}

bool is_plain(const FindingSide& side) {
  const Action action = traits(side.call).action;
  return is_local(side) && (action == Action::Load || action == Action::Store);
}

// A buffer of a call, which the call reads or writes itself.
bool is_buffer(const FindingSide& side) { return is_local(side) && !is_plain(side); }

bool is_one_sided(Call call) {
  switch (traits(call).action) {
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return true;
    default:
      return false;
  }
}

// A collective updates the work arrays (pSync, pWrk) of other PEs.
bool updates_work_array(const FindingSide& side) {
  const Action action = traits(side.call).action;
  return is_shmem(side.call) && side.kind == AccessKind::Accumulate && !is_one_sided(side.call) &&
         action != Action::PutSignal;
}

// The access is pending after its call has returned.
bool outlasts_call(const FindingSide& side) { return side.end > side.begin + 1; }

// A put in a post/start epoch does not complete at its origin: it completes at the target.
bool ends_at_target(const FindingSide& side, EpochKind epoch) {
  return epoch == EpochKind::Start && side.end == kNever;
}

std::string name_of(Call call) { return std::string(traits(call).name); }

// "put", "load"; for a buffer the name of the call.
std::string noun(const FindingSide& side) {
  if (side.call == Call::release) return "release";
  if (is_plain(side)) return side.kind == AccessKind::Load ? "load" : "store";
  if (is_buffer(side)) return name_of(side.call);
  if (updates_work_array(side)) return "update";
  if (is_shmem(side.call) && side.kind == AccessKind::Accumulate) return "atomic";
  switch (traits(side.call).action) {
    case Action::GetAccumulate:
      return "get-accumulate";
    case Action::FetchAndOp:
      return "fetch-and-op";
    case Action::CompareAndSwap:
      return "compare-and-swap";
    default:
      break;
  }
  return side.kind == AccessKind::Put ? "put" : side.kind == AccessKind::Get ? "get" : "accumulate";
}

// Threads are numbered in the order of their creation; numbers from here on are explicit OpenMP
// tasks.
constexpr std::uint32_t kFirstExplicitTask = 4096;

std::string with_article(const FindingSide& side) {
  return (is_buffer(side) ? "" : "the ") + noun(side);
}

// "the put and the load", "the two puts"
std::string both(const FindingSide& a, const FindingSide& b) {
  if (noun(a) != noun(b)) return with_article(a) + " and " + with_article(b);
  return fmt::format("the two {}{}", noun(a), is_buffer(a) ? " calls" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string operation(ReduceOp op) {
  static constexpr const char* kNames[] = {"an operation of the program",
                                           "MPI_MAX",
                                           "MPI_MIN",
                                           "MPI_SUM",
                                           "MPI_PROD",
                                           "MPI_LAND",
                                           "MPI_BAND",
                                           "MPI_LOR",
                                           "MPI_BOR",
                                           "MPI_LXOR",
                                           "MPI_BXOR",
                                           "MPI_MAXLOC",
                                           "MPI_MINLOC",
                                           "MPI_REPLACE",
                                           "MPI_NO_OP",
                                           "compare-and-swap"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(ReduceOp::CompareAndSwap) + 1);
  return kNames[static_cast<std::size_t>(op)];
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
  std::string text = fmt::format("{} {}", process(), rank_text(side.rank));
  if (!names_thread && side.task == 0) return text;
  if (side.task >= kFirstExplicitTask)
    return text + fmt::format(", OpenMP task {}", side.task - kFirstExplicitTask + 1);
  return text + fmt::format(", thread {}", side.task);
}

std::string FindingWords::whose(const FindingSide& side, bool names_thread) const {
  return fmt::format("{} of {}", with_article(side), who(side, names_thread));
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
      how = operation(s.op);
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
    return text + ", " + symmetric_object() + (is_local(s) ? " on " + owner() : "");
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
  if (ends_at_target(s, epoch_kind(s))) {
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
  if (window.symmetric) return symmetric_memory();
  const std::string name = named();
  if (in_two_windows())
    return fmt::format("both windows expose {}",
                       name.empty() ? "the same memory of " + owner() : name);
  if (!window.created_by) return "";
  return fmt::format("{} created by {}{}{}", window_name(), name_of(*window.created_by),
                     window.created_at.empty() ? "" : " in " + window.created_at,
                     name.empty() ? "" : ", exposes " + name);
}

// --- why the accesses are concurrent

// The completion of an access: "the completion of the put of rank 2 (MPI_Win_flush solver.c:130)".
std::string FindingWords::completion(const FindingSide& s) const {
  if (is_plain(s) || (is_buffer(s) && !outlasts_call(s))) return whose(s, names_threads());
  std::string by = at(s, s.closed);
  if (ends_at_target(s, epoch_kind(s)))
    by = fmt::format("MPI_Win_wait of rank {}", rank_text(finding_.owner));
  return "the completion of " + whose(s, names_threads()) + (by.empty() ? "" : " (" + by + ")");
}

// No call completes or frees its request, in a run that ended by itself.
bool FindingWords::is_lost(const FindingSide& s) const {
  return is_buffer(s) && traits(s.call).when == When::Starts && s.end == kNever &&
         notes_.ended(s.rank);
}

// A call freed its request. The end is that of the first call after which the rank may know that
// the operation is complete.
bool FindingWords::is_freed(const FindingSide& s) const {
  if (!is_buffer(s) || s.closed == SiteId()) return false;
  const std::optional<Call> call = notes_.site(s.rank, s.closed).call;
  return call && traits(*call).action == Action::RequestFree;
}

std::optional<Variable> FindingWords::leaving(const FindingSide& s,
                                              const FindingSide& pending) const {
  if (s.call != Call::release || !is_buffer(pending)) return std::nullopt;
  auto local = notes_
                   .buffer(notes_.site(pending.rank, pending.site).frames, pending.call,
                           pending.kind == AccessKind::Store)
                   .local;
  const std::vector<Frame>& stack = notes_.site(s.rank, s.site).frames;
  return local && !stack.empty() && stack.front().function == local->function ? local
                                                                              : std::nullopt;
}

constexpr const char* kFreed = "; {} freed its request, so no call completes it.";

std::string FindingWords::why_not_complete() const {
  const bool swapped = side(1).begin < side(0).begin;
  const FindingSide &early = side(swapped), &late = side(!swapped);
  if (const auto local = leaving(late, early)) {
    std::string text = fmt::format(
        "The accesses are concurrent: `{}`, local of {}, goes out of scope at {} while "
        "{} is pending",
        local->name, local->function, notes_.site(late.rank, late.site).location,
        name_of(early.call));
    const std::string closed = at(early, early.closed);
    if (is_freed(early)) return text + fmt::format(kFreed, closed);
    if (is_lost(early)) return text + "; its request was lost: no call completes it.";
    return text + (early.end == kNever || closed.empty()
                       ? "."
                       : fmt::format("; {} completes it later.", closed));
  }
  std::string does = is_plain(late)    ? noun(late) + "s"
                     : is_buffer(late) ? "calls " + noun(late)
                                       : "starts the " + noun(late);
  std::string text = fmt::format("The accesses are concurrent: {} {} {} while its {}{} is pending",
                                 process(), rank_text(late.rank), does,
                                 noun(early) == noun(late) ? "earlier " : "own ", noun(early));
  if (ends_at_target(early, epoch_kind(early)))
    return text +
           fmt::format("; only MPI_Win_wait of rank {} completes it.", rank_text(finding_.owner));
  const std::string closed = at(early, early.closed);
  if (is_freed(early)) return text + fmt::format(kFreed, closed);
  if (is_lost(early)) return text + "; its request was lost: no call completes it.";
  if (early.end == kNever) return text + "; nothing completes it in time.";
  return closed.empty() ? text + "." : text + fmt::format("; {} completes it later.", closed);
}

// Why the locks that the two ranks hold do not protect the accesses; nullopt if that is not the
// point.
std::optional<FindingWords::LockReason> FindingWords::lock_reason() const {
  const FindingSide &a = side(0), &b = side(1);
  if (a.rank == b.rank || finding_.win == Uid() || openshmem()) return std::nullopt;
  const auto around = [](const std::string& what) {
    return what + " on both ranks, around all accesses to these data";
  };
  // The lock of its epoch is not among those that protect it.
  const auto is_unchecked = [&](const FindingSide& s) {
    if (is_local(s) || s.opened == SiteId()) return false;
    const SiteNotes& opened = notes_.site(s.rank, s.opened);
    return opened.unchecked_lock && traits(*opened.call).action == Action::Lock &&
           std::none_of(s.locks.begin(), s.locks.end(), [&](const AccessLock& lock) {
             return lock.win == s.win && lock.target == finding_.owner;
           });
  };
  if (is_unchecked(a) || is_unchecked(b)) {
    const bool both_are = is_unchecked(a) && is_unchecked(b);
    const FindingSide& first = is_unchecked(a) ? a : b;
    std::string calls = at(first, first.opened);
    if (const std::string other = at(b, b.opened); both_are && other != calls)
      calls += " and " + other;
    return LockReason{
        both_are ? "both locks are taken with MPI_MODE_NOCHECK, so they protect nothing"
                 : fmt::format("the lock of rank {} is taken with MPI_MODE_NOCHECK, so it protects "
                               "nothing",
                               rank_text(first.rank)),
        fmt::format("exclusive locks (MPI_LOCK_EXCLUSIVE) without MPI_MODE_NOCHECK in {}", calls)};
  }
  for (const bool same_window : {true, false})
    for (const AccessLock& one : a.locks)
      for (const AccessLock& other : b.locks) {
        if (!one.exclusive || !other.exclusive || (one.win == other.win) != same_window) continue;
        if (same_window)
          return LockReason{
              fmt::format("rank {} locks rank {} and rank {} locks rank {}: locks at different "
                          "targets do not exclude each other",
                          rank_text(a.rank), rank_text(one.target), rank_text(b.rank),
                          rank_text(other.target)),
              around("lock the same target")};
        return LockReason{"the locks are on different windows, so they do not exclude each other",
                          around("lock the same window and the same target")};
      }
  return std::nullopt;
}

std::string FindingWords::why_no_order() const {
  const FindingSide &a = side(0), &b = side(1);
  const auto never = [&](const FindingSide& s) {
    return s.end == kNever && !ends_at_target(s, epoch_kind(s));
  };
  if (never(a) && never(b))
    return fmt::format("The accesses are concurrent: nothing completes {}, nor {}, in time.",
                       whose(a), whose(b));
  if (never(a) || never(b)) {
    const FindingSide &open = never(a) ? a : b, &over = never(a) ? b : a;
    return fmt::format(
        "The accesses are concurrent: nothing completes {} in time, and no happens-before path "
        "leads from {} to it.",
        whose(open), completion(over));
  }
  if (!is_local(a) && !is_local(b) && a.epoch.kind == EpochKind::Fence && a.epoch == b.epoch)
    return "The accesses are concurrent: both are in the same fence epoch, and operations inside "
           "one epoch are unordered.";
  const auto locks = lock_reason();
  const auto is_shared = [](const AccessLock& lock) { return !lock.exclusive; };
  const auto only_shared = [&](const FindingSide& s) {
    return !s.locks.empty() && std::all_of(s.locks.begin(), s.locks.end(), is_shared);
  };
  if (!is_local(a) && !is_local(b) && a.epoch.kind == EpochKind::Lock &&
      b.epoch.kind == EpochKind::Lock && a.rank != b.rank)
    return fmt::format(
        "The accesses are concurrent: {}, and no happens-before path orders the two {}s.",
        locks
            ? locks->why
            : fmt::format(
                  "the locks of rank {} and rank {} {}", rank_text(a.rank), rank_text(b.rank),
                  only_shared(a) && only_shared(b) ? "are shared, so they do not exclude each other"
                                                   : "do not exclude each other"),
        noun(a) == noun(b) ? noun(a) : "operation");
  return fmt::format(
      "The accesses are concurrent: {}no happens-before path leads from {} to {}, or back.",
      locks ? locks->why + ", and " : "", completion(a), whose(b, names_threads()));
}

std::string FindingWords::why() const {
  if (upc()) return UpcWords(finding_, notes_).why();
  if (caf()) return CafWords(finding_, notes_).why();
  const FindingSide &a = side(0), &b = side(1);
  switch (finding_.reason) {
    case Reason::NotComplete:
      return a.rank == b.rank ? why_not_complete() : why_no_order();
    case Reason::NoOrder:
      return why_no_order();
    case Reason::SeparateModel:
      return fmt::format(
          "The accesses are concurrent. In the separate memory model (MPI_WIN_SEPARATE), {} "
          "conflict even on different bytes.",
          both(a, b));
    case Reason::MixedElements:
      if (openshmem())
        return "The accesses are concurrent. Atomics are atomic with each other only where their "
               "types have the same size and their elements coincide.";
      return "The accesses are concurrent. Accumulates are atomic with each other only where their "
             "elements have the same predefined type and coincide; here the types differ, or the "
             "elements overlap in part.";
    case Reason::MixedOperations:
      return fmt::format(
          "The accesses are concurrent: different operations, {} and {}, update the same elements.",
          operation(a.op), operation(b.op));
  }
  return "";
}

// --- advice

// The call that completes the use of a buffer.
std::string FindingWords::completing_call(const FindingSide& s) const {
  if (is_one_sided(s.call) && traits(s.call).when != When::Starts) {
    switch (epoch_kind(s)) {
      case EpochKind::Fence:
        return "MPI_Win_fence";
      case EpochKind::Start:
        return "MPI_Win_complete";
      case EpochKind::Lock:
        return "MPI_Win_flush_local";
      case EpochKind::None:
        return "a flush, an unlock or a fence";
    }
  }
  const std::string call = name_of(s.call);
  if (traits(s.call).action == Action::FileSplitBegin)
    return call.substr(0, call.size() - 5) + "end";
  return "MPI_Wait for its request";
}

std::string FindingWords::advice_not_complete() const {
  const bool swapped = side(1).begin < side(0).begin;
  const FindingSide &early = side(swapped), &late = side(!swapped);
  const EpochKind epoch = epoch_kind(early);
  const std::string call = name_of(early.call);
  if (is_buffer(early)) {
    const auto local = leaving(late, early);
    const std::string before =
        local                            ? fmt::format("before `{}` goes out of scope", local->name)
        : late.call == Call::release     ? "before the program releases the buffer of " + call
        : early.kind == AccessKind::Load ? "before the program reuses the buffer of " + call
                                         : "before the program uses the result of " + call;
    if (is_freed(early))
      return fmt::format("MPI_Wait for the request of {} instead of MPI_Request_free, {}", call,
                         before);
    if (is_lost(early))
      return fmt::format(
          "a request variable for each pending {}, and MPI_Wait for it {}. A call that writes the "
          "same request variable loses the earlier request",
          call, before);
    const std::string completes = completing_call(early);
    // Two calls that write one buffer: the data of the first are lost even if it is complete.
    if (is_buffer(late) && early.kind == AccessKind::Store && late.kind == AccessKind::Store)
      return fmt::format(
          "a separate buffer for {}, or {} and use of its data before {}",
          early.call == late.call ? "each " + call : call + " and " + name_of(late.call), completes,
          early.call == late.call ? "the second" : name_of(late.call));
    return completes + " " + before;
  }
  switch (epoch) {
    case EpochKind::Fence:
      return "MPI_Win_fence between " + both(early, late);
    case EpochKind::Start:
      return fmt::format(
          "another epoch for the second: MPI_Win_complete, and MPI_Win_wait of rank {}, between {}",
          rank_text(finding_.owner), both(early, late));
    default:
      return "MPI_Win_flush between " + both(early, late);
  }
}

// Get, compute, put is one update: a lock around each single access still loses updates.
constexpr const char* kOneUpdate = "For a read-modify-write: ";
constexpr const char* kOneAtomic =
    "one atomic (MPI_Fetch_and_op, MPI_Compare_and_swap or MPI_Get_accumulate)";

// If one range ends where the other begins, a count or a displacement is more likely wrong than the
// order.
std::string FindingWords::advice_overlap() const {
  const bool swapped = side(1).range.begin < side(0).range.begin;
  const ByteRange &first = side(swapped).range, &second = side(!swapped).range;
  const std::int64_t overlap = first.end - second.begin;
  const std::int64_t smaller = std::min(first.end - first.begin, second.end - second.begin);
  if (second.end <= first.end || overlap <= 0 || 2 * overlap >= smaller) return "";
  return fmt::format(
      "check displacements and counts first: only {} of {} and {} overlap. If that is intended: ",
      bytes_text(static_cast<std::uint64_t>(overlap)), bytes_text(side(0).bytes),
      bytes_text(side(1).bytes));
}

// Two remote operations of different ranks, or of one rank in two epochs.
std::string FindingWords::advice_remote() const {
  const FindingSide &a = side(0), &b = side(1);
  const std::string order =
      fmt::format("complete the first access ({}), then synchronize with a barrier or a message",
                  remote_completion(a, b));
  if (a.kind == AccessKind::Accumulate || b.kind == AccessKind::Accumulate) {
    const AccessKind other = a.kind == AccessKind::Accumulate ? b.kind : a.kind;
    if (other == AccessKind::Put)
      return order +
             ". If any order is correct: MPI_Accumulate with MPI_REPLACE instead of the put";
    if (other == AccessKind::Get)
      return order +
             ". If any order is correct: MPI_Get_accumulate with MPI_NO_OP instead of the get";
    return order;
  }
  if (in_lock_all(a) || in_lock_all(b))
    return fmt::format("{}. {}{}", order, kOneUpdate, kOneAtomic);
  return fmt::format(
      "{}. {}one exclusive lock (MPI_LOCK_EXCLUSIVE) around the get and the put, or {}", order,
      kOneUpdate, kOneAtomic);
}

// MPI_Win_unlock is not allowed in an MPI_Win_lock_all epoch.
std::string FindingWords::remote_completion(const FindingSide& a, const FindingSide& b) const {
  const auto locked_alone = [&](const FindingSide& s) { return !is_local(s) && !in_lock_all(s); };
  const auto has_request = [](const FindingSide& s) {
    return name_of(s.call) == "MPI_Rput" || name_of(s.call) == "MPI_Raccumulate";
  };
  return fmt::format("MPI_Win_flush{}, not {}MPI_Win_flush_local",
                     locked_alone(a) || locked_alone(b) ? " or MPI_Win_unlock" : "",
                     has_request(a) || has_request(b) ? "MPI_Wait or " : "");
}

bool FindingWords::in_lock_all(const FindingSide& s) const {
  if (s.opened == SiteId()) return false;
  const auto call = notes_.site(s.rank, s.opened).call;
  return call && traits(*call).action == Action::LockAll;
}

// Two threads: the MPI operation has to complete, and then the threads have to synchronize.
std::string FindingWords::advice_threads() const {
  const FindingSide &a = side(0), &b = side(1);
  const bool outlasts = (!is_plain(a) && outlasts_call(a)) || (!is_plain(b) && outlasts_call(b)) ||
                        !is_local(a) || !is_local(b);
  return fmt::format(
      "a thread synchronization (omp barrier, depend, a lock with a condition variable, join) "
      "between {}{}",
      both(a, b),
      !outlasts     ? ""
      : openshmem() ? ", and shmem_quiet (shmem_ctx_quiet for a context) before it"
                    : ", after the operation is complete");
}

std::string FindingWords::advice_no_order() const {
  const FindingSide &a = side(0), &b = side(1);
  if (names_threads()) return advice_threads();
  if (const auto locks = lock_reason())
    return fmt::format("{}; or order {} with a barrier or a message", locks->advice, both(a, b));
  if (is_local(a) && is_local(b))
    return "a barrier or a message between " + both(a, b) +
           ", with MPI_Win_sync on each side of it";
  // The remote operation comes first; the other access may be remote, too.
  const EpochKind epoch = epoch_kind(a);
  if (epoch == EpochKind::Fence || epoch_kind(b) == EpochKind::Fence)
    return "MPI_Win_fence between " + both(a, b);
  const std::string owner = rank_text(finding_.owner);
  if (is_local(b)) {
    if (epoch == EpochKind::Start)
      return fmt::format("{} before MPI_Win_post of rank {}, or after MPI_Win_wait",
                         with_article(b), owner);
    return fmt::format(
        "a barrier or a message between {0} and {1}. If {0} comes first, complete it before that "
        "({2}). A loop needs one after each of them",
        with_article(a), with_article(b), remote_completion(a, b));
  }
  if (epoch == EpochKind::Start || epoch_kind(b) == EpochKind::Start)
    return fmt::format("MPI_Win_wait of rank {} and another MPI_Win_post between {}", owner,
                       both(a, b));
  return advice_remote();
}

std::string FindingWords::advice() const {
  if (upc()) return UpcWords(finding_, notes_).advice();
  if (caf()) return CafWords(finding_, notes_).advice();
  if (openshmem()) return "Try: " + advice_overlap() + openshmem_advice() + ".";
  switch (finding_.reason) {
    case Reason::NotComplete:
      return "Try: " + advice_overlap() +
             (side(0).rank == side(1).rank ? advice_not_complete() : advice_no_order()) + ".";
    case Reason::NoOrder:
      return "Try: " + advice_overlap() + advice_no_order() + ".";
    case Reason::SeparateModel:
      return fmt::format("Try: separate epochs, with a barrier between them, for {}.",
                         both(side(0), side(1)));
    case Reason::MixedElements:
      return "Try: the same predefined type in both, at the same displacements; or complete the "
             "first, "
             "then a barrier, before the second.";
    case Reason::MixedOperations:
      return "Try: the same operation in both; or complete the first, then a barrier, before the "
             "second.";
  }
  return "";
}

// --- OpenSHMEM

std::string FindingWords::symmetric_object() const {
  const std::int64_t size = std::max<std::int64_t>(finding_.where.end - finding_.where.begin, 0);
  const auto range = [&](std::uint64_t begin) {
    const auto first = static_cast<std::uint64_t>(finding_.where.begin) - begin;
    return size == 0
               ? fmt::format("+0x{:x}", first)
               : fmt::format("+0x{:x}..0x{:x}", first, first + static_cast<std::uint64_t>(size));
  };
  if (const auto& block = notes_.block(finding_.owner, finding_.where.begin))
    return "symmetric heap block " + range(block->begin);
  if (const auto& global = notes_.variable(finding_.owner, finding_.where.begin))
    return fmt::format("`{}` ", global->name) +
           range(static_cast<std::uint64_t>(finding_.where.begin) - global->offset);
  return window() + " " + bytes_in_window();
}

std::string FindingWords::symmetric_memory() const {
  if (const auto& block = notes_.block(finding_.owner, finding_.where.begin))
    return fmt::format("symmetric heap block of {} allocated by {}{}{}", bytes_text(block->bytes),
                       name_of(block->allocated_by), block->allocated_at.empty() ? "" : " in ",
                       block->allocated_at);
  if (const auto& global = notes_.variable(finding_.owner, finding_.where.begin))
    return fmt::format("variable `{}`, {}", global->name, window());
  return window();
}

// The atomic that can take the place of the other access.
const char* atomic_instead(AccessKind other) {
  return other == AccessKind::Put || other == AccessKind::Store ? "shmem_atomic_set"
                                                                : "shmem_atomic_fetch";
}

std::string FindingWords::openshmem_advice() const {
  const FindingSide &a = side(0), &b = side(1);
  if (names_threads()) return advice_threads();
  if (a.rank == b.rank) {
    const bool swapped = b.begin < a.begin;
    const FindingSide &early = side(swapped), &late = side(!swapped);
    if (is_buffer(early))
      return fmt::format("shmem_quiet (shmem_ctx_quiet for a context) before the program {} of {}",
                         early.kind == AccessKind::Load ? "reuses the buffer" : "uses the result",
                         name_of(early.call));
    return fmt::format("shmem_quiet (shmem_ctx_quiet for a context) between {}{}",
                       both(early, late),
                       early.kind == AccessKind::Put && late.kind == AccessKind::Put
                           ? "; shmem_fence is sufficient for their order"
                           : "");
  }
  if (updates_work_array(a) || updates_work_array(b))
    return "other work arrays (pSync, pWrk) for the second call, or shmem_barrier_all between " +
           both(a, b);
  if (finding_.reason == Reason::MixedElements) return "the same type in both atomics";
  std::string text = openshmem_order();
  const bool first_atomic = a.kind == AccessKind::Accumulate;
  if (first_atomic != (b.kind == AccessKind::Accumulate))
    return text + fmt::format(". If any order is correct: {} instead of {}",
                              atomic_instead((first_atomic ? b : a).kind),
                              with_article(first_atomic ? b : a));
  if (!is_local(a) && !is_local(b))
    text +=
        ". For get, compute, put on shared data: one lock (shmem_set_lock) around all of it, or "
        "one atomic (shmem_atomic_fetch_add, shmem_atomic_compare_swap)";
  return text;
}

// Accesses of two PEs. The first side is remote.
std::string FindingWords::openshmem_order() const {
  const FindingSide &a = side(0), &b = side(1);
  // Only calls for a context complete what is made on it.
  const auto on_context = [&](const FindingSide& s) {
    if (is_local(s) || s.closed == SiteId()) return false;
    const std::optional<Call> call = notes_.site(s.rank, s.closed).call;
    return call && name_of(*call).starts_with("shmem_ctx_");
  };
  const bool context = on_context(a) || on_context(b);
  const std::string barrier =
      context ? "shmem_ctx_quiet for the context, and then shmem_barrier_all, between them "
                "(shmem_barrier_all completes only the default context). Without a barrier: "
              : "shmem_barrier_all between them (shmem_sync_all completes no put). Without a "
                "barrier: ";
  const std::string quiet = context ? "shmem_ctx_quiet" : "shmem_quiet";
  if (!is_local(b))
    return barrier + quiet + " after the first, then a flag for shmem_wait_until before the second";
  const std::string remote = with_article(a), local = with_article(b);
  const bool gets = a.kind == AccessKind::Get;
  const std::string then =
      !gets
          ? fmt::format(
                "{} and a flag after it{} (in OpenSHMEM 1.5: "
                "shmem_put_signal), ",
                context ? "shmem_ctx_fence" : "shmem_fence", context ? " on the same context" : "")
      : outlasts_call(a) ? quiet + " and a flag after it (a fence does not order gets), "
                         : "a flag after it, ";
  std::string text = fmt::format(
      "{0}if {1} comes first, {2}and shmem_wait_until before {3}. If {3} comes first, a flag after "
      "it, and shmem_wait_until before {1}",
      barrier, remote, then, local);
  if (b.kind == AccessKind::Load && b.bytes <= 8 && !gets)
    text += ". A load that polls a flag: shmem_wait_until instead";
  return text;
}

}  // namespace photofinish

// Why the accesses of a finding are concurrent.
#include "report/finding_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/caf_words.h"
#include "report/event_text.h"
#include "report/side_words.h"
#include "report/upc_words.h"

namespace photofinish {

// The completion of an access: "the completion of the put of rank 2 (MPI_Win_flush solver.c:130)".
std::string FindingWords::completion(const FindingSide& s) const {
  if (is_plain(s) || (is_buffer(s) && !outlasts_call(s))) return whose(s, names_threads());
  std::string by = at(s, s.closed);
  if (ends_at_target(s)) by = fmt::format("MPI_Win_wait of rank {}", rank_text(finding_.owner));
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
  if (const std::string fence = notes_.asserted_fence(finding_); !fence.empty())
    return text + fmt::format("; {} asserts MPI_MODE_NOPRECEDE, so it completes nothing.", fence);
  if (ends_at_target(early))
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
  if (const std::string fence = notes_.asserted_fence(finding_); !fence.empty())
    return fmt::format(
        "The accesses are concurrent: {} asserts MPI_MODE_NOPRECEDE, so it does not order {} and "
        "{}.",
        fence, whose(a, names_threads()), whose(b, names_threads()));
  const auto never = [&](const FindingSide& s) { return s.end == kNever && !ends_at_target(s); };
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
          operation_text(a.op), operation_text(b.op));
  }
  return "";
}

}  // namespace photofinish

// What would order the accesses of a finding.
#include "report/finding_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/caf_words.h"
#include "report/event_text.h"
#include "report/shmem_words.h"
#include "report/side_words.h"
#include "report/upc_words.h"

namespace photofinish {

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

std::string FindingWords::advice_no_order() const {
  const FindingSide &a = side(0), &b = side(1);
  if (names_threads()) return order_of_threads(a, b, ", after the operation is complete");
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
        "a barrier or a message between {0} and {1}. If {0} comes first, complete it before the "
        "barrier or message ({2}). In a loop: one after each of the two",
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
  if (openshmem()) return "Try: " + advice_overlap() + ShmemWords(finding_, notes_).advice() + ".";
  const bool unordered =
      finding_.reason == Reason::NotComplete || finding_.reason == Reason::NoOrder;
  if (const std::string fence = notes_.asserted_fence(finding_); unordered && !fence.empty())
    return fmt::format("Try: {} without MPI_MODE_NOPRECEDE.", fence);
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

}  // namespace photofinish

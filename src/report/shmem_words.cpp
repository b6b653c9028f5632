#include "report/shmem_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/side_words.h"

namespace photofinish {
namespace {

const std::string kQuiet = "shmem_quiet (shmem_ctx_quiet for a context)";

// The atomic that can take the place of the other access.
const char* atomic_instead(AccessKind other) {
  return other == AccessKind::Put || other == AccessKind::Store ? "shmem_atomic_set"
                                                                : "shmem_atomic_fetch";
}

}  // namespace

// The symmetric heap, or the static data.
const std::string& ShmemWords::segment() const {
  return notes_.window(finding_.owner, finding_.win).name;
}

std::string ShmemWords::object() const {
  const std::int64_t size = std::max<std::int64_t>(finding_.where.end - finding_.where.begin, 0);
  const auto range = [&](std::uint64_t first) {
    return size == 0
               ? fmt::format("+0x{:x}", first)
               : fmt::format("+0x{:x}..0x{:x}", first, first + static_cast<std::uint64_t>(size));
  };
  const auto begin = static_cast<std::uint64_t>(finding_.where.begin);
  if (const auto& block = notes_.block(finding_))
    return "symmetric heap block " + range(begin - block->begin);
  if (const auto& global = notes_.variable(finding_.owner, finding_.where.begin))
    return fmt::format("`{}` {}", global->name, range(global->offset));
  return segment() + " " + range(static_cast<std::uint64_t>(finding_.offset));
}

std::string ShmemWords::memory() const {
  if (const auto& block = notes_.block(finding_))
    return fmt::format("symmetric heap block of {} allocated by {}{}{}", bytes_text(block->bytes),
                       name_of(block->allocated_by), block->allocated_at.empty() ? "" : " in ",
                       block->allocated_at);
  if (const auto& global = notes_.variable(finding_.owner, finding_.where.begin))
    return fmt::format("variable `{}`, {}", global->name, segment());
  return segment();
}

std::string ShmemWords::advice() const {
  const FindingSide &a = side(0), &b = side(1);
  if (a.rank == b.rank && a.task != b.task)
    return order_of_threads(a, b, ", and " + kQuiet + " before it");
  if (a.rank == b.rank) {
    const bool swapped = b.begin < a.begin;
    const FindingSide &early = side(swapped), &late = side(!swapped);
    if (is_buffer(early))
      return fmt::format("{} before the program {} of {}", kQuiet,
                         early.kind == AccessKind::Load ? "reuses the buffer" : "uses the result",
                         name_of(early.call));
    return fmt::format("{} between {}{}", kQuiet, both(early, late),
                       early.kind == AccessKind::Put && late.kind == AccessKind::Put
                           ? "; shmem_fence is sufficient for their order"
                           : "");
  }
  if (updates_work_array(a) || updates_work_array(b))
    return "other work arrays (pSync, pWrk) for the second call, or shmem_barrier_all between " +
           both(a, b);
  if (finding_.reason == Reason::MixedElements) return "the same type in both atomics";
  std::string text = order();
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
std::string ShmemWords::order() const {
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
    return fmt::format(
        "{}shmem_wait_until before the second access, for a flag that is set after the first and "
        "{}",
        barrier, quiet);
  const bool gets = a.kind == AccessKind::Get;
  std::string text =
      barrier + "shmem_wait_until before the second access, for a flag that is set after the first";
  if (!gets)
    text += fmt::format(
        ". If {} comes first, {} before the flag{} (or shmem_put_signal of OpenSHMEM 1.5)",
        with_article(a), context ? "shmem_ctx_fence" : "shmem_fence",
        context ? ", both on the same context" : "");
  else if (outlasts_call(a))
    text += fmt::format(". If {} comes first, {} before the flag (a fence does not order gets)",
                        with_article(a), quiet);
  if (b.kind == AccessKind::Load && b.bytes <= 8 && !gets)
    text += ". If the load polls a flag: shmem_wait_until instead";
  return text;
}

}  // namespace photofinish

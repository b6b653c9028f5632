#include "report/divergence_text.h"

#include <fmt/format.h>

#include "record/turn_order.h"
#include "record/watched_memory.h"
#include "report/event_text.h"
#include "report/site_text.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

std::string end_words(const RankEnd& end) {
  switch (end.state) {
    case RankState::Signaled:
      return fmt::format("signal {} ended it", end.code);
    case RankState::Aborted:
      return fmt::format("MPI was aborted with code {}", end.code);
    case RankState::Exited:
      return fmt::format("it ended with code {}", end.code);
    default:
      return "it was killed";
  }
}

std::string turn_text(TurnKind kind) {
  switch (kind) {
    case TurnKind::Call:
      return "the start of an MPI call";
    case TurnKind::Return:
      return "the return of an MPI call";
    case TurnKind::Local:
      return "a local MPI call";
    case TurnKind::Lock:
      return "a lock";
    case TurnKind::TryLock:
      return "an attempt to take a lock";
    case TurnKind::Condition:
      return "the end of a wait for a condition";
    case TurnKind::Semaphore:
      return "a wait for a semaphore";
    case TurnKind::Barrier:
      return "a barrier";
    case TurnKind::Once:
      return "a call of pthread_once";
    case TurnKind::Atomic:
      return "an atomic operation";
    case TurnKind::Chunk:
      return "a chunk of a parallel loop";
    case TurnKind::Single:
      return "a single construct";
    case TurnKind::Load:
      return "a load from a window";
    case TurnKind::kCount:
      break;
  }
  return "an unknown step";
}

// "MPI_Send at solver.c:31 (to 3, tag 5)"
std::string query_text(const std::string& directory, WorldRank rank, const Inquiry& query) {
  if (query.what >= kTurnQuery &&
      query.what < kTurnQuery + static_cast<std::uint32_t>(TurnKind::kCount))
    return turn_text(static_cast<TurnKind>(query.what - kTurnQuery));
  if (query.what >= kOtherQueries)
    return query.what == kLoadQuery ? "a load from shared memory"
                                    : "a query of a communicator or a clock";
  std::string text(traits(static_cast<Call>(query.what)).name);
  const auto trace = RankTrace::open(directory, rank);
  if (trace) {
    Symbolizer symbolizer;
    if (const std::string where =
            SiteText((*trace)->definitions(), symbolizer).location(query.site);
        !where.empty())
      text += " at " + where;
  }
  std::string given;
  for (const auto& [field, value] : query.fields) {
    if (field >= kFieldCount) continue;
    const FieldTraits& row = traits(static_cast<Field>(field));
    given += fmt::format("{}{} {}", given.empty() ? "" : ", ", row.label, value);
  }
  return given.empty() ? text : text + " (" + given + ")";
}

}  // namespace

std::string divergence_text(const std::string& run, const std::string& replay, WorldRank rank,
                            const Divergence& divergence) {
  const std::string asked = query_text(replay, rank, divergence.asked);
  if (divergence.expected.what == kDamagedQuery)
    return fmt::format("the record of rank {} is damaged at {}", rank.value, asked);
  if (divergence.expected.what == kLostPayload)
    return fmt::format(
        "rank {} waited for data from rank {} at {}, which never arrived: rank {} ended before it "
        "sent the data, or the disk is full",
        rank.value, divergence.expected.site.value, asked, divergence.expected.site.value);
  if (divergence.expected.what == kNoQuery) {
    const auto trace = RankTrace::open(run, rank);
    return fmt::format("rank {} replayed up to {}, which did not return in the recorded run{}",
                       rank.value, asked, trace ? ": " + end_words((*trace)->end()) : "");
  }
  if (divergence.stuck)
    return fmt::format(
        "rank {} diverged from the record: the next recorded step is {} of another thread, which "
        "does not come, while a thread waits at {}. Atomic operations have a recorded order only "
        "in code built with pfmpicc (docs/record-replay.md)",
        rank.value, query_text(run, rank, divergence.expected), asked);
  return fmt::format("rank {} diverged from the record at call {}: recorded {}, replayed {}",
                     rank.value, divergence.entry, query_text(run, rank, divergence.expected),
                     asked);
}

}  // namespace photofinish

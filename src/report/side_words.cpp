#include "report/side_words.h"

#include <fmt/format.h>

#include <iterator>

#include "frontend/shmem/table/shmem_call.h"

namespace photofinish {

bool is_local(const FindingSide& side) {
  return side.kind == AccessKind::Load || side.kind == AccessKind::Store;
}

bool is_plain(const FindingSide& side) {
  const Action action = traits(side.call).action;
  return is_local(side) && (action == Action::Load || action == Action::Store);
}

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

bool updates_work_array(const FindingSide& side) {
  const Action action = traits(side.call).action;
  return is_shmem(side.call) && side.kind == AccessKind::Accumulate && !is_one_sided(side.call) &&
         action != Action::PutSignal;
}

bool outlasts_call(const FindingSide& side) { return side.end > side.begin + 1; }

std::string name_of(Call call) { return std::string(traits(call).name); }

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

std::string with_article(const FindingSide& side) {
  return (is_buffer(side) ? "" : "the ") + noun(side);
}

std::string both(const FindingSide& a, const FindingSide& b) {
  if (noun(a) != noun(b)) return with_article(a) + " and " + with_article(b);
  return fmt::format("the two {}{}", noun(a), is_buffer(a) ? " calls" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string operation_text(ReduceOp op) {
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

std::string order_of_threads(const FindingSide& a, const FindingSide& b,
                             std::string_view completion) {
  const bool outlasts = (!is_plain(a) && outlasts_call(a)) || (!is_plain(b) && outlasts_call(b)) ||
                        !is_local(a) || !is_local(b);
  return fmt::format(
      "a thread synchronization (omp barrier, depend, a lock with a condition variable, join) "
      "between {}{}",
      both(a, b), outlasts ? completion : "");
}

}  // namespace photofinish

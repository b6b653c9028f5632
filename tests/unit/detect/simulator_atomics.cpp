// Memory that atomics act on, and what programs build from them: flags, counters, tickets, locks,
// queues.
#include "atomic_value.h"
#include "frontend/mpi/table/mpi_call.h"
#include "simulator_state.h"

namespace photofinish::testing {

std::uint64_t Simulator::read_memory(int rank, std::uint64_t address, std::size_t bytes) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    if (address + i - kMemory < kMemorySize)
      value |= std::uint64_t{memory_[static_cast<std::size_t>(rank)][address + i - kMemory]}
               << (8 * i);
  return value;
}

void Simulator::write_memory(int rank, std::uint64_t address, std::size_t bytes,
                             std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (address + i - kMemory < kMemorySize)
      memory_[static_cast<std::size_t>(rank)][address + i - kMemory] =
          static_cast<std::uint8_t>(value >> (8 * i));
}

void Simulator::scribble(int rank, std::uint64_t address, std::int64_t bytes, std::uint64_t value) {
  for (std::int64_t i = 0; i < bytes; ++i)
    write_memory(rank, address + static_cast<std::uint64_t>(i), 1, i == 0 ? value : 0);
}

void Simulator::apply(std::size_t last) {
  for (std::size_t i = 0; i <= last; ++i) {
    Operation& one = operations_[i];
    if (!one.atomic || one.applied || one.event.rank != operations_[last].event.rank ||
        one.target != operations_[last].target)
      continue;
    one.applied = true;
    const std::uint64_t old = read_memory(one.target, one.address, one.element.size);
    one.result = old;
    if (one.op == ReduceOp::CompareAndSwap && old != one.compare) continue;
    if (const auto made = value_after(one.op, one.element, old, one.operand))
      write_memory(one.target, one.address, one.element.size, *made);
  }
}

void Simulator::progress(const Step& step) {
  const int rank = below(ranks(), step.rank);
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (operations_[i].event.rank == rank && operations_[i].atomic && !operations_[i].applied)
      return apply(i);
}

bool Simulator::can_reach(const Window& window, int rank, int home) const {
  if (window.mode != Mode::Passive) return false;  // results are needed immediately
  const std::vector<int> reachable = targets(window, rank);
  return std::find(reachable.begin(), reachable.end(), home) != reachable.end();
}

// The result, if it was waited for.
std::optional<std::uint64_t> Simulator::atomic(int rank, Window& window, int home,
                                               std::uint64_t word, Call call, std::string_view op,
                                               std::uint64_t operand, std::uint64_t compare,
                                               bool complete, bool at_once) {
  const TypeRef type = script_.type(word % 2 == 0 ? "MPI_INT64_T" : "MPI_INT");
  const std::uint64_t mask = word % 2 == 0 ? ~std::uint64_t{0} : 0xffffffffu;
  OneSided given{.origin = {script_.fresh(8), 1, type},
                 .remote = {0, 1, type},
                 .op = op,
                 .operand = operand & mask,
                 .compare_with = compare & mask};
  if (traits(call).action != Action::Accumulate) given.result = {script_.fresh(8), 1, type};
  if (traits(call).action == Action::CompareAndSwap) given.compare = {script_.fresh(8), 1, type};
  const std::size_t made = *one_sided(rank, window, home, call, given, word_address(word), at_once);
  if (!complete) return {};
  if (traits(call).when == When::Starts) {
    Request& request = requests_.back();
    const Done done = this->complete(request);
    report(script_.wait(rank, MpiCall::MPI_Wait, {request.ref}, {done}), operations_[made], false);
  } else {
    flush(window, rank, home, static_cast<std::uint8_t>(word + operand));
  }
  return operations_[made].result;
}

// The critical section of a lock, or the data of a flag. It almost always completes before the lock
// is released.
void Simulator::guarded(int rank, Window& window, int home, std::uint64_t slot, std::uint8_t d) {
  const TypeRef type = script_.type("MPI_INT64_T");
  if (d % 4 != 0)
    one_sided(rank, window, home, d % 4 == 1 ? MpiCall::MPI_Get : MpiCall::MPI_Put,
              {.origin = {script_.fresh(8), 1, type}, .remote = {0, 1, type}, .op = "MPI_REPLACE"},
              slot_address(slot), false);
  if (d % 8 != 7) flush(window, rank, home, 0);
}

// Word 1: one rank sets it, others read it.
void Simulator::flag(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr) return;
  const auto& members = script_.members(window->comm);
  const int home = members[step.b % 2 % members.size()];
  if (!can_reach(*window, rank, home)) return;
  if (step.c % 4 == 0) {
    guarded(rank, *window, home, 0, step.d);
    const bool sum = step.c % 8 == 0;
    atomic(rank, *window, home, 1,
           step.c % 16 < 8 ? MpiCall::MPI_Accumulate : MpiCall::MPI_Fetch_and_op,
           sum ? "MPI_SUM" : "MPI_REPLACE", sum ? 1 : static_cast<std::uint64_t>(rank) + 1, 0,
           step.c % 16 >= 8, step.d % 2 == 0);
    return;
  }
  static constexpr Call kChecks[] = {MpiCall::MPI_Fetch_and_op, MpiCall::MPI_Get_accumulate,
                                     MpiCall::MPI_Rget_accumulate};
  const auto seen = atomic(rank, *window, home, 1, kChecks[step.c % 3],
                           step.c % 16 == 5 ? "MPI_SUM" : "MPI_NO_OP", 0, 0, true);
  if (seen && *seen != 0) guarded(rank, *window, home, 0, step.d);
}

// Words 2 and 3: the next ticket, and the ticket whose turn it is.
void Simulator::ticket(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr) return;
  const int home = script_.members(window->comm)[0];
  if (!can_reach(*window, rank, home)) return;
  Ticket& mine = tickets_[{rank, index_of(*window), home}];
  if (!mine.taken) {
    mine.taken = atomic(rank, *window, home, 2, MpiCall::MPI_Fetch_and_op, "MPI_SUM", 1, 0, true);
  } else if (!mine.inside) {
    const auto turn =
        atomic(rank, *window, home, 3,
               step.b % 2 == 0 ? MpiCall::MPI_Fetch_and_op : MpiCall::MPI_Get_accumulate,
               "MPI_NO_OP", 0, 0, true);
    mine.inside = turn && *turn == (*mine.taken & 0xffffffffu);
  } else {
    guarded(rank, *window, home, 1, step.d);
    if (step.b % 2 == 0)
      atomic(rank, *window, home, 3, MpiCall::MPI_Accumulate, "MPI_SUM", 1, 0, false,
             step.d % 2 == 0);
    else
      atomic(rank, *window, home, 3, MpiCall::MPI_Accumulate, "MPI_REPLACE", *mine.taken + 1, 0,
             false, step.d % 2 == 0);
    mine = {};
  }
}

// Word 0: acquired with compare-and-swap, released in one of several ways.
void Simulator::spin_lock(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr) return;
  const auto& members = script_.members(window->comm);
  const int home = members[step.b % 2 % members.size()];
  if (!can_reach(*window, rank, home)) return;
  bool& holds = spinning_[{rank, index_of(*window), home}];
  if (!holds) {
    holds = atomic(rank, *window, home, 0, MpiCall::MPI_Compare_and_swap, "MPI_REPLACE",
                   step.c % 2 == 0 ? 1 : static_cast<std::uint64_t>(rank) + 1, 0, true) == 0;
    return;
  }
  guarded(rank, *window, home, 2, step.d);
  if (step.c % 4 == 0)
    atomic(rank, *window, home, 0, MpiCall::MPI_Fetch_and_op, "MPI_REPLACE", 0, 0, true);
  else
    atomic(rank, *window, home, 0,
           step.c % 4 == 1 ? MpiCall::MPI_Raccumulate : MpiCall::MPI_Accumulate, "MPI_REPLACE", 0,
           0, false, step.d % 2 == 0);
  holds = false;
}

// An MCS lock. Word 4: the tail of the queue at the first rank, the go-ahead flag elsewhere. Word
// 5: the successor.
void Simulator::queue_lock(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || script_.members(window->comm).size() < 3) return;
  const int home = script_.members(window->comm)[0];
  if (rank == home || !can_reach(*window, rank, home) || !can_reach(*window, rank, rank)) return;
  Queued& mine = queued_[{rank, index_of(*window)}];
  const auto me = static_cast<std::uint64_t>(rank) + 1;
  switch (mine.state) {
    case Queued::Out: {
      const auto before =
          atomic(rank, *window, home, 4, MpiCall::MPI_Fetch_and_op, "MPI_REPLACE", me, 0, true);
      mine.before = static_cast<int>(before.value_or(0)) - 1;
      mine.state = mine.before >= 0 ? Queued::Linking : Queued::Holding;
      return;
    }
    case Queued::Linking:
      if (mine.before >= ranks() || !can_reach(*window, rank, mine.before)) return;
      atomic(rank, *window, mine.before, 5, MpiCall::MPI_Accumulate, "MPI_REPLACE", me, 0, false,
             step.d % 2 == 0);
      mine.state = Queued::Waiting;
      return;
    case Queued::Waiting: {
      const auto go =
          atomic(rank, *window, rank, 4, MpiCall::MPI_Fetch_and_op, "MPI_NO_OP", 0, 0, true);
      if (!go || *go == 0) return;
      atomic(rank, *window, rank, 4, MpiCall::MPI_Accumulate, "MPI_REPLACE", 0, 0, false, true);
      mine.state = Queued::Holding;
      return;
    }
    case Queued::Holding:
      guarded(rank, *window, home, 3, step.d);
      mine.state = Queued::Leaving;
      if (atomic(rank, *window, home, 4, MpiCall::MPI_Compare_and_swap, "MPI_REPLACE", 0, me,
                 true) == me)
        mine.state = Queued::Out;
      return;
    case Queued::Leaving: {
      const auto next =
          atomic(rank, *window, rank, 5, MpiCall::MPI_Fetch_and_op, "MPI_NO_OP", 0, 0, true);
      if (!next || *next == 0 || *next > static_cast<std::uint64_t>(ranks())) return;
      const int heir = static_cast<int>(*next) - 1;
      if (!can_reach(*window, rank, heir)) return;
      atomic(rank, *window, heir, 4, MpiCall::MPI_Accumulate, "MPI_REPLACE", 1, 0, false,
             step.d % 2 == 0);
      atomic(rank, *window, rank, 5, MpiCall::MPI_Accumulate, "MPI_REPLACE", 0, 0, false, true);
      mine.state = Queued::Out;
      return;
    }
  }
}

void Simulator::any_atomic(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr) return;
  const auto& members = script_.members(window->comm);
  const int home = members[step.b % members.size()];
  if (!can_reach(*window, rank, home)) return;
  static constexpr const char* kOps[] = {"MPI_SUM",  "MPI_REPLACE", "MPI_MAX",
                                         "MPI_BXOR", "MPI_SUM",     "MPI_NO_OP"};
  const char* const op = kOps[step.c % 6];
  const bool fetches = (step.c % 6 != 0 && step.c % 6 != 1) || step.d % 2 == 0;
  atomic(rank, *window, home, step.d / 2 % kWords,
         fetches ? MpiCall::MPI_Fetch_and_op : MpiCall::MPI_Accumulate, op, step.c % 4u, 0,
         fetches && step.d % 8 != 0, step.d % 16 < 8);
}

}  // namespace photofinish::testing

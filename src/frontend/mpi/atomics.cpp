// What one-sided atomics on one element wrote and read. The operand is read when the call returns, the result when the call that
// completes the atomic does: until then neither buffer is the program's.
#include <atomic>
#include <cstring>

#include "frontend/mpi/context.h"

namespace photofinish::mpi {
namespace {

// More than this in flight on one window are not followed: programs that synchronise wait for each.
constexpr std::size_t kMaxPending = 1024;

std::atomic<std::int64_t> g_atomics{0};

std::int64_t value_at(const void* address, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, address, bytes);
  return static_cast<std::int64_t>(value);
}

void add_result(Event& event, const PendingFetch& fetch) {
  event.numbers.push_back(fetch.number);
  event.numbers.push_back(value_at(fetch.result, fetch.bytes));
}

}  // namespace

void add_atomic(Context& c, Action action) {
  if (c.target_rank == MPI_PROC_NULL || c.target.count != 1) return;
  const std::size_t bytes = Objects::get().type(c.target.type)->atomic_bytes;
  if (bytes == 0) return;
  const bool fetches = action != Action::Accumulate;
  FieldSet& fields = c.event.fields;
  if (fetches && c.win->fetches.size() >= kMaxPending) return;
  const std::int64_t number = ++g_atomics;
  fields.set(Field::atomic, number);
  const bool has_operand = action == Action::CompareAndSwap || c.op != MPI_NO_OP;
  if (has_operand) fields.set(Field::operand, value_at(c.send.address, bytes));
  if (action == Action::CompareAndSwap) fields.set(Field::compare, value_at(c.compare, bytes));
  if (!fetches) return;
  const WorldRank target(static_cast<std::int32_t>(fields[Field::target]));
  std::lock_guard lock(c.win->lock);
  c.win->fetches.push_back({number, target, c.recv.address, bytes});
  if (c.new_request != nullptr) {
    c.new_request->fetch_of = c.win;
    c.new_request->fetch = number;
  }
}

void expect_results(Context& c) { c.event.more_numbers = 2 * c.win->fetches.size(); }

void add_results(Context& c, Action action) {
  if (c.win->fetches.empty()) return;
  const bool one_target = action == Action::Flush || action == Action::FlushLocal || action == Action::Unlock;
  if (action == Action::Fence && (c.event.fields[Field::assertion] & kNoPrecede) != 0) return;
  std::lock_guard lock(c.win->lock);
  std::erase_if(c.win->fetches, [&](const PendingFetch& fetch) {
    if (one_target && fetch.target.value != c.event.fields[Field::target]) return false;
    add_result(c.event, fetch);
    return true;
  });
}

void add_result_of(Context& c, const RequestRecord& record) {
  WinRecord& win = *record.fetch_of;
  std::lock_guard lock(win.lock);
  std::erase_if(win.fetches, [&](const PendingFetch& fetch) {
    if (fetch.number != record.fetch) return false;
    add_result(c.event, fetch);
    return true;
  });
}

}  // namespace photofinish::mpi

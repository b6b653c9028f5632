// Records the operands and results of one-sided atomics, element by element. The operand is read
// when the call returns, the result when the call that completes the atomic returns. Until then the
// program must not modify the origin buffer or read the result buffer.
#include <atomic>
#include <cstring>

#include "frontend/mpi/context.h"
#include "frontend/mpi/meaning/completion.h"
#include "model/atomic.h"

namespace photofinish::mpi {
namespace {

// If one window has more pending results than this, further ones are not recorded. Programs that
// synchronize with atomics wait for each result.
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

bool has_operand(const Context& c, Action action) {
  return action == Action::CompareAndSwap || c.op != MPI_NO_OP;
}

// Whether `count` elements of the type are atomic elements of `bytes` bytes, the first at the
// address that the call is given, without gaps.
bool side_by_side(MPI_Datatype handle, std::int64_t count, std::size_t bytes) {
  const TypeRecord* type = Objects::get().type(handle);
  return type->atomic_bytes == bytes &&
         (count == 1 || type->extent == static_cast<std::int64_t>(bytes));
}

// The number of elements of `bytes` bytes that the operation has; 0 if they cannot be recorded. A
// request can store only one result.
std::int64_t elements_of(const Context& c, Action action, std::size_t bytes) {
  const std::int64_t count = c.target.count;
  if (bytes == 0) return 0;
  const bool fetches = action != Action::Accumulate, operand = has_operand(c, action);
  if (count > (operand ? kMaxAtomicOperands : kMaxAtomicElements) ||
      (count > 1 && fetches && c.new_request != nullptr))
    return 0;
  const auto holds = [&](const BufferArguments& buffer) {
    return buffer.count == count && side_by_side(buffer.type, count, bytes);
  };
  if ((operand && !holds(c.send)) || (fetches && !holds(c.recv))) return 0;
  return side_by_side(c.target.type, count, bytes) ? count : 0;
}

}  // namespace

void add_atomic(Context& c, Action action) {
  if (c.target_rank == MPI_PROC_NULL) return;
  const std::size_t bytes = Objects::get().type(c.target.type)->atomic_bytes;
  const std::int64_t elements = elements_of(c, action, bytes);
  if (elements == 0) return;
  const bool fetches = action != Action::Accumulate;
  FieldSet& fields = c.event.fields;
  std::unique_lock lock(c.win->lock, std::defer_lock);
  if (fetches) {
    lock.lock();
    if (c.win->fetches.size() + static_cast<std::size_t>(elements) > kMaxPending) return;
  }
  const std::int64_t number = g_atomics.fetch_add(elements) + 1;
  fields.set(Field::atomic, number);
  const auto element = [&](const void* of, std::int64_t i) {
    return static_cast<const char*>(of) + static_cast<std::size_t>(i) * bytes;
  };
  if (has_operand(c, action)) {
    fields.set(Field::operand, value_at(c.send.address, bytes));
    for (std::int64_t i = 1; i < elements; ++i)
      c.event.numbers.push_back(value_at(element(c.send.address, i), bytes));
  }
  if (action == Action::CompareAndSwap) fields.set(Field::compare, value_at(c.compare, bytes));
  if (!fetches) return;
  const WorldRank target = fields.rank(Field::target);
  for (std::int64_t i = 0; i < elements; ++i)
    c.win->fetches.push_back({number + i, target, element(c.recv.address, i), bytes});
  if (c.new_request != nullptr) {
    c.new_request->rare().fetch_of = c.win;
    c.new_request->rare().fetch = number;
  }
}

// What other threads start while the call runs is not completed by it.
void expect_results(Context& c) {
  std::lock_guard lock(c.win->lock);
  c.event.more_numbers = 2 * c.win->fetches.size();
  c.last_expected = c.win->fetches.empty() ? 0 : c.win->fetches.back().number;
}

void add_results(Context& c) {
  if (c.last_expected == 0) return;
  const auto rule = mpi_meaning::completion_of(c.event);
  if (!rule) return;
  const bool one_target = rule->targets == mpi_meaning::CompletionRule::Targets::One;
  std::lock_guard lock(c.win->lock);
  std::erase_if(c.win->fetches, [&](const PendingFetch& fetch) {
    if (fetch.number > c.last_expected) return false;
    if (one_target && fetch.target.value != c.event.fields[Field::target]) return false;
    add_result(c.event, fetch);
    return true;
  });
}

void add_result_of(Context& c, const RequestRecord& record) {
  WinRecord& win = *record.rare().fetch_of;
  std::lock_guard lock(win.lock);
  std::erase_if(win.fetches, [&](const PendingFetch& fetch) {
    if (fetch.number != record.rare().fetch) return false;
    add_result(c.event, fetch);
    return true;
  });
}

}  // namespace photofinish::mpi

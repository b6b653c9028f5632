// Accesses of calls in a confirming run: the bytes they access, when they are issued, and when they
// are complete.
#include <algorithm>
#include <utility>

#include "steering/step.h"

namespace photofinish {
namespace {

constexpr std::uint32_t kOverdueUnits = 100;  // of pause_ms

// Whether a side of this kind accesses such a buffer of a call.
bool is_of_kind(BufferUse use, AccessKind kind) {
  switch (use) {
    case BufferUse::Read:
      return kind == AccessKind::Load;
    case BufferUse::Write:
      return kind == AccessKind::Store;
    case BufferUse::ReadWrite:
      return kind == AccessKind::Load || kind == AccessKind::Store;
    default:
      return in_target(kind);
  }
}

}  // namespace

TableEntry Steering::make_access(std::uint32_t sides) {
  count_arrival(sides, false);
  return make_entry(side_of_rank(schedule_, rank_, sides));
}

const ScheduledSide& Steering::side_of(const TableEntry& access) const {
  return schedule_.sides[access.sides == 2 ? 1 : 0];
}

void Steering::add_buffers(TableEntry& access, const std::vector<Buffer>& buffers, AccessKind kind,
                           std::int64_t base, std::int64_t unit) const {
  for (const Buffer& buffer : buffers) {
    if (!is_of_kind(buffer.access, kind)) continue;
    const std::int64_t at = base + static_cast<std::int64_t>(buffer.address) * unit;
    if (buffer.type == TypeId(0)) {
      add_piece(access, {at, buffer.count, {}});
      continue;
    }
    DataMap map;
    host_.read_definitions([&](const Definitions& known) {
      if (const auto type = known.types.find(buffer.type); type != known.types.end())
        map = repeated(type->second.map, buffer.count);
    });
    for (const Strided& strided : map.footprint)
      add_piece(access, {strided.offset + at, strided.length, strided.dimensions});
  }
}

void Steering::reach(TableEntry& access, const How& how) {
  Step& step = t_step;
  step.sides = access.sides;
  step.first_side = access.sides == 1u << schedule_.first;
  step.turn = reach_site(access, how.stays_pending, step.slot);
  if (step.turn == Turn::Second) wait_for_first();
  if (step.turn != Turn::Proceed) stop_for_debugger();
  if (step.turn != Turn::Entered) return;
  step.entered = true;
  if (!how.is_deferrable || access.sides != 1u << (1 - schedule_.first)) return;
  // It goes second, and no other task is there yet: it is deferred until it must be complete.
  with_table([&](RendezvousTable& table) {
    step.turn = turn_at(table, step.slot, rank_.value, access.task);
    t_meeting = table.number;
    TableEntry* const entry = own_entry(table, step.slot, rank_.value, access.task);
    if (step.turn != Turn::Entered || entry == nullptr) return;
    entry->state = EntryState::Pending;
    entry->steerable = 1;
    step.deferred = true;
  });
  if (step.turn == Turn::Second) wait_for_first();
}

bool Steering::goes_first() const {
  return t_step.turn == Turn::First || (t_step.turn == Turn::Entered && t_step.first_side);
}
bool Steering::is_deferred() const { return t_step.deferred; }
bool Steering::is_complete() const { return t_step.complete; }
bool Steering::second_is_in_target() const {
  return in_target(schedule_.sides[1 - schedule_.first].kind);
}

void Steering::defer(PendingOperation operation) {
  t_step.entered = false;
  operation.slot = t_step.slot;
  deferred_since_ = wait_ns();
  restart_quiet();
  std::lock_guard lock(mutex_);
  pending_.push_back(std::move(operation));
}

void Steering::precede(const CallEffect& call) {
  if (schedule_.kind != RaceKind::Memory || pending_.empty()) return;
  before_completion(call);
  issue_deferred(call);
}

// Before what is in operation is complete is the last chance for the other side to come.
void Steering::before_completion(const CallEffect& call) {
  if (is_settled()) return;
  std::optional<std::uint32_t> slot;
  {
    std::lock_guard lock(mutex_);
    for (const PendingOperation& operation : pending_)
      if (!slot &&
          (call.completes(operation, must_issue_locally(operation)) ||
           (operation.later && call.may_wait_for(operation))) &&
          table_->entries[operation.slot].meetings == 0)
        slot = operation.slot;
  }
  if (slot && wants_to_wait(1)) pause(schedule_.pause_ms, *slot);
}

// The program may wait for the effect of an operation that no call has to follow: it reads the
// buffer until the data is there.
bool Steering::is_overdue(const PendingOperation& operation) {
  return operation.lets_calls_pass && !is_settled() &&
         wait_ns() - deferred_since_ > kOverdueUnits * schedule_.unit_ms * kMs &&
         (schedule_.threads || all_others_wait());
}

// Issues deferred operations: before they must be complete, before calls that may not precede them,
// and, if one instance is steered, once the other access is complete.
void Steering::issue_deferred(const CallEffect& call) {
  std::vector<std::function<void()>> due;
  {
    const bool met = is_settled();
    std::lock_guard lock(mutex_);
    due.reserve(pending_.size());
    for (PendingOperation& operation : pending_) {
      if (!operation.later) continue;
      if (!met && !call.must_follow(operation) && !call.may_wait_for(operation) &&
          !call.completes(operation, must_issue_locally(operation)) && !is_overdue(operation))
        continue;
      due.push_back(std::exchange(operation.later, nullptr));
      if (!met && !call.completes(operation, operation.over_locally))
        // pending, and no longer deferred
        with_table([&](RendezvousTable& table) { table.entries[operation.slot].steerable = 0; });
    }
  }
  issue(due);
}

void Steering::issue_all() {
  std::vector<std::function<void()>> due;
  {
    const bool met = is_settled();
    std::lock_guard lock(mutex_);
    due.reserve(pending_.size());
    for (PendingOperation& operation : pending_) {
      if (!operation.later) continue;
      due.push_back(std::exchange(operation.later, nullptr));
      if (!met)
        with_table([&](RendezvousTable& table) { table.entries[operation.slot].steerable = 0; });
    }
  }
  issue(due);
}

// The calls are made, whatever fails in between.
void Steering::issue(const std::vector<std::function<void()>>& due) {
  if (due.empty()) return;
  const auto make = [&] {
    for (const auto& call : due) call();
  };
  try {
    Turn turn = Turn::Entered;
    with_table([&](RendezvousTable& table) {
      turn = turn_of(table, rank_.value, task_number());
      t_meeting = table.number;
    });
    if (turn == Turn::Second) wait_for_first();
  } catch (const std::exception&) {
    make();
    throw;
  }
  make();
}

bool Steering::has_deferred() {
  std::lock_guard lock(mutex_);
  return std::any_of(pending_.begin(), pending_.end(), [](const PendingOperation& operation) {
    return static_cast<bool>(operation.later);
  });
}

void Steering::issue_if_late() {
  if (pending_.empty() || !has_deferred()) return;
  if (is_settled() || wait_ns() - deferred_since_ > schedule_.pause_ms * kMs || all_others_wait())
    issue_all();
}

// Most waits are short: sleeping in each would cost more than the wait.
void Steering::wait_while_deferring(const std::function<bool()>& is_over) {
  constexpr int kShort = 200;
  begin_pause();
  for (int tries = 0; !is_over(); ++tries) {
    issue_if_late();
    if (tries >= kShort) {
      make_progress();
      continue;
    }
    if (channel_ == nullptr && host_.may_call()) host_.progress();
    std::this_thread::yield();
  }
  end_pause();
}

void Steering::give_up(bool last) {
  for (PendingOperation& operation : pending_)
    if (operation.later) std::exchange(operation.later, nullptr)();
  if (channel_ != nullptr && last) channel_->finish();
}

void Steering::leave(const CallEffect& effect, const std::function<bool()>& complete,
                     const std::function<PendingOperation()>& pending) {
  Step& step = t_step;
  if (step.turn == Turn::First) {
    step.complete = complete();
    if (!step.complete)
      with_table([](RendezvousTable& table) {
        if (table.number == t_meeting) table.forced = 0;
      });
    first_is_done();
  } else if (step.entered && step.turn == Turn::Entered) {
    step.complete = step.first_side && complete();
    Turn turn = Turn::Entered;
    with_table([&](RendezvousTable& table) {
      turn = turn_at(table, step.slot, rank_.value, task_number());
      t_meeting = table.number;
      TableEntry* const entry = own_entry(table, step.slot, rank_.value, task_number());
      if (entry == nullptr) return;
      entry->state = turn == Turn::Entered ? EntryState::Pending : EntryState::Free;
      entry->steerable = step.complete ? 1 : 0;
    });
    if (turn == Turn::First) first_is_done();
    if (turn == Turn::Entered) {
      PendingOperation operation = pending();
      operation.slot = step.slot;
      std::lock_guard lock(mutex_);
      pending_.push_back(std::move(operation));
    }
  }
  if (pending_.empty()) return;
  retire(effect);
  if (!step.entered) complete_pending();
}

// An operation that is to go first may need a later call of its own rank to be complete: a message
// that both ranks send after they have started their receives.
void Steering::complete_pending() {
  if (is_settled()) return;
  std::vector<PendingOperation> open;
  {
    std::lock_guard lock(mutex_);
    for (const PendingOperation& operation : pending_)
      if (const TableEntry& entry = table_->entries[operation.slot];
          operation.is_complete && entry.task == task_number() && entry.steerable == 0 &&
          entry.meetings == 0)
        open.push_back(operation);
  }
  for (const PendingOperation& operation : open) {
    if (result_->paused_ns > schedule_.patience_ms * kMs) return;
    const std::uint64_t since = wait_ns();
    const bool complete = await_completion(operation.is_complete, schedule_.pause_ms);
    std::lock_guard lock(mutex_);
    if (!complete) result_->paused_ns += wait_ns() - since;
    if (complete)
      with_table([&](RendezvousTable& table) {
        if (TableEntry& entry = table.entries[operation.slot]; entry.meetings == 0)
          entry.steerable = 1;
      });
  }
}

// Removes the entries of operations that the call has completed.
void Steering::retire(const CallEffect& effect) {
  std::lock_guard lock(mutex_);
  std::erase_if(pending_, [&](const PendingOperation& operation) {
    if (!effect.has_completed(operation)) return false;
    with_table(
        [&](RendezvousTable& table) { table.entries[operation.slot].state = EntryState::Free; });
    return true;
  });
}

}  // namespace photofinish

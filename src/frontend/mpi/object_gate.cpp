#include "frontend/mpi/object_gate.h"

#include <atomic>
#include <thread>

#include "base/ticks.h"
#include "confirm/schedule.h"
#include "explore/matching.h"
#include "frontend/mpi/real.h"
#include "model/scopes.h"
#include "order/keys.h"

namespace photofinish::mpi {
namespace {

constexpr std::uint64_t kMostWaitNs = 60'000'000'000, kMostHoldNs = 10'000'000'000;

std::uint64_t line_of(std::uint64_t win, std::int32_t target, std::uint64_t displacement,
                      bool is_lock) {
  return edge_key(is_lock ? Channel::Lock : Channel::Atomic, win,
                  static_cast<std::uint32_t>(target), displacement) |
         kObjectLine;
}

}  // namespace

ObjectGate* ObjectGate::instance_ = nullptr;

void ObjectGate::start(const std::string& directory, WorldRank rank) {
  auto* const gate = new ObjectGate;
  gate->log_ =
      static_cast<ObjectLog*>(map_shared_file(directory + kObjectLogFile, sizeof(ObjectLog)));
  gate->rank_ = rank.value;
  if (const auto orders = read_object_orders(directory))
    for (const ObjectOrder& order : *orders) gate->prescribed_[order.line] = order.ranks;
  if (gate->log_ != nullptr) instance_ = gate;
}

bool ObjectGate::take() {
  std::atomic_ref<std::uint32_t> taken(log_->taken);
  std::uint32_t free = 0;
  return taken.compare_exchange_strong(free, 1, std::memory_order_acquire);
}

void ObjectGate::give_back() {
  std::atomic_ref<std::uint32_t>(log_->taken).store(0, std::memory_order_release);
}

// With the log taken.
void ObjectGate::append(ObjectLogEntry::Kind kind) {
  if (log_->count == ObjectLog::kMost) {
    log_->full = 1;
    return;
  }
  now_.kind = kind;
  log_->entries[log_->count] = now_;
  ++log_->count;
}

void ObjectGate::read_new() {
  for (; read_ < log_->count; ++read_) {
    const ObjectLogEntry& entry = log_->entries[read_];
    if (entry.kind == ObjectLogEntry::Kind::Serve) ++served_[entry.line];
    if (entry.kind == ObjectLogEntry::Kind::Serve && entry.is_lock != 0) held_.insert(entry.line);
    if (entry.kind == ObjectLogEntry::Kind::Unlock) held_.erase(entry.line);
  }
}

// With the log taken.
bool ObjectGate::may_pass(bool is_lock) {
  read_new();
  if (is_lock && held_.contains(now_.line)) return false;
  const auto order = prescribed_.find(now_.line);
  const std::size_t next = served_[now_.line];
  return order == prescribed_.end() || next >= order->second.size() || order->second[next] < 0 ||
         order->second[next] == rank_;
}

std::pair<std::uint64_t, std::int32_t> ObjectGate::epoch_of(const Context& c) const {
  const bool all = !c.event.fields.has(Field::target);
  return {c.win->definition.uid.value,
          all ? kAnySource.value : static_cast<std::int32_t>(c.event.fields[Field::target])};
}

void ObjectGate::enter(Context& c, const std::function<void()>& progress) {
  const auto& [name, action, when] = traits(c.call);
  if (!may_use_object(action)) return;
  ++ordinal_;
  if (c.win == nullptr || given_up_) return;
  const auto epoch = epoch_of(c);
  const bool is_lock = action == Action::Lock;
  const bool is_gated_lock = is_lock && c.event.fields[Field::lock] == kExclusiveLock &&
                             (c.event.fields[Field::assertion] & kNoCheck) == 0;
  const bool is_operation =
      is_atomic(action) && when == When::Returns &&
      (epochs_.contains(epoch) || epochs_.contains({epoch.first, kAnySource.value}));
  // What an exclusive lock protects has its order from the lock.
  if (!is_gated_lock && (!is_operation || exclusive_.contains(epoch))) return;
  now_ = {};
  now_.ordinal = ordinal_;
  now_.rank = rank_;
  now_.target = epoch.second;
  now_.displacement = is_lock ? 0 : c.target.displacement;
  now_.is_lock = is_lock ? 1 : 0;
  now_.line = line_of(epoch.first, now_.target, now_.displacement, is_lock);
  const std::uint64_t since = clock_ns(CLOCK_MONOTONIC);
  for (bool requested = false;;) {
    if (take()) {
      if (!requested) append(ObjectLogEntry::Kind::Request);
      requested = true;
      if (may_pass(is_lock)) {
        if (is_lock) {
          append(ObjectLogEntry::Kind::Serve);
          exclusive_.insert(epoch);
          give_back();
        } else {
          operates_ = true;
        }
        return;
      }
      give_back();
    }
    progress();
    if (clock_ns(CLOCK_MONOTONIC) - since > (requested ? kMostWaitNs : kMostHoldNs)) {
      given_up_ = true;
      return;
    }
  }
}

void ObjectGate::leave(Context& c) {
  const Action action = traits(c.call).action;
  if (operates_) {
    REAL(PMPI_Win_flush)(c.target_rank, c.win->handle);
    append(ObjectLogEntry::Kind::Serve);
    operates_ = false;
    give_back();
  }
  if (c.win == nullptr) return;
  if (action == Action::Lock || action == Action::LockAll) epochs_.insert(epoch_of(c));
  if (action != Action::Unlock && action != Action::UnlockAll) return;
  const auto epoch = epoch_of(c);
  epochs_.erase(epoch);
  if (exclusive_.erase(epoch) == 0) return;
  now_ = {};
  now_.ordinal = ordinal_;
  now_.rank = rank_;
  now_.target = epoch.second;
  now_.is_lock = 1;
  now_.line = line_of(epoch.first, epoch.second, 0, true);
  const std::uint64_t since = clock_ns(CLOCK_MONOTONIC);
  while (!take()) {
    if (clock_ns(CLOCK_MONOTONIC) - since > kMostHoldNs) {
      given_up_ = true;
      return;
    }
    std::this_thread::yield();
  }
  append(ObjectLogEntry::Kind::Unlock);
  give_back();
}

}  // namespace photofinish::mpi

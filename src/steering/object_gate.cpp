#include "steering/object_gate.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/ticks.h"
#include "confirm/schedule.h"
#include "explore/matching.h"
#include "order/keys.h"
#include "steering/steering.h"
#include "steering/step.h"

namespace photofinish {
namespace {

using Kind = ObjectLogEntry::Kind;

constexpr std::uint64_t kMostHoldNs = 10'000'000'000, kMostLockNs = 600'000'000'000;
constexpr unsigned kMostPace = 20;  // of 100 us: between two repetitions

// A call that changed nothing.
struct Polled {
  std::uint64_t line = 0, repeats = 0, returned = 0;
  std::uint32_t since = 0;  // entries of the log
  unsigned times = 0;       // it was repeated
  std::uint32_t entry = 0;  // of the first repetition
};

// Of a thread.
struct State {
  std::uint64_t ordinal = 0;
  ObjectLogEntry now{};  // the call that has entered
  std::uint64_t repeats = 0;
  bool is_repetition = false;
  std::optional<Polled> polled;
  bool polls = false;  // it repeats, and counts as waiting
};
thread_local State t_state;
std::atomic<std::uint64_t> g_ordinal{0};

}  // namespace

ObjectGate* ObjectGate::instance_ = nullptr;

void ObjectGate::start(const std::string& directory, Steering& steering) {
  auto* const gate = new ObjectGate(steering);
  gate->log_ =
      static_cast<ObjectLog*>(map_shared_file(directory + kObjectLogFile, sizeof(ObjectLog)));
  gate->rank_ = steering.rank().value;
  if (const auto orders = read_object_orders(directory))
    for (const ObjectOrder& order : *orders) gate->prescribed_[order.line] = order.ranks;
  if (gate->log_ != nullptr) instance_ = gate;
}

std::uint64_t ObjectGate::Turn::line_of(const Turn& turn) {
  return edge_key(turn.type == SharedObject::Word ? Channel::Atomic : Channel::Lock, turn.object,
                  static_cast<std::uint32_t>(turn.target), turn.displacement) |
         kObjectLine;
}

bool ObjectGate::take() {
  std::atomic_ref<std::uint32_t> taken(log_->taken);
  std::uint32_t free = 0;
  return taken.compare_exchange_strong(free, 1, std::memory_order_acquire);
}

bool ObjectGate::take_soon() {
  const std::uint64_t since = clock_ns(CLOCK_MONOTONIC);
  while (!take()) {
    if (clock_ns(CLOCK_MONOTONIC) - since > kMostHoldNs) {
      stop_controlling();
      return false;
    }
    // The one that has it may need this rank's progress.
    steering_.make_progress();
  }
  return true;
}

void ObjectGate::give_back() {
  std::atomic_ref<std::uint32_t>(log_->taken).store(0, std::memory_order_release);
}

// With the log taken.
void ObjectGate::append(ObjectLogEntry& entry, Kind kind) {
  if (log_->count == ObjectLog::kMost) {
    log_->full = 1;
    return;
  }
  entry.kind = kind;
  log_->entries[log_->count] = entry;
  ++log_->count;
}

void ObjectGate::read_new() {
  for (; read_ < log_->count; ++read_) {
    const ObjectLogEntry& entry = log_->entries[read_];
    if (entry.has_value != 0) valued_.insert(entry.line);
    if (entry.kind != Kind::Serve && entry.kind != Kind::Unlock) continue;
    if (entry.kind == Kind::Serve) ++served_[entry.line];
    if (entry.effect != Effect::None) changes_[entry.line].push_back(read_);
    if (entry.effect == Effect::Lock) held_.insert(entry.line);
    if (entry.effect == Effect::Unlock) held_.erase(entry.line);
  }
}

// With the log taken.
bool ObjectGate::may_pass(const Turn& turn, std::uint64_t line) {
  if (turn.effect == Effect::Lock && held_.contains(line)) return false;
  const auto order = prescribed_.find(line);
  const std::size_t next = served_[line];
  return order == prescribed_.end() || next >= order->second.size() || order->second[next] < 0 ||
         order->second[next] == rank_;
}

// 1 + the index of the first entry that changed the object since; 0: none.
std::uint32_t ObjectGate::first_change(std::uint64_t line, std::uint32_t since) const {
  const auto found = changes_.find(line);
  if (found == changes_.end()) return 0;
  const auto first = std::lower_bound(found->second.begin(), found->second.end(), since);
  return first != found->second.end() ? *first + 1 : 0;
}

ObjectLogEntry ObjectGate::entry_of(const Turn& turn) const {
  ObjectLogEntry entry{};
  entry.line = Turn::line_of(turn);
  entry.ordinal = t_state.ordinal;
  entry.object = turn.object;
  entry.displacement = turn.displacement;
  entry.rank = rank_;
  entry.target = turn.target;
  entry.effect = turn.effect;
  entry.type = turn.type;
  return entry;
}

void ObjectGate::begin_call(Call call, bool passes) {
  if (may_use_object(call)) {
    t_state.ordinal = ++g_ordinal;
    return;
  }
  if (passes) return;
  end_polling();
  t_state.polled.reset();
}

void ObjectGate::end_polling() {
  if (t_state.polls) steering_.end_pause();
  t_state.polls = false;
}

void ObjectGate::stop_controlling() {
  given_up_ = true;
  std::atomic_ref<std::uint32_t>(log_->given_up).store(1, std::memory_order_relaxed);
}

void ObjectGate::give_up() {
  stop_controlling();
  t_state.polls = false;
  steering_.end_pause();
}

bool ObjectGate::enter(const Turn& turn) {
  State& state = t_state;
  if (given_up_) return false;
  state.now = entry_of(turn);
  state.repeats = turn.repeats;
  state.is_repetition = false;
  const std::uint64_t line = state.now.line;
  const bool polls_again = turn.repeats != 0 && state.polled && state.polled->line == line &&
                           state.polled->repeats == turn.repeats;
  if (!polls_again) {
    end_polling();
    state.polled.reset();
  }
  if (!state.polls) steering_.begin_pause();
  const std::uint64_t since = clock_ns(CLOCK_MONOTONIC);
  std::uint64_t limit = kMostHoldNs;
  for (bool requested = false;;) {
    if (take()) {
      read_new();
      if (!requested && polls_again) {
        state.now.follows = first_change(line, state.polled->since);
        state.is_repetition = state.now.follows == 0;
        if (state.is_repetition) {
          add_initial(turn, state.now);
          state.polls = true;
          return true;
        }
      }
      if (!requested) append(state.now, Kind::Request);
      requested = true;
      if (may_pass(turn, line)) {
        add_initial(turn, state.now);
        state.polls = false;
        steering_.end_pause();
        return true;
      }
      const bool is_held = turn.effect == Effect::Lock && held_.contains(line);
      limit = is_held ? kMostLockNs : steering_.schedule().pause_ms * kMs;
      give_back();
    }
    steering_.make_progress();
    if (clock_ns(CLOCK_MONOTONIC) - since > limit) {
      give_up();
      return false;
    }
  }
}

void ObjectGate::leave(const Result& result) {
  State& state = t_state;
  if (state.is_repetition && result.effect == Effect::None &&
      result.returned == state.polled->returned) {
    // One entry for all: its value is the ordinal of the last one.
    state.now.value = state.now.ordinal;
    if (state.polled->times == 0) {
      state.polled->entry = log_->count;
      append(state.now, Kind::Repeat);
    } else if (state.polled->entry < log_->count) {
      log_->entries[state.polled->entry].value = state.now.ordinal;
    }
    give_back();
    const unsigned pace = std::min(++state.polled->times, kMostPace);
    steering_.make_progress();
    std::this_thread::sleep_for(std::chrono::microseconds(100 * pace));
    return;
  }
  // A repetition with another result: a change that is not controlled.
  if (state.is_repetition) append(state.now, Kind::Request);
  end_polling();
  state.polled.reset();
  state.now.effect = result.effect;
  state.now.follows = 0;
  state.now.has_value = result.value ? 1 : 0;
  state.now.value = result.value.value_or(0);
  append(state.now, Kind::Serve);
  if (state.repeats != 0 && result.effect == Effect::None)
    state.polled = Polled{state.now.line, state.repeats, result.returned, log_->count, 0};
  give_back();
}

// With the log taken, before a word changes.
void ObjectGate::add_initial(const Turn& turn, ObjectLogEntry& entry) {
  if (turn.value == nullptr || valued_.contains(entry.line)) return;
  entry.initial = turn.value();
  entry.has_initial = 1;
}

void ObjectGate::unlocked(const Turn& turn) {
  if (given_up_ || !take_soon()) return;
  ObjectLogEntry entry = entry_of(turn);
  append(entry, Kind::Unlock);
  give_back();
}

void ObjectGate::about_to_write(const Turn& word, std::uint64_t value) {
  if (given_up_ || !take_soon()) return;
  read_new();
  ObjectLogEntry entry = entry_of(word);
  add_initial(word, entry);
  entry.value = value;
  entry.has_value = 1;
  append(entry, Kind::Write);
  give_back();
}

std::uint32_t ObjectGate::now() {
  return std::atomic_ref<std::uint32_t>(log_->count).load(std::memory_order_acquire);
}

// A store is logged before it is made. 1 + the index of the only one that satisfies the condition,
// and was logged before the wait began; 0: there is none, or there are several.
std::uint32_t ObjectGate::arriving_write(std::uint64_t line, std::uint32_t since,
                                         const Satisfies& satisfies) const {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < since; ++i) {
    const ObjectLogEntry& entry = log_->entries[i];
    if (entry.line != line || entry.kind != Kind::Write || !satisfies(entry.value)) continue;
    if (found != 0) return 0;
    found = i + 1;
  }
  return found;
}

// The wait is over because of the first entry that satisfies the condition, behind the last one
// that does not. Without a certain one there is no order, and the search may prescribe what cannot
// happen.
void ObjectGate::observed(const Turn& word, std::uint32_t since, bool before,
                          const Satisfies& satisfies) {
  if (given_up_ || !take_soon()) return;
  ObjectLogEntry entry = entry_of(word);
  bool unsatisfied = !before;  // so far
  for (std::uint32_t i = before ? 0 : since; i < (before ? since : log_->count); ++i) {
    const ObjectLogEntry& other = log_->entries[i];
    if (other.line != entry.line || other.has_value == 0) continue;
    if (before && other.has_initial != 0) unsatisfied = !satisfies(other.initial);
    const bool fits = satisfies(other.value);
    if (fits && unsatisfied) entry.follows = i + 1;
    if (!fits) entry.follows = 0;
    if (fits && unsatisfied && !before) break;
    unsatisfied = !fits;
  }
  if (entry.follows == 0 && !before) entry.follows = arriving_write(entry.line, since, satisfies);
  if (entry.follows != 0) append(entry, Kind::Observe);
  give_back();
}

}  // namespace photofinish

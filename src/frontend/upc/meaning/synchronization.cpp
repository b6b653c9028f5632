// Barriers, collectives, locks, semaphores, and the reuse of memory.
//
// The k-th barrier of all threads is one, in either form: upc_barrier, or upc_notify and upc_wait.
// If all use upc_barrier, it is a sync point. Otherwise it is split: an edge from each thread's
// upc_notify (or upc_barrier) to each upc_wait.
//
//   thread 0:  x = 1   notify             wait
//   thread 1:          notify   read x    wait    a race: the read precedes the wait
//
// A lock protects what is begun and complete while it is held. Its turns are ordered, too: programs
// pass data on under a lock.
#include "frontend/upc/meaning/meaning.h"
#include "order/keys.h"

namespace photofinish::upc_meaning {
namespace {

// Numbers of keys of one channel.
constexpr std::uint64_t kBarrier = 0x55504301, kData = 0x55504302, kSteps = 0x55504303,
                        kUnits = 0x55504304, kBlocks = 0x55504305;
// Modes of a collective, as upc_collective.h numbers them.
constexpr std::int64_t kInNoSync = 1 << 2, kOutNoSync = 1 << 5;

}  // namespace

std::uint64_t UpcMeaning::barrier_key() const {
  return edge_key(Channel::Collective, kBarrier, barriers_);
}

// For the message analysis: in one call or in two, each thread waits for all threads.
void UpcMeaning::report_steps(const Event& event, bool releases, bool acquires) {
  if (releases) ++calls_;
  if (effects_.sink() == nullptr) return;
  if (all_.empty())
    for (std::int32_t rank = 0; rank < effects_.world_size(); ++rank) all_.emplace_back(rank);
  const std::uint64_t key = edge_key(Channel::Collective, kSteps, calls_);
  const auto step_of = [&](MessageStep::Kind kind) {
    MessageStep step = effects_.message_step(kind, event.site);
    step.key = key;
    step.carries = true;
    step.returned = event.returned;
    return step;
  };
  if (releases) {
    MessageStep step = step_of(MessageStep::Kind::Release);
    step.others = static_cast<std::uint32_t>(all_.size());
    effects_.sink()->step(std::move(step));
  }
  if (!acquires) return;
  MessageStep step = step_of(MessageStep::Kind::Acquire);
  step.from = {std::shared_ptr<const void>(), &all_};  // not owned: it outlives the step
  effects_.sink()->step(std::move(step));
}

void UpcMeaning::synchronize_all(const Event& event) {
  report_steps(event, true, true);
  effects_.sync_point();
}

void UpcMeaning::barrier(const Event& event) {
  ++barriers_;
  report_steps(event, true, true);
  if (event.fields[Field::flag] == 0) return effects_.sync_point();
  effects_.release(barrier_key());
  effects_.acquire(barrier_key());
}

void UpcMeaning::notify(const Event& event) {
  ++barriers_;
  report_steps(event, true, false);
  effects_.release(barrier_key());
}

void UpcMeaning::wait(const Event& event) {
  report_steps(event, false, true);
  effects_.acquire(barrier_key());
}

// Data flows from each thread that reads its part to each that writes one. A permutation and a
// prefix reduction need not reach all.
//
// With UPC_IN_NOSYNC, a part may be read before its thread has entered; with UPC_OUT_NOSYNC, a
// thread may return before its part is written. Then the data orders nothing:
//
//   thread 0:  x = 1   broadcast x
//   thread 1:          broadcast x    a race: it may read x before thread 0 stores it
void UpcMeaning::collective(const Event& event) {
  effects_.close_now(effects_.buffers_of(event, false), event.site);
  const std::uint64_t key = edge_key(Channel::Collective, kData, ++collectives_);
  if ((event.fields[Field::value] & (kInNoSync | kOutNoSync)) != 0) return;
  const std::int64_t root = event.fields.has(Field::root) ? event.fields[Field::root] : -1;
  const bool is_root = root == effects_.rank().value;
  switch (traits(event.call).action) {
    case Action::Bcast:
    case Action::Scatter:
      return is_root ? effects_.release(key) : effects_.acquire(key);
    case Action::Gather:
    case Action::Reduce:
      return is_root ? effects_.acquire(key) : effects_.release(key);
    case Action::Allgather:
    case Action::Alltoall:
      if (event.call == UpcCall::upc_all_permute) return;
      effects_.release(key);
      return effects_.acquire(key);
    default:
      return;
  }
}

void UpcMeaning::lock(const Event& event, bool acquires) {
  const WinDefinition* definition = region_of(event);
  const bool failed = event.fields.has(Field::flag) && event.fields[Field::flag] == 0;
  if (definition == nullptr || failed) return;
  const WorldRank home(static_cast<std::int32_t>(event.fields[Field::target]));
  const std::int64_t displacement = event.fields[Field::key], turn = event.fields[Field::value];
  const Uid id(edge_key(Channel::Lock, definition->uid.value, home.value, displacement));
  const auto key_of = [&](std::int64_t number) {
    return edge_key(Channel::Lock, definition->uid.value, home.value, displacement, number);
  };
  if (acquires) {
    effects_.acquire(key_of(turn - 1));
    effects_.acquire_lock(id, home, true);
  } else {
    effects_.release(key_of(turn));
    effects_.release_lock(id, home);
  }
}

// A wait that took unit n follows the posts of all units up to n: it saw that so many were posted.
void UpcMeaning::semaphore(const Event& event, bool posts) {
  const WinDefinition* definition = region_of(event);
  const bool failed = event.fields.has(Field::flag) && event.fields[Field::flag] == 0;
  if (definition == nullptr || failed) return;
  const std::uint64_t id = edge_key(Channel::Lock, definition->uid.value,
                                    event.fields[Field::target], event.fields[Field::key]);
  const std::int64_t last = event.fields[Field::value];
  std::int64_t& acquired = acquired_[id];
  // The memory may be that of an earlier semaphore, whose units do not count.
  const std::int64_t own = last - event.fields[Field::size] + 1;
  const std::int64_t first = posts || acquired >= last ? own : acquired + 1;
  for (std::int64_t unit = first; unit <= last; ++unit) {
    const std::uint64_t key = edge_key(Channel::Lock, id, kUnits, unit);
    posts ? effects_.release(key) : effects_.acquire(key);
  }
  if (!posts) acquired = last;
}

// Of the use of a block after it was freed `turn` times.
std::uint64_t UpcMeaning::block_key(const Event& event, const WinDefinition& definition) {
  return edge_key(Channel::Lock, definition.uid.value, event.fields[Field::target],
                  event.fields[Field::key], kBlocks, event.fields[Field::value]);
}

// Memory is allocated again after it was freed: the two objects do not race.
void UpcMeaning::allocate(const Event& event) {
  const WinDefinition* definition = region_of(event);
  const bool of_all =
      event.call == UpcCall::upc_all_alloc || event.call == UpcCall::upc_all_lock_alloc;
  const bool allocates = !of_all || effects_.rank() == WorldRank(0);
  if (definition != nullptr && allocates && event.fields[Field::value] > 0)
    effects_.acquire(block_key(event, *definition));
  if (!of_all) return;
  // Thread 0 allocates for all.
  const std::uint64_t key = edge_key(Channel::Collective, kData, ++collectives_);
  effects_.rank() == WorldRank(0) ? effects_.release(key) : effects_.acquire(key);
}

void UpcMeaning::release(const Event& event) {
  if (const WinDefinition* definition = region_of(event))
    effects_.release(block_key(event, *definition));
}

}  // namespace photofinish::upc_meaning

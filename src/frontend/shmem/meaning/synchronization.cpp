// Barriers, collectives, locks, and the calls that synchronize because they are collective.
//
// Work arrays (pSync, pWrk) of a collective: a PE updates those of its partners from the start of
// its call on, and uses its own until it returns. So an array that is used again before all PEs
// have returned is a race: the update of the second call and the use in the first one.
//
//   PE 0:  reduce(pSync)  reduce(pSync): updates the array of PE 1
//   PE 1:  reduce(pSync) ............. still uses it
//
// Barriers may use an array again at once: nobody returns before all have called.
#include <algorithm>

#include "frontend/shmem/meaning/meaning.h"
#include "order/keys.h"

namespace photofinish::shmem_meaning {
namespace {

constexpr Flow kAllPes{.releases = true, .acquires = true, .everyone = true};

bool is_barrier(Action action) {
  return action == Action::Barrier || action == Action::Synchronize;
}

// Where data flows. A barrier orders without data.
Flow flow_of(const Event& event, Action action, WorldRank rank) {
  if (action == Action::Bcast) {
    const bool is_root = event.fields[Field::root] == rank.value;
    return {.releases = is_root, .acquires = !is_root};
  }
  Flow flow{.releases = is_barrier(action), .acquires = is_barrier(action)};
  for (const Buffer& buffer : event.buffers) {
    if (buffer.count <= 0 || buffer.access == BufferUse::ReadWrite) continue;
    (buffer.access == BufferUse::Read ? flow.releases : flow.acquires) = true;
  }
  flow.everyone = flow.releases && flow.acquires && event.call != ShmemCall::shmem_collect;
  return flow;
}

// Those to which the PE at `position` sends in a dissemination algorithm.
std::vector<WorldRank> partners(const Team& team) {
  std::vector<WorldRank> ranks;
  const std::size_t size = team.ranks.size();
  for (std::size_t distance = 1; distance < size; distance *= 2)
    for (const std::size_t other : {team.position + distance, team.position + size - distance}) {
      const WorldRank rank = team.ranks[other % size];
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
    }
  return ranks;
}

}  // namespace

void ShmemMeaning::update_work_arrays(const Event& event, const Team& team,
                                      const std::vector<Buffer>& arrays) {
  for (const Buffer& array : arrays) {
    const WinDefinition* definition = objects_.containing(array.address);
    if (definition == nullptr) continue;
    for (const WorldRank partner : partners(team)) {
      Buffer relative = array;
      relative.address = 0;
      Access update = effects_.make(event, AccessKind::Accumulate, relative, false);
      update.owner = partner;
      update.win = definition->uid;
      update.displacement = array.address - definition->base;
      update.op = ReduceOp::Sum;
      update.element = {ElementKind::Integer, 1};
      effects_.close_at(At::Start, update, event.site);
    }
  }
}

// For the message analysis: a PE waits in the call for all PEs of the team, or for the root.
void ShmemMeaning::report_steps(const Event& event, Action action, Team& team, const Flow& flow) {
  if (effects_.sink() == nullptr || team.position >= team.ranks.size()) return;
  const std::uint64_t key =
      edge_key(Channel::Collective, team.uid.value, ++team.calls, std::uint64_t{2});
  const bool from_root = action == Action::Bcast;
  const auto report = [&](MessageStep::Kind kind, bool carries) {
    MessageStep step = effects_.message_step(kind, event.site);
    step.key = key;
    step.carries = carries;
    step.returned = event.returned;
    return step;
  };
  if (!from_root || flow.releases) {
    MessageStep released = report(MessageStep::Kind::Release, flow.releases);
    released.others = static_cast<std::uint32_t>(team.ranks.size() - (from_root ? 1 : 0));
    if (released.others > 0) effects_.sink()->step(std::move(released));
  }
  if (from_root && flow.releases) return;
  MessageStep acquired = report(MessageStep::Kind::Acquire, flow.acquires);
  if (from_root)
    acquired.from = std::make_shared<const std::vector<WorldRank>>(
        1, WorldRank(static_cast<std::int32_t>(event.fields[Field::root])));
  else  // not owned: the team outlives the step
    acquired.from = {std::shared_ptr<const void>(), &team.ranks};
  effects_.sink()->step(std::move(acquired));
}

// The PE waits in it: the others see who is missing.
void ShmemMeaning::report_unreturned(const Event& event, Action action) {
  const bool of_all = action == Action::Init || action == Action::Finalize ||
                      action == Action::SymmetricAllocate || action == Action::SymmetricFree;
  report_steps(event, action, objects_.team(event),
               of_all ? kAllPes : flow_of(event, action, effects_.rank()));
}

void ShmemMeaning::collective(const Event& event, Action action) {
  Team& team = objects_.team(event);
  if (team.position >= team.ranks.size()) return;
  effects_.serialize_tasks(edge_key(Channel::Serial, team.uid.value));
  complete(event, action);
  const Flow flow = flow_of(event, action, effects_.rank());
  report_steps(event, action, team, flow);
  Event data = event;  // without the work arrays
  std::vector<Buffer> arrays;
  std::erase_if(data.buffers, [&](const Buffer& buffer) {
    const bool is_array = buffer.access == BufferUse::ReadWrite;
    if (is_array) arrays.push_back(buffer);
    return is_array;
  });
  std::vector<Access> accesses = effects_.buffers_of(data, false);
  if (flow.releases) update_work_arrays(event, team, arrays);
  if (flow.everyone && team.whole_world && (!effects_.many_threads() || team.is_world)) {
    effects_.sync_point();
  } else {
    const std::uint64_t key =
        edge_key(Channel::Collective, team.uid.value, ++team.collectives, std::uint64_t{1});
    if (flow.releases) effects_.release(key);
    if (flow.acquires) effects_.acquire(key);
  }
  if (!is_barrier(action))
    for (const Buffer& array : arrays) {
      Access use = effects_.make(event, AccessKind::Store, array, false);
      use.begin = effects_.return_time();
      effects_.close_now(use, event.site);
    }
  effects_.close_now(std::move(accesses), event.site);
}

void ShmemMeaning::synchronize_all(const Event& event) {
  Team& world = objects_.team(event);
  effects_.serialize_tasks(edge_key(Channel::Serial, world.uid.value));
  report_steps(event, Action::Barrier, world, kAllPes);
  effects_.sync_point();
}

void ShmemMeaning::start(const Event& event) {
  constexpr std::int64_t kThreadMultiple = 3;
  effects_.set_many_threads(event.fields.has(Field::thread_level) &&
                            event.fields[Field::thread_level] >= kThreadMultiple);
  if (effects_.awaits_region()) effects_.announce_region();
  synchronize_all(event);
}

// A size of 0, or a null pointer, has no effect.
void ShmemMeaning::allocate(const Event& event, Action action) {
  const Field subject = action == Action::SymmetricAllocate ? Field::size : Field::address;
  if (event.fields.has(subject) && event.fields[subject] == 0) return;
  complete(event, action);
  synchronize_all(event);
  // Nobody may use the block any more. The next allocation orders its use by another object.
  if (action == Action::SymmetricFree)
    effects_.close_now(effects_.buffers_of(event, false), event.site);
}

// The calls on a lock are ordered as writes and reads of one value at the lock word of one PE. An
// acquire that overlaps a release in time, or follows it, comes after it.
void ShmemMeaning::lock(const Event& event, Action action) {
  const WinDefinition* definition = objects_.region_of(event);
  if (definition == nullptr || event.buffers.empty()) return;
  const std::uint64_t displacement = event.buffers.front().address;
  const Uid id(edge_key(Channel::Lock, definition->uid.value, displacement));
  const std::uint64_t pe = displacement / 8 % static_cast<std::uint64_t>(effects_.world_size());
  const Timeline::Location word{definition->uid, WorldRank(static_cast<std::int32_t>(pe)),
                                displacement};
  constexpr std::uint64_t kReleased = 1;
  if (action == Action::LockRelease) {
    complete(event, action);
    effects_.announce(word, kReleased);
    effects_.release_lock(id, WorldRank(0));
    return;
  }
  if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
  effects_.observe(word, kReleased);
  effects_.acquire_lock(id, WorldRank(0), true);
}

}  // namespace photofinish::shmem_meaning

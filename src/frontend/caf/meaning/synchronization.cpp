// Synchronization of images.
//
// The k-th barrier of a team is one for all its images: a sync point if these are all images of the
// program, otherwise edges between the images of the team.
//
// sync images is pairwise: the k-th one of image 1 that names image 2 belongs to the k-th one of
// image 2 that names image 1.
//
//   image 1:  x = 1   sync images(2)
//   image 2:          sync images([1, 3])   read x     ordered
//   image 3:          sync images(2)        read x     a race: image 3 did not wait for image 1
//
// A lock protects what is done while it is held. Its turns are ordered, too: programs pass data on
// under a lock.
#include "frontend/caf/meaning/meaning.h"
#include "order/keys.h"

namespace photofinish::caf_meaning {
namespace {

// Numbers of keys of one channel.
constexpr std::uint64_t kTeam = 0x43414601, kPair = 0x43414602, kSteps = 0x43414603,
                        kUnits = 0x43414604;

}  // namespace

const CafMeaning::Team& CafMeaning::team_of(const Event& event) {
  const std::int64_t id = event.fields.has(Field::comm) ? event.fields[Field::comm] : 0;
  const auto [entry, fresh] = teams_.try_emplace(id);
  Team& team = entry->second;
  if (!fresh) return team;
  const Definitions& definitions = effects_.definitions();
  const auto comm = definitions.comms.find(CommId(static_cast<std::uint32_t>(id)));
  if (comm == definitions.comms.end()) return team;
  team.uid = comm->second.uid.value;
  if (const auto group = definitions.groups.find(comm->second.group);
      group != definitions.groups.end())
    team.images = group->second.ranks;
  team.is_initial = static_cast<std::int64_t>(team.images.size()) ==
                    static_cast<std::int64_t>(effects_.world_size());
  return team;
}

void CafMeaning::report_steps(const Event& event) {
  const Team& team = team_of(event);
  const std::uint64_t key = edge_key(Channel::Collective, kSteps, team.uid, ++steps_[team.uid]);
  if (effects_.sink() == nullptr || team.images.empty()) return;
  const auto step_of = [&](MessageStep::Kind kind) {
    MessageStep step = effects_.message_step(kind, event.site);
    step.key = key;
    step.carries = true;
    step.returned = event.returned;
    return step;
  };
  MessageStep release = step_of(MessageStep::Kind::Release);
  release.others = static_cast<std::uint32_t>(team.images.size());
  effects_.sink()->step(std::move(release));
  MessageStep acquire = step_of(MessageStep::Kind::Acquire);
  acquire.from = {std::shared_ptr<const void>(), &team.images};  // not owned: it outlives the step
  effects_.sink()->step(std::move(acquire));
}

void CafMeaning::barrier(const Event& event) {
  const Team& team = team_of(event);
  report_steps(event);
  if (team.is_initial) return effects_.sync_point();
  const std::uint64_t key = edge_key(Channel::Collective, kTeam, team.uid, ++calls_[team.uid]);
  effects_.release(key);
  effects_.acquire(key);
}

void CafMeaning::sync_images(const Event& event) {
  const auto key_of = [&](std::int64_t from, std::int64_t to, std::uint64_t number) {
    return edge_key(Channel::Collective, kPair, from, to, number);
  };
  const std::int32_t self = effects_.rank().value;
  std::vector<std::pair<std::int32_t, std::uint64_t>> others;
  for (const std::int64_t number : event.numbers) {
    const WorldRank other(static_cast<std::int32_t>(number));
    others.emplace_back(other.value, ++syncs_[other]);
  }
  for (const auto& [other, number] : others) effects_.release(key_of(self, other, number));
  if (!event.returned) return;
  for (const auto& [other, number] : others) effects_.acquire(key_of(other, self, number));
}

// Data flows from the source to all, from all to the image with the result, or from all to all.
void CafMeaning::collective(const Event& event) {
  effects_.close_now(effects_.buffers_of(event, false), event.site);
  synchronize_collective(event);
}

void CafMeaning::synchronize_collective(const Event& event) {
  const Team& team = team_of(event);
  const std::uint64_t key = edge_key(Channel::Collective, kTeam, team.uid, ++calls_[team.uid]);
  const bool has_root = event.fields.has(Field::root);
  const bool is_root = has_root && event.fields.rank(Field::root) == effects_.rank();
  const bool broadcasts = event.call == CafCall::caf_co_broadcast;
  const bool releases = !has_root || is_root == broadcasts;
  if (releases) effects_.release(key);
  if (event.returned && (!has_root || !releases)) effects_.acquire(key);
}

// Turn t follows turn t - 1, whose holder released the lock.
void CafMeaning::lock(const Event& event, bool acquires) {
  const WinDefinition* definition = region_of(event);
  const bool failed = event.fields.has(Field::flag) && event.fields[Field::flag] == 0;
  if (definition == nullptr || failed) return;
  const WorldRank home = event.fields.rank(Field::target);
  const std::int64_t index = event.fields[Field::key];
  const Uid id(edge_key(Channel::Lock, definition->uid.value, home.value, index));
  const auto key_of = [&](std::int64_t turn) {
    return edge_key(Channel::Lock, definition->uid.value, home.value, index, turn);
  };
  if (acquires) {
    turns_[id.value] = event.fields[Field::value];
    if (event.fields[Field::value] > 0) effects_.acquire(key_of(event.fields[Field::value]));
    effects_.acquire_lock(id, home, true);
  } else {
    effects_.release(key_of(turns_[id.value] + 1));
    effects_.release_lock(id, home);
  }
}

// A wait that took unit n follows the posts of all units up to n: it saw that so many were posted.
void CafMeaning::event_variable(const Event& event, bool posts) {
  const WinDefinition* definition = region_of(event);
  if (definition == nullptr) return;
  const std::uint64_t id = edge_key(Channel::Lock, definition->uid.value,
                                    event.fields[Field::target], event.fields[Field::key]);
  const std::int64_t last = event.fields[Field::value];
  std::int64_t& acquired = acquired_[id];
  for (std::int64_t unit = posts ? last : acquired + 1; unit <= last; ++unit) {
    const std::uint64_t key = edge_key(Channel::Lock, id, kUnits, unit);
    posts ? effects_.release(key) : effects_.acquire(key);
  }
  if (!posts) acquired = last;
}

}  // namespace photofinish::caf_meaning

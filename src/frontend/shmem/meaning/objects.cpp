#include "frontend/shmem/meaning/objects.h"

#include <algorithm>

#include "order/keys.h"

namespace photofinish::shmem_meaning {

void Objects::follow_definitions() {
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  if (wins.size() == definitions_) return;
  definitions_ = wins.size();
  for (const auto& [id, definition] : wins) {
    if (definition.flavour != WinFlavour::Symmetric || known_.contains(id)) continue;
    known_.insert(id);
    region(context(0), definition);  // others may use it before this PE does
    effects_.expose(definition.uid, definition.base, definition.base + definition.size);
  }
}

const WinDefinition* Objects::region_of(const Event& event, Field field) const {
  if (!event.fields.has(field)) return nullptr;
  return region(WinId(static_cast<std::uint32_t>(event.fields[field])));
}

void Objects::add_segments(const Event& event) {
  if (const WinDefinition* definition = region_of(event))
    for (const WinSegment& segment : definition->segments)
      effects_.add_segment(definition->uid, segment);
}

const WinDefinition* Objects::region(WinId id) const {
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  const auto found = wins.find(id);
  return found != wins.end() && found->second.flavour == WinFlavour::Symmetric ? &found->second
                                                                               : nullptr;
}

const WinDefinition* Objects::containing(std::uint64_t address) const {
  for (const WinId id : known_)
    if (const WinDefinition* definition = region(id); definition != nullptr &&
                                                      address >= definition->base &&
                                                      address - definition->base < definition->size)
      return definition;
  return nullptr;
}

Context& Objects::context(std::uint32_t number) {
  const auto [found, fresh] = contexts_.try_emplace(number);
  if (fresh) found->second.delivery.lane = number;
  return found->second;
}

Region& Objects::region(Context& context, const WinDefinition& definition) {
  Region*& region = context.regions[definition.id];
  if (region != nullptr) return *region;
  std::vector<Region*>& unused = unused_[definition.id];
  if (!unused.empty()) {
    region = unused.back();
    unused.pop_back();
    return *region;
  }
  region = &effects_.add_region(traits_of(definition));
  return *region;
}

void Objects::destroy(const Event& event) {
  const std::uint32_t number = context_number(event);
  const auto found = contexts_.find(number);
  if (found == contexts_.end() || number == 0) return;
  for (const auto& [id, region] : found->second.regions) unused_[id].push_back(region);
  contexts_.erase(found);
}

Team& Objects::team(const Event& event) {
  const CommId id(
      static_cast<std::uint32_t>(event.fields.has(Field::comm) ? event.fields[Field::comm] : 0));
  const auto [found, fresh] = teams_.try_emplace(id);
  Team& team = found->second;
  if (!fresh) return team;
  const Definitions& definitions = effects_.definitions();
  const auto comm = definitions.comms.find(id);
  const auto group = comm != definitions.comms.end() ? definitions.groups.find(comm->second.group)
                                                     : definitions.groups.end();
  if (group != definitions.groups.end()) {
    team.uid = comm->second.uid;
    team.ranks = group->second.ranks;
  } else if (id == CommId(0)) {
    team.is_world = true;
    team.uid = Uid(edge_key(Channel::Collective));
    for (std::int32_t rank = 0; rank < effects_.world_size(); ++rank) team.ranks.emplace_back(rank);
  }
  team.whole_world = static_cast<std::int32_t>(team.ranks.size()) == effects_.world_size();
  team.position = static_cast<std::size_t>(
      std::find(team.ranks.begin(), team.ranks.end(), effects_.rank()) - team.ranks.begin());
  return team;
}

}  // namespace photofinish::shmem_meaning

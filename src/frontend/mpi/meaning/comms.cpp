#include "frontend/mpi/meaning/comms.h"

#include <algorithm>

namespace photofinish::mpi_meaning {
namespace {

std::uint64_t hash_ranks(const std::vector<WorldRank>& ranks) {
  return XXH3_64bits(ranks.data(), ranks.size() * sizeof(WorldRank));
}

}  // namespace

Comm& Comms::at(CommId id) {
  if (last_.second != nullptr && last_.first == id) return *last_.second;
  std::unique_ptr<Comm>& comm = comms_[id];
  if (comm != nullptr) {
    last_ = {id, comm.get()};
    return *comm;
  }
  comm = std::make_unique<Comm>();
  const Definitions& definitions = effects_.definitions();
  const auto found = definitions.comms.find(id);
  if (found == definitions.comms.end()) return *comm;
  const CommDefinition& definition = found->second;
  comm->uid = definition.uid;
  comm->is_world = id == CommId(1);
  comm->inter = definition.remote_group != GroupId(0);
  if (const auto group = definitions.groups.find(definition.group);
      group != definitions.groups.end()) {
    const std::vector<WorldRank>& ranks = group->second.ranks;
    comm->ranks = &ranks;
    comm->has_external_ranks = std::find(ranks.begin(), ranks.end(), kExternalRank) != ranks.end();
    comm->size = static_cast<std::int32_t>(ranks.size());
    comm->whole_world =
        !comm->inter && comm->size == effects_.world_size() && !comm->has_external_ranks;
    comm->position = static_cast<std::uint64_t>(
        std::find(ranks.begin(), ranks.end(), effects_.rank()) - ranks.begin());
    comm->own_side = hash_ranks(ranks);
  }
  if (const auto remote = definitions.groups.find(definition.remote_group);
      remote != definitions.groups.end()) {
    comm->remote_ranks = &remote->second.ranks;
    comm->has_external_ranks |= std::find(remote->second.ranks.begin(), remote->second.ranks.end(),
                                          kExternalRank) != remote->second.ranks.end();
    comm->other_side = hash_ranks(remote->second.ranks);
  }
  return *comm;
}

}  // namespace photofinish::mpi_meaning

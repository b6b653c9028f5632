#include "frontend/mpi/meaning/collectives.h"
#include "frontend/mpi/table/mpi_call.h"

#include <algorithm>

namespace photofinish::mpi_meaning {
namespace {

bool is_vector_form(Call call) {
  switch (value_of(call)) {
#define VECTOR_FORMS(name)            \
  case value_of(MpiCall::MPI_##name): \
  case value_of(MpiCall::MPI_##name##_c):
    VECTOR_FORMS(Allgatherv)
    VECTOR_FORMS(Alltoallv)
    VECTOR_FORMS(Alltoallw)
    VECTOR_FORMS(Reduce_scatter)
#undef VECTOR_FORMS
    return true;
    default:
      return false;
  }
}

// Calls that create a communicator from a part of the parent's ranks, or without a parent. Only
// members of the new communicator take part.
bool is_among_new_members(Call call) {
  switch (value_of(call)) {
    case value_of(MpiCall::MPI_Comm_create_group):
    case value_of(MpiCall::MPI_Comm_create_from_group):
    case value_of(MpiCall::MPI_Intercomm_create):
    case value_of(MpiCall::MPI_Intercomm_create_from_groups):
    case value_of(MpiCall::MPI_Intercomm_merge):
    case value_of(MpiCall::MPI_Comm_join):
    case value_of(MpiCall::MPI_Comm_accept):
    case value_of(MpiCall::MPI_Comm_connect):
    case value_of(MpiCall::MPI_Comm_spawn):
    case value_of(MpiCall::MPI_Comm_spawn_multiple):
      return true;
    default:
      return false;
  }
}

CommId new_comm(const Event& event) {
  return CommId(static_cast<std::uint32_t>(
      event.fields.has(Field::new_comm) ? event.fields[Field::new_comm] : 0));
}

}  // namespace

Flow Collectives::flow_of(const Event& event, Action action, Comm& comm) {
  Flow flow;
  const std::unordered_map<TypeId, TypeDefinition>& types = effects_.definitions().types;
  for (const Buffer& buffer : event.buffers) {
    if (buffer.count <= 0) continue;
    if (const auto type = types.find(buffer.type);
        type != types.end() && type->second.map.size == 0)
      continue;
    flow.reads |= buffer.access != BufferUse::Write;
    flow.writes |= buffer.access != BufferUse::Read;
  }
  flow.number = ++comm.collectives;
  switch (action) {
    case Action::CommCreate:
      if (is_among_new_members(event.call)) {
        --comm.collectives;
        flow_among_new_members(event, flow);
        return flow;
      }
      flow.reads = flow.writes = flow.everyone = true;
      break;
    case Action::Barrier:
    case Action::WinCreate:
      flow.reads = flow.writes = flow.everyone = true;
      break;
    case Action::Allreduce:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::ReduceScatter:
      flow.everyone = (flow.reads || flow.writes) && !is_vector_form(event.call);
      break;
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
      flow_among_neighbors(event, comm, flow);
      return flow;
    default:
      break;
  }
  const bool prefix = action == Action::Scan || action == Action::Exscan;
  const std::uint64_t release_side = comm.inter ? comm.own_side : 0;
  const std::uint64_t acquire_side = comm.inter ? comm.other_side : 0;
  if (comm.inter) flow.everyone = false;
  if (flow.reads)
    flow.releases.emplace_back(
        edge_key(Channel::Collective, comm.uid.value, flow.number, release_side),
        prefix ? comm.position : 0);
  if (flow.writes)
    flow.acquires.emplace_back(
        edge_key(Channel::Collective, comm.uid.value, flow.number, acquire_side),
        prefix ? comm.position : kEveryPosition);
  return flow;
}

void Collectives::flow_among_new_members(const Event& event, Flow& flow) {
  flow = {};
  const CommId made = new_comm(event);
  if (made == CommId(0)) return;
  flow.reads = flow.writes = flow.among_new_members = true;
  const std::uint64_t key = edge_key(Channel::Collective, comms_.at(made).uid.value, 0);
  flow.releases = {{key, 0}};
  flow.acquires = {{key, kEveryPosition}};
}

void Collectives::flow_among_neighbors(const Event& event, const Comm& comm, Flow& flow) const {
  const std::unordered_map<CommId, CommDefinition>& comms = effects_.definitions().comms;
  const auto found = comms.find(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  if (found == comms.end()) {
    flow.reads = flow.writes = false;
    return;
  }
  const auto key = [&](WorldRank from, WorldRank to) {
    return edge_key(Channel::Neighbor, comm.uid.value, flow.number,
                    static_cast<std::uint32_t>(from.value), static_cast<std::uint32_t>(to.value));
  };
  if (flow.reads)
    for (const WorldRank to : found->second.destinations)
      flow.releases.emplace_back(key(effects_.rank(), to), 0);
  if (flow.writes)
    for (const WorldRank from : found->second.sources)
      flow.acquires.emplace_back(key(from, effects_.rank()), kEveryPosition);
}

std::vector<Acquired> Collectives::report(const Event& event, Action action, When when,
                                          const Comm& comm, const Flow& flow) {
  if (!steps_.wanted()) return {};
  return steps_.flow(event, action, when,
                     flow.among_new_members ? comms_.at(new_comm(event)) : comm, flow);
}

void Collectives::add(const Event& event, Action action, When when) {
  Comm& comm = comms_.of(event);
  effects_.serialize_tasks(edge_key(Channel::Serial, comm.uid.value));
  if (when == When::Prepares) {
    Request& request = new_request(effects_, requests_, event);
    request.comm = &comm;
    request.rarely().prepared = std::make_unique<Event>(event);
    request.rarely().number = ++comm.persistent;
    return;
  }
  const Flow flow = flow_of(event, action, comm);
  std::vector<Acquired> acquired = report(event, action, when, comm, flow);
  if (when == When::Starts) {
    for (const auto& [key, position] : flow.releases) effects_.release(key, position);
    if (!event.fields.has(Field::request)) return;
    Request& request = new_request(effects_, requests_, event);
    effects_.open_all(request.accesses, effects_.buffers_of(event, true));
    request.rarely().acquires = flow.acquires;
    request.rarely().acquired = std::move(acquired);
    return;
  }
  // Begins the accesses at the start of the call: before the sync point, if the call is one.
  std::vector<Access> accesses = effects_.buffers_of(event, false);
  const bool is_sync_point =
      flow.everyone && comm.whole_world && (!effects_.many_threads() || comm.is_world);
  if (effects_.awaits_region() && (action == Action::CommCreate || action == Action::WinCreate))
    watch_for_windows(event, action, comm, is_sync_point);
  if (is_sync_point) {
    effects_.sync_point();
  } else {
    for (const auto& [key, position] : flow.releases) effects_.release(key, position);
    for (const auto& [key, position] : flow.acquires) effects_.acquire(key, position);
  }
  effects_.close_now(std::move(accesses), event.site);
}

// Starts of persistent collectives have numbers of their own, since ranks may interleave them
// differently with other collectives of the communicator.
void Collectives::start(Request& request, const Event& started, Action action) {
  Request::Rare& rare = *request.rare;
  Comm numbered = *request.comm;
  numbered.collectives = (rare.number << 40) + (rare.starts << 1 | 1) + (std::uint64_t{1} << 63);
  const Flow flow = flow_of(started, action, numbered);
  if (steps_.wanted()) rare.acquired = report(started, action, When::Starts, numbered, flow);
  for (const auto& [key, position] : flow.releases) effects_.release(key, position);
  rare.acquires = flow.acquires;
}

void Collectives::report_unreturned(const Event& event, Action action, When when, Comm& comm) {
  const std::vector<Acquired> acquires =
      report(event, action, When::Starts, comm, flow_of(event, action, comm));
  if (when == When::Starts) return;
  for (const Acquired& acquired : acquires) steps_.acquire(acquired, event.site);
}

// The decision depends on the call only, not on what it created for this rank, so that all ranks
// decide alike.
void Collectives::watch_for_windows(const Event& event, Action action, const Comm& comm,
                                    bool is_sync_point) {
  const bool copies =
      event.call == MpiCall::MPI_Comm_dup || event.call == MpiCall::MPI_Comm_dup_with_info;
  if (is_sync_point && (action == Action::WinCreate || !copies))
    effects_.announce_region();
  else if (action == Action::WinCreate && comm.size > 1)
    effects_.region_unannounced();
}

}  // namespace photofinish::mpi_meaning

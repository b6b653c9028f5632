#include "frontend/mpi/table/mpi_call.h"
#include "simulator_state.h"

namespace photofinish::testing {
namespace {

struct Row {
  Call blocking, starting;
};
constexpr Row kCollectives[] = {
    {MpiCall::MPI_Barrier, MpiCall::MPI_Ibarrier},
    {MpiCall::MPI_Barrier, MpiCall::MPI_Ibarrier},
    {MpiCall::MPI_Bcast, MpiCall::MPI_Ibcast},
    {MpiCall::MPI_Reduce, MpiCall::MPI_Ireduce},
    {MpiCall::MPI_Allreduce, MpiCall::MPI_Iallreduce},
    {MpiCall::MPI_Gather, MpiCall::MPI_Igather},
    {MpiCall::MPI_Scatter, MpiCall::MPI_Iscatter},
    {MpiCall::MPI_Scan, MpiCall::MPI_Iscan},
    {MpiCall::MPI_Exscan, MpiCall::MPI_Iexscan},
    {MpiCall::MPI_Allgather, MpiCall::MPI_Iallgather},
    {MpiCall::MPI_Alltoall, MpiCall::MPI_Ialltoall},
    {MpiCall::MPI_Reduce_scatter_block, MpiCall::MPI_Ireduce_scatter_block},
    {MpiCall::MPI_Neighbor_allgather, MpiCall::MPI_Ineighbor_allgather},
    {MpiCall::MPI_Neighbor_alltoall, MpiCall::MPI_Ineighbor_alltoall},
};

bool is_neighborly(Action action) {
  return action == Action::NeighborAllgather || action == Action::NeighborAlltoall;
}
bool from_root(Action action) { return action == Action::Bcast || action == Action::Scatter; }
bool to_root(Action action) { return action == Action::Reduce || action == Action::Gather; }

}  // namespace

bool Simulator::needs(const Comm& comm, const Instance& instance, int rank, int other) const {
  if (rank == other) return false;
  const Action action = traits(instance.call).action;
  if (action == Action::Barrier || action == Action::CommCreate) return true;
  if (instance.bytes == 0) return false;
  const auto& members = script_.members(comm.ref);
  const auto position = [&](int of) {
    return std::find(members.begin(), members.end(), of) - members.begin();
  };
  if (from_root(action)) return other == instance.root;
  if (to_root(action)) return rank == instance.root;
  if (action == Action::Scan || action == Action::Exscan) return position(other) < position(rank);
  if (is_neighborly(action))
    return (position(other) + 1) % static_cast<std::ptrdiff_t>(members.size()) == position(rank);
  return true;
}

bool Simulator::all_it_needs(const Comm& comm, const Instance& instance, int rank) const {
  for (const int other : script_.members(comm.ref))
    if (needs(comm, instance, rank, other) && instance.joined.count(other) == 0) return false;
  return true;
}

// The rank's next collective on this communicator, if it need not block.
bool Simulator::join(int index, int rank, std::uint8_t d) {
  Comm& comm = comms_[static_cast<std::size_t>(index)];
  const std::size_t number = comm.next[rank];
  if (number == comm.instances.size()) return false;
  Instance& instance = comm.instances[number];
  const bool starts = traits(instance.call).when == When::Starts;
  if (!starts && !all_it_needs(comm, instance, rank)) return false;

  const Action action = traits(instance.call).action;
  const auto size = static_cast<std::int64_t>(script_.members(comm.ref).size());
  const bool is_root = rank == instance.root;
  const std::int64_t bytes = instance.bytes;
  Data none{0, 0, kPlainBytes}, reads = none, writes = none;
  if (action == Action::Bcast) {
    (is_root ? reads : writes) = pick_buffer(d, bytes);
  } else if (action == Action::Scatter) {
    if (is_root) reads = {script_.fresh(bytes * size), bytes * size, kPlainBytes};
    writes = pick_buffer(d, bytes);
  } else if (action == Action::Gather) {
    reads = pick_buffer(d, bytes);
    if (is_root) writes = {script_.fresh(bytes * size), bytes * size, kPlainBytes};
  } else if (action != Action::Barrier && action != Action::CommCreate) {
    reads = pick_buffer(d, bytes);
    if (!to_root(action) || is_root)
      writes = {script_.fresh(bytes * size), bytes * size, kPlainBytes};
  }
  if (action == Action::Allreduce && d % 4 == 1) writes = reads;  // MPI_IN_PLACE
  const bool rooted = from_root(action) || to_root(action);
  const Ref made =
      instance.makes
          ? script_.comm_create(rank, instance.call, comm.ref, *instance.makes)
          : script_.collective(rank, instance.call, comm.ref,
                               rooted ? std::optional(instance.root) : std::nullopt, reads, writes);
  if (starts)
    add_request(made, {.kind = Request::Kind::Collective, .comm = index, .instance = number});
  instance.joined.insert(rank);
  ++comm.next[rank];
  return true;
}

// All ranks join the collectives that others have joined. There is always one that need not block.
void Simulator::catch_up(int index) {
  Comm& comm = comms_[static_cast<std::size_t>(index)];
  for (bool some = true; some;) {
    some = false;
    for (const int rank : script_.members(comm.ref)) some = join(index, rank, 1) || some;
  }
}

void Simulator::together(int index, Call call, std::int64_t bytes, std::uint8_t d) {
  catch_up(index);
  Comm& comm = comms_[static_cast<std::size_t>(index)];
  Instance& instance = comm.instances.emplace_back(Instance{.call = call, .bytes = bytes});
  for (const int rank : script_.members(comm.ref)) instance.joined.insert(rank);
  for (const int rank : script_.members(comm.ref)) join(index, rank, d);
}

void Simulator::barrier(CommRef ref) {
  for (std::size_t i = 0; i < comms_.size(); ++i)
    if (comms_[i].ref.index == ref.index) together(static_cast<int>(i), MpiCall::MPI_Barrier, 0, 1);
}

void Simulator::collective(const Step& step) {
  const int rank = below(ranks(), step.rank), index = pick_comm(rank, step.a);
  Comm& comm = comms_[static_cast<std::size_t>(index)];
  if (comm.next[rank] < comm.instances.size()) {
    join(index, rank, step.d);
    return;
  }
  const auto& members = script_.members(comm.ref);
  const Row& row = kCollectives[step.b % std::size(kCollectives)];
  const Action action = traits(row.blocking).action;
  if (is_neighborly(action) && !comm.ring) return;
  Instance instance{.call = row.starting,
                    .root = members[step.d % members.size()],
                    .bytes = step.c % 16 < 2 ? 0 : 8};
  const bool blocks =
      program_.focus == Focus::SplitPhase ? step.c / 16 % 4 == 0 : step.c / 16 % 2 == 0;
  if (blocks) {
    instance.call = row.blocking;
    if (from_root(action)) instance.root = rank;
    if (to_root(action) && instance.root == rank)
      instance.root = pick_peer(rank, index, step.d % 0xe0);
    const bool waits = !all_it_needs(comm, instance, rank);
    const bool one_way =
        from_root(action) || to_root(action) || action == Action::Scan || action == Action::Exscan;
    if (waits && one_way) return;
    if (waits) return together(index, row.blocking, instance.bytes, step.d);
  }
  comm.instances.push_back(instance);
  join(index, rank, step.d);
}

void Simulator::join_step(const Step& step) {
  const int rank = below(ranks(), step.rank);
  for (int i = 0; i < 3; ++i) {
    const int index = (step.a + i) % 3;
    const auto& members = script_.members(comms_[static_cast<std::size_t>(index)].ref);
    if (std::find(members.begin(), members.end(), rank) != members.end() &&
        join(index, rank, step.d))
      return;
  }
}

void Simulator::make_comm(const Step& step) {
  const int index = step.a % 3;
  Comm& comm = comms_[static_cast<std::size_t>(index)];
  catch_up(index);
  const CommRef made = script_.comm(script_.members(comm.ref));
  if (step.b % 2 == 0) {  // and joins it later
    comm.instances.push_back({.call = MpiCall::MPI_Comm_idup, .makes = made});
    join(index, script_.members(comm.ref)[step.rank % script_.members(comm.ref).size()], step.d);
    return;
  }
  for (const int rank : script_.members(comm.ref))
    script_.comm_create(rank, MpiCall::MPI_Comm_dup, comm.ref, made);
}

}  // namespace photofinish::testing

// Determines the memory that a call reads or writes. A call with a count for each rank has one
// buffer for each rank. A call with one count has a single buffer: its blocks are adjacent, so they
// are count × ranks consecutive elements.
#include "frontend/mpi/context.h"
#include "model/atomic.h"

namespace photofinish::mpi {
namespace {

void add(Context& c, BufferUse access, const void* address, std::int64_t count, MPI_Datatype type) {
  if (count <= 0) return;
  c.event.buffers.push_back(
      {access, reinterpret_cast<std::uint64_t>(address), count, Objects::get().type(type)->id});
}

void add(Context& c, BufferUse access, const BufferArguments& buffer) {
  add(c, access, buffer.address, buffer.count, buffer.type);
}

const void* block_address(const BufferArguments& buffer, int i) {
  std::int64_t bytes = 0;
  if (buffer.displacements.data != nullptr)
    bytes =
        buffer.displacements[i] * (buffer.in_bytes ? 1 : Objects::get().type(buffer.type)->extent);
  else
    bytes = i * buffer.count * Objects::get().type(buffer.type)->extent;
  return static_cast<const char*>(buffer.address) + bytes;
}

void add_block(Context& c, BufferUse access, const BufferArguments& buffer, int i) {
  const std::int64_t count = buffer.counts.data != nullptr ? buffer.counts[i] : buffer.count;
  if (count <= 0) return;
  add(c, access, block_address(buffer, i), count,
      buffer.types != nullptr ? buffer.types[i] : buffer.type);
}

// Blocks [first, last) of a buffer with one block for each rank or neighbor.
void add_blocks(Context& c, BufferUse access, const BufferArguments& buffer, int first, int last) {
  if (first >= last) return;
  if (buffer.counts.data == nullptr) {
    add(c, access, block_address(buffer, first), buffer.count * (last - first), buffer.type);
    return;
  }
  for (int i = first; i < last; ++i) add_block(c, access, buffer, i);
}

// All blocks but the one of this rank. With MPI_IN_PLACE that block is already in its position: it
// is read, or not accessed.
void add_blocks_around(Context& c, const BufferArguments& buffer, int size, BufferUse others,
                       int own, bool own_is_read) {
  add_blocks(c, others, buffer, 0, own);
  if (own_is_read) add_block(c, BufferUse::Read, buffer, own);
  add_blocks(c, others, buffer, own + 1, size);
}

// One block for each neighbor. Neighbors beyond the edge of a grid are MPI_PROC_NULL: their blocks
// are not accessed.
void add_neighbors(Context& c, BufferUse access, const BufferArguments& buffer,
                   const std::vector<WorldRank>& neighbors) {
  const int count = static_cast<int>(neighbors.size());
  const auto there = [&](int i) { return neighbors[static_cast<std::size_t>(i)] != kProcNull; };
  for (int first = 0; first < count;) {
    if (!there(first)) {
      ++first;
      continue;
    }
    int last = first + 1;
    while (last < count && there(last)) ++last;
    add_blocks(c, access, buffer, first, last);
    first = last;
  }
}

bool is_root(const Context& c) {
  return c.comm->inter ? c.root == MPI_ROOT : c.root == c.comm->rank;
}
// In the root's group of an intercommunicator, only the root takes part. The others pass
// MPI_PROC_NULL, and their buffers are not accessed.
bool takes_part(const Context& c) { return !c.comm->inter || c.root != MPI_PROC_NULL; }

void add_reduction(Context& c, bool result_here) {
  if (c.send.in_place()) return add(c, BufferUse::ReadWrite, c.recv);
  add(c, BufferUse::Read, c.send);
  if (result_here) add(c, BufferUse::Write, c.recv);
}

// The counts are those of the local group, on an intercommunicator, too.
void add_reduce_scatter(Context& c) {
  const int size = c.comm->local.size();
  std::int64_t total = 0;
  std::int64_t own = c.recv.count;
  if (c.recv.counts.data != nullptr) {
    for (int i = 0; i < size; ++i) total += c.recv.counts[i];
    own = c.recv.counts[c.comm->rank];
  } else {
    total = c.recv.count * size;
  }
  if (c.send.in_place()) return add(c, BufferUse::ReadWrite, c.recv.address, total, c.recv.type);
  add(c, BufferUse::Read, c.send.address, total, c.recv.type);
  add(c, BufferUse::Write, c.recv.address, own, c.recv.type);
}

void add_target(Context& c, BufferUse access) {
  c.event.buffers.push_back(
      {access, c.target.displacement, c.target.count, Objects::get().type(c.target.type)->id});
  // Room for the operands that atomics.cpp adds.
  if (access == BufferUse::TargetUpdate && c.target.count > 1 &&
      c.target.count <= kMaxAtomicOperands)
    c.event.more_numbers = kMaxAtomicOperands;
}

// MPI_NO_OP reads the target and ignores the origin.
bool is_no_op(const Context& c) { return c.op == MPI_NO_OP; }

}  // namespace

void add_buffers(Context& c, Action action) {
  switch (action) {
    case Action::Send:
      if (c.to != MPI_PROC_NULL) add(c, BufferUse::Read, c.send);
      return;
    case Action::Receive:
      if (c.from != MPI_PROC_NULL) add(c, BufferUse::Write, c.recv);
      return;
    case Action::MatchedReceive:
      if (c.from != MPI_PROC_NULL) add(c, BufferUse::Write, c.recv);
      return;
    case Action::FileWrite:
      return add(c, BufferUse::Read, c.send);
    case Action::FileRead:
      return add(c, BufferUse::Write, c.recv);
    case Action::SendReceive:
      if (c.to != MPI_PROC_NULL) add(c, BufferUse::Read, c.send);
      if (c.from != MPI_PROC_NULL) add(c, BufferUse::Write, c.recv);
      return;
    case Action::SendReceiveReplace:
      if (c.from != MPI_PROC_NULL) return add(c, BufferUse::ReadWrite, c.recv);
      if (c.to != MPI_PROC_NULL) add(c, BufferUse::Read, c.recv);
      return;
    case Action::PartitionedSend:
      return add(c, BufferUse::Read, c.send.address,
                 c.send.count * c.event.fields[Field::partitions], c.send.type);
    case Action::PartitionedReceive:
      return add(c, BufferUse::Write, c.recv.address,
                 c.recv.count * c.event.fields[Field::partitions], c.recv.type);
    case Action::FileSplitBegin:
      if (c.send.address != nullptr) return add(c, BufferUse::Read, c.send);
      return add(c, BufferUse::Write, c.recv);

    case Action::Bcast:
      if (takes_part(c)) add(c, is_root(c) ? BufferUse::Read : BufferUse::Write, c.recv);
      return;
    case Action::Gather:
      if (is_root(c)) {
        if (c.send.in_place())
          return add_blocks_around(c, c.recv, c.comm->peers().size(), BufferUse::Write,
                                   c.comm->rank, true);
        if (!c.comm->inter) add(c, BufferUse::Read, c.send);
        return add_blocks(c, BufferUse::Write, c.recv, 0, c.comm->peers().size());
      }
      if (takes_part(c)) add(c, BufferUse::Read, c.send);
      return;
    case Action::Scatter:
      if (is_root(c)) {
        add_blocks(c, BufferUse::Read, c.send, 0, c.comm->peers().size());
        if (!c.recv.in_place() && !c.comm->inter) add(c, BufferUse::Write, c.recv);
        return;
      }
      if (takes_part(c)) add(c, BufferUse::Write, c.recv);
      return;
    case Action::Allgather:
      if (c.send.in_place())
        return add_blocks_around(c, c.recv, c.comm->peers().size(), BufferUse::Write, c.comm->rank,
                                 true);
      add(c, BufferUse::Read, c.send);
      return add_blocks(c, BufferUse::Write, c.recv, 0, c.comm->peers().size());
    case Action::Alltoall: {
      const int size = c.comm->peers().size();
      if (c.send.in_place()) return add_blocks(c, BufferUse::ReadWrite, c.recv, 0, size);
      add_blocks(c, BufferUse::Read, c.send, 0, size);
      return add_blocks(c, BufferUse::Write, c.recv, 0, size);
    }
    case Action::NeighborAllgather:
      add(c, BufferUse::Read, c.send);
      return add_neighbors(c, BufferUse::Write, c.recv, c.comm->definition.sources);
    case Action::NeighborAlltoall:
      add_neighbors(c, BufferUse::Read, c.send, c.comm->definition.destinations);
      return add_neighbors(c, BufferUse::Write, c.recv, c.comm->definition.sources);
    case Action::Reduce:
      if (c.comm->inter && is_root(c)) return add(c, BufferUse::Write, c.recv);
      if (takes_part(c)) add_reduction(c, is_root(c));
      return;
    case Action::Allreduce:
    case Action::Scan:
    case Action::Exscan:
      return add_reduction(c, true);
    case Action::ReduceScatter:
      return add_reduce_scatter(c);
    case Action::ReduceLocal:
      add(c, BufferUse::Read, c.send);
      return add(c, BufferUse::ReadWrite, c.recv);

    case Action::Put:
      if (c.target_rank == MPI_PROC_NULL) return;
      add(c, BufferUse::Read, c.send);
      return add_target(c, BufferUse::TargetWrite);
    case Action::Get:
      if (c.target_rank == MPI_PROC_NULL) return;
      add(c, BufferUse::Write, c.recv);
      return add_target(c, BufferUse::TargetRead);
    case Action::Accumulate:
      if (c.target_rank == MPI_PROC_NULL) return;
      add(c, BufferUse::Read, c.send);
      return add_target(c, BufferUse::TargetUpdate);
    case Action::GetAccumulate:
    case Action::FetchAndOp:
      if (c.target_rank == MPI_PROC_NULL) return;
      if (!is_no_op(c)) add(c, BufferUse::Read, c.send);
      add(c, BufferUse::Write, c.recv);
      return add_target(c, is_no_op(c) ? BufferUse::TargetRead : BufferUse::TargetUpdate);
    case Action::CompareAndSwap:
      if (c.target_rank == MPI_PROC_NULL) return;
      add(c, BufferUse::Read, c.send);
      add(c, BufferUse::Read, c.compare, 1, c.send.type);
      add(c, BufferUse::Write, c.recv);
      return add_target(c, BufferUse::TargetUpdate);
    default:
      return;
  }
}

// Called after MPI_Pack or MPI_Unpack: only then the number of packed bytes is known.
void add_pack_buffer(Context& c, Action action) {
  const std::int64_t after = c.position_is_wide
                                 ? *static_cast<const MPI_Count*>(c.position_variable)
                                 : *static_cast<const int*>(c.position_variable);
  const BufferUse packed = action == Action::Pack ? BufferUse::Write : BufferUse::Read;
  add(c, packed, static_cast<const char*>(c.pack_buffer) + c.position, after - c.position,
      MPI_BYTE);
  if (action == Action::Pack)
    add(c, BufferUse::Read, c.send);
  else
    add(c, BufferUse::Write, c.recv);
}

}  // namespace photofinish::mpi

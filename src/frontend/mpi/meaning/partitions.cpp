#include "frontend/mpi/meaning/partitions.h"

#include <algorithm>

namespace photofinish::mpi_meaning {
namespace {

// The key of one partition; or, if `whole` is false, of several partitions that together are one
// partition of the other end.
std::uint64_t part_key(std::uint64_t message, std::int64_t partitions, std::int64_t index,
                       bool whole) {
  return edge_key(Channel::Partition, message, partitions, index, whole ? 1 : 2);
}

std::uint64_t key_of(const Request& request, WorldRank from, WorldRank to, std::int64_t tag) {
  return edge_key(Channel::Partition, request.comm->uid.value,
                  static_cast<std::uint32_t>(from.value), static_cast<std::uint32_t>(to.value), tag,
                  request.rare->number, request.rare->starts);
}

std::int64_t count_of(const Event& prepared) {
  return std::max<std::int64_t>(1, prepared.fields[Field::partitions]);
}

std::vector<std::int64_t> named_in(const Event& event) {
  std::vector<std::int64_t> partitions = event.numbers;
  if (!partitions.empty()) return partitions;
  const std::int64_t first = event.fields[Field::first_partition];
  const std::int64_t last =
      event.fields.has(Field::last_partition) ? event.fields[Field::last_partition] : first;
  for (std::int64_t i = first; i <= last; ++i) partitions.push_back(i);
  return partitions;
}

template <class Visit>
void each_divisor(std::int64_t number, Visit visit) {
  for (std::int64_t one = 1; one * one <= number; ++one) {
    if (number % one != 0) continue;
    visit(one);
    if (one * one != number) visit(number / one);
  }
}

}  // namespace

Buffer Partitions::part_of(const Buffer& whole, std::int64_t partitions, std::int64_t index) const {
  Buffer part = whole;
  part.count = whole.count / partitions;
  const std::unordered_map<TypeId, TypeDefinition>& types = effects_.definitions().types;
  const auto type = types.find(whole.type);
  const std::int64_t extent = type != types.end() ? type->second.map.extent : 1;
  part.address += static_cast<std::uint64_t>(index * part.count * extent);
  return part;
}

void Partitions::start(Request& request, const Event& started) {
  Request::Rare& rare = *request.rare;
  const bool incoming = traits(started.call).action == Action::PartitionedReceive;
  const WorldRank peer = started.fields.rank(incoming ? Field::from : Field::to);
  rare.ready = 0;
  rare.parts.clear();
  if (!incoming || peer.value < 0) return;  // partitions of a send are in use from MPI_Pready on
  const std::uint64_t key = key_of(request, peer, effects_.rank(), started.fields[Field::recv_tag]);
  rare.acquires.emplace_back(key, kEveryPosition);
  if (steps_.wanted() && !request.comm->has_external_ranks)
    rare.acquired = {{key, MessageSteps::one(peer)}};
  const std::int64_t partitions = count_of(started);
  for (const Buffer& whole : started.buffers)
    for (std::int64_t i = 0; i < partitions; ++i)
      request.accesses.add(effects_.opened(
          effects_.make(started, AccessKind::Store, part_of(whole, partitions, i), true)));
}

// The ends may partition a message differently, and neither knows the other's partition count. The
// receiver acquires the part that contains its partition, if its partitions divide that part. The
// sender releases a larger part when all its partitions are ready. If neither count divides the
// other, a single partition creates no edge.
void Partitions::release(Request& request, std::uint64_t message, std::int64_t partitions,
                         std::int64_t index) {
  if (index < 0 || index >= partitions) return;
  effects_.release(part_key(message, partitions, index, true));
  each_divisor(partitions, [&](std::int64_t larger) {
    const std::int64_t of = partitions / larger, part = index / of;
    if (of > 1 && ++request.rare->parts[{larger, part}] == of)
      effects_.release(part_key(message, larger, part, false));
  });
}

void Partitions::acquire(std::uint64_t message, std::int64_t partitions, std::int64_t index) {
  effects_.acquire(part_key(message, partitions, index, false));
  each_divisor(partitions, [&](std::int64_t larger) {
    effects_.acquire(part_key(message, larger, index / (partitions / larger), true));
  });
}

void Partitions::arrived(Request& request, const Event& event) {
  const auto index = static_cast<std::size_t>(event.fields[Field::first_partition]);
  OpenAccess* const arrived = request.accesses.at(index);
  if (event.fields[Field::flag] == 0 || arrived == nullptr) return;
  Access done = arrived->access();
  *arrived = {};
  // The store to the partition is complete, and everything before its MPI_Pready happens before
  // this call.
  if (effects_.keeps_edges() && !request.rare->acquires.empty())
    acquire(request.rare->acquires.front().first, count_of(*request.rare->prepared),
            static_cast<std::int64_t>(index));
  effects_.close_now(done, event.site);
}

void Partitions::ready(Request& request, const Event& event) {
  Request::Rare& rare = *request.rare;
  const std::vector<std::int64_t> partitions = named_in(event);
  const Event& prepared = *rare.prepared;
  const WorldRank to = prepared.fields.rank(Field::to);
  const std::uint64_t key = key_of(request, effects_.rank(), to, prepared.fields[Field::send_tag]);
  effects_.release(key);
  const std::int64_t count = count_of(prepared);
  if (effects_.keeps_edges())
    for (const std::int64_t i : partitions) release(request, key, count, i);
  // The receive completes when all partitions are ready.
  rare.ready += partitions.size();
  if (rare.ready == static_cast<std::uint64_t>(count) && steps_.wanted() && to.value >= 0 &&
      !request.comm->has_external_ranks)
    steps_.release(key, 1, true, event.site);
  for (const Buffer& whole : prepared.buffers)
    for (const std::int64_t i : partitions)
      request.accesses.add(
          effects_.opened(effects_.make(event, AccessKind::Load, part_of(whole, count, i), true)));
}

}  // namespace photofinish::mpi_meaning

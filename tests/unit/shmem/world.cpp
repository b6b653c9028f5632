#include "world.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "detect/analysis.h"
#include "frontend/front_ends.h"
#include "frontend/shmem/table/shmem_call.h"

namespace photofinish::shmem_testing {
namespace {

constexpr std::uint64_t kHeap = 0x100000, kMapped = 0x2000000;
constexpr std::uint64_t kModule = 0x500000, kModuleShift = 0x1000;  // differs on each PE

bool is_nbi_fetch(Call call) {
  return call == ShmemCall::shmem_atomic_fetch_add_nbi || call == ShmemCall::shmem_atomic_fetch_nbi;
}
bool returns_value(Call call) {
  return is_nbi_fetch(call) || call == ShmemCall::shmem_atomic_fetch ||
         call == ShmemCall::shmem_atomic_fetch_add || call == ShmemCall::shmem_atomic_swap ||
         call == ShmemCall::shmem_atomic_compare_swap;
}
bool only_reads(Call call) {
  return call == ShmemCall::shmem_atomic_fetch || call == ShmemCall::shmem_atomic_fetch_nbi;
}
bool replaces(Call call) {
  return call == ShmemCall::shmem_atomic_set || call == ShmemCall::shmem_atomic_swap ||
         call == ShmemCall::shmem_p || call == ShmemCall::shmem_put;
}

}  // namespace

World::World(int pes) : pes_(static_cast<std::size_t>(pes)) {
  for (int i = 0; i < pes; ++i) {
    Pe& pe = pes_[static_cast<std::size_t>(i)];
    pe.definitions.rank.rank = WorldRank(i);
    pe.definitions.rank.world_size = pes;
    pe.definitions.rank.clock = {.id = 7};
    const auto region = [&](std::uint32_t id, std::uint64_t base, std::uint64_t size) {
      WinDefinition win;
      win.id = WinId(id);
      win.uid = Uid(id);
      win.flavour = WinFlavour::Symmetric;
      win.base = base;
      win.size = size;
      pe.definitions.wins[win.id] = win;
    };
    region(1, kHeap, kHeapBytes);
    region(2, kModule + kModuleShift * static_cast<std::uint64_t>(i), kStaticBytes);
    for (const auto& [id, name] :
         {std::pair(1u, "SHMEM_SIGNAL_SET"), std::pair(2u, "SHMEM_SIGNAL_ADD")})
      pe.definitions.ops[OpId(id)] = {OpId(id), name};
    pe.next() = node();
  }
  std::vector<int> all(pes_.size());
  for (int i = 0; i < pes; ++i) all[static_cast<std::size_t>(i)] = i;
  together(all, ShmemCall::shmem_init, false);
}

// --- the graph

World::Node World::node() {
  next_.emplace_back();
  return next_.size() - 1;
}

World::Call_ World::call(int pe, Call what) {
  Pe& on = pes_[static_cast<std::size_t>(pe)];
  Event& event = on.events.emplace_back();
  const auto number = site_ != 0 ? site_++ : static_cast<std::uint32_t>(on.events.size());
  event.call = what;
  event.task = TaskId(on.thread);
  if (on.has_threads) event.fields.set(Field::order, ++on.order);
  event.site = SiteId(number);
  event.start = clock_;
  event.duration = 50;
  on.definitions.sites[event.site] = {
      event.site, {{ModuleId(1), static_cast<std::uint64_t>(pe) * 1000000 + number}}};
  Call_ made{pe, &event, on.next(), node(), node()};
  edge(made.start, made.middle);
  edge(made.middle, made.end);
  on.next() = node();
  edge(made.end, on.next());
  return made;
}

void World::continue_as(int pe, std::uint32_t thread) {
  Pe& on = pes_[static_cast<std::size_t>(pe)];
  on.has_threads = true;
  on.thread = thread;
  if (on.last.contains(thread)) return;
  const Node first = node();
  for (const auto& [other, last] : on.last) edge(last, first);
  on.next() = first;
}

void World::hand_over(int pe, std::uint32_t to) {
  Pe& on = pes_[static_cast<std::size_t>(pe)];
  const std::int64_t key = ++on.keys;
  const Call_ release = call(pe, Call::task_release);
  release.event->fields.set(Field::key, key);
  const Node released = release.start;
  const std::uint32_t from = on.thread;
  advance();
  continue_as(pe, to);
  const Call_ acquire = call(pe, Call::task_acquire);
  acquire.event->fields.set(Field::key, key);
  edge(released, acquire.end);
  on.thread = from;
  advance();
}

void World::access(const Call_& call, int owner, AccessKind kind, std::uint64_t address,
                   std::int64_t bytes, Node begin, Node end, bool reads_only) {
  accesses_.push_back({call.pe, owner, kind, reads_only, address,
                       address + static_cast<std::uint64_t>(bytes), begin, end,
                       call.event->site.value});
}

std::uint64_t World::address_of(int pe, std::uint64_t offset) const {
  return offset >= kStatic
             ? kModule + kModuleShift * static_cast<std::uint64_t>(pe) + offset - kStatic
             : kHeap + offset;
}

void World::set_target(const Call_& call, int target, std::uint64_t offset, const How& how) {
  call.event->fields.set(Field::target, target);
  call.event->fields.set(Field::win, region_of(offset));
  if (how.context != 0) call.event->fields.set(Field::context, how.context);
}

World::Operation& World::begin(const Call_& call, int target, const How& how, bool ordered) {
  Operation made;
  made.pe = call.pe;
  made.target = target;
  made.context = how.context;
  made.stage = pes_[static_cast<std::size_t>(call.pe)].stages[how.context];
  made.ordered = ordered;
  made.begins = node();
  made.delivered = node();
  made.free = node();
  edge(call.start, made.begins);
  edge(made.begins, made.delivered);
  edge(call.start, made.free);
  for (const Operation& earlier : pending_)
    if (ordered && earlier.ordered && earlier.pe == made.pe && earlier.target == target &&
        earlier.context == made.context && earlier.stage < made.stage)
      edge(earlier.delivered, made.begins);
  pending_.push_back(made);
  return pending_.back();
}

void World::origin(const Call_& call, BufferUse use, std::int64_t bytes, const How& how,
                   Operation& operation) {
  const std::uint64_t address = how.origin != 0 ? how.origin : (fresh_ += 0x1000);
  call.event->buffers.push_back({use, address, bytes, TypeId(0)});
  if (!how.nonblocking) edge(operation.free, call.end);
  access(call, call.pe, use == BufferUse::Read ? AccessKind::Load : AccessKind::Store, address,
         bytes, call.start, operation.free);
}

void World::follow(const Call_& call, const std::vector<Node>& sources) {
  for (const Node source : sources) edge(source, call.end);
}

void World::observe(const Call_& call, int owner, std::uint64_t offset) {
  follow(call, words_[{owner, offset}].shows);
}

// --- operations

void World::put(int pe, int target, std::uint64_t offset, std::int64_t bytes, How how) {
  const Call_ made = call(pe, how.nonblocking ? ShmemCall::shmem_put_nbi : ShmemCall::shmem_put);
  set_target(made, target, offset, how);
  Operation& operation = begin(made, target, how, true);
  origin(made, BufferUse::Read, bytes, how, operation);
  made.event->buffers.push_back(
      {BufferUse::TargetWrite, displacement_of(offset), bytes, TypeId(0)});
  access(made, target, AccessKind::Put, address_of(target, offset), bytes, operation.begins,
         operation.delivered);
  advance();
}

void World::p(int pe, int target, std::uint64_t offset, std::uint64_t value, How how) {
  const Call_ made = call(pe, ShmemCall::shmem_p);
  set_target(made, target, offset, how);
  const Operation& operation = begin(made, target, how, true);
  made.event->buffers.push_back({BufferUse::TargetWrite, displacement_of(offset), 8, TypeId(0)});
  made.event->fields.set(Field::atomic, ++pes_[static_cast<std::size_t>(pe)].atomics);
  made.event->fields.set(Field::operand, static_cast<std::int64_t>(value));
  access(made, target, AccessKind::Put, address_of(target, offset), 8, operation.begins,
         operation.delivered);
  words_[{target, offset}] = {value, {operation.delivered}};
  advance();
}

void World::get(int pe, int target, std::uint64_t offset, std::int64_t bytes, How how) {
  const Call_ made = call(pe, how.nonblocking ? ShmemCall::shmem_get_nbi : ShmemCall::shmem_get);
  set_target(made, target, offset, how);
  Operation& operation = begin(made, target, how, false);
  origin(made, BufferUse::Write, bytes, how, operation);
  made.event->buffers.push_back({BufferUse::TargetRead, displacement_of(offset), bytes, TypeId(0)});
  access(made, target, AccessKind::Get, address_of(target, offset), bytes, operation.begins,
         operation.delivered);
  if (!how.nonblocking) edge(operation.delivered, made.end);
  advance();
}

void World::put_signal(int pe, int target, std::uint64_t offset, std::int64_t bytes,
                       std::uint64_t signal, std::uint64_t value, Signal op, How how) {
  const Call_ made =
      call(pe, how.nonblocking ? ShmemCall::shmem_put_signal_nbi : ShmemCall::shmem_put_signal);
  set_target(made, target, offset, how);
  Operation& data = begin(made, target, how, true);
  origin(made, BufferUse::Read, bytes, how, data);
  const Node delivered = data.delivered;
  made.event->buffers.push_back(
      {BufferUse::TargetWrite, displacement_of(offset), bytes, TypeId(0)});
  access(made, target, AccessKind::Put, address_of(target, offset), bytes, data.begins, delivered);
  const Operation& word = begin(made, target, how, true);
  edge(delivered, word.begins);
  made.event->buffers.push_back({BufferUse::TargetUpdate, displacement_of(signal), 8, TypeId(0)});
  access(made, target, AccessKind::Accumulate, address_of(target, signal), 8, word.begins,
         word.delivered);
  made.event->fields.set(Field::atomic, ++pes_[static_cast<std::size_t>(pe)].atomics);
  made.event->fields.set(Field::operand, static_cast<std::int64_t>(value));
  made.event->fields.set(Field::op, op == Signal::Set ? 1 : 2);
  if (region_of(signal) != region_of(offset))
    made.event->fields.set(Field::signal_win, region_of(signal));
  Word& memory = words_[{target, signal}];
  if (op == Signal::Set) memory = {0, {}};
  memory.value += value;
  memory.shows.push_back(word.delivered);
  advance();
}

void World::atomic(int pe, int target, std::uint64_t offset, Call what, std::uint64_t value,
                   How how) {
  const Call_ made = call(pe, what);
  set_target(made, target, offset, how);
  const bool later = is_nbi_fetch(what), fetches = returns_value(what);
  how.nonblocking = later;
  Operation& operation = begin(made, target, how, !later);
  if (later) origin(made, BufferUse::Write, 8, how, operation);
  const std::int64_t number = ++pes_[static_cast<std::size_t>(pe)].atomics;
  made.event->buffers.push_back({BufferUse::TargetUpdate, displacement_of(offset), 8, TypeId(0)});
  made.event->fields.set(Field::atomic, number);
  if (!only_reads(what) && what != ShmemCall::shmem_atomic_inc)
    made.event->fields.set(Field::operand, static_cast<std::int64_t>(value));
  access(made, target, AccessKind::Accumulate, address_of(target, offset), 8, operation.begins,
         operation.delivered, only_reads(what));
  Word& memory = words_[{target, offset}];
  operation.atomic = number;
  operation.result = memory.value;
  operation.fetched_later = later;
  if (fetches && !later) {
    made.event->numbers = {number, static_cast<std::int64_t>(memory.value)};
    edge(operation.delivered, made.end);
    follow(made, memory.shows);
  }
  operation.sources = memory.shows;
  if (!only_reads(what)) {
    if (replaces(what) && !fetches) memory.shows.clear();
    memory.value = replaces(what)                        ? value
                   : what == ShmemCall::shmem_atomic_inc ? memory.value + 1
                                                         : memory.value + value;
    memory.shows.push_back(operation.delivered);
  }
  advance();
}

void World::compare_swap(int pe, int target, std::uint64_t offset, std::uint64_t compare,
                         std::uint64_t value) {
  const Call_ made = call(pe, ShmemCall::shmem_atomic_compare_swap);
  set_target(made, target, offset, {});
  const Operation& operation = begin(made, target, {}, true);
  const std::int64_t number = ++pes_[static_cast<std::size_t>(pe)].atomics;
  Word& memory = words_[{target, offset}];
  made.event->buffers.push_back({BufferUse::TargetUpdate, displacement_of(offset), 8, TypeId(0)});
  made.event->fields.set(Field::atomic, number);
  made.event->fields.set(Field::operand, static_cast<std::int64_t>(value));
  made.event->fields.set(Field::compare, static_cast<std::int64_t>(compare));
  made.event->numbers = {number, static_cast<std::int64_t>(memory.value)};
  access(made, target, AccessKind::Accumulate, address_of(target, offset), 8, operation.begins,
         operation.delivered);
  edge(operation.delivered, made.end);
  follow(made, memory.shows);
  if (memory.value == compare) {
    memory.value = value;
    memory.shows.push_back(operation.delivered);
  }
  advance();
}

// --- observations

void World::wait(int pe, Call what, const std::vector<std::uint64_t>& offsets) {
  const Call_ made = call(pe, what);
  made.event->fields.set(Field::win, region_of(offsets.front()));
  for (const std::uint64_t offset : offsets) {
    made.event->buffers.push_back({BufferUse::Read, address_of(pe, offset), 8, TypeId(0)});
    made.event->numbers.push_back(static_cast<std::int64_t>(value(pe, offset)));
    observe(made, pe, offset);
  }
  advance();
}
void World::wait_until(int pe, std::uint64_t offset) {
  wait(pe, ShmemCall::shmem_wait_until, {offset});
}
void World::hang_in_wait(int pe, std::uint64_t offset) {
  const Call_ made = call(pe, ShmemCall::shmem_wait_until);
  made.event->returned = false;
  made.event->fields.set(Field::win, region_of(offset));
  made.event->buffers.push_back({BufferUse::Read, address_of(pe, offset), 8, TypeId(0)});
  advance();
}

void World::message(int from, int to) {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  constexpr std::int64_t kTag = 5;
  const Call_ send = call(from, MpiCall::MPI_Send);
  send.event->fields.set(Field::comm, team_of(all));
  send.event->fields.set(Field::to, to);
  send.event->fields.set(Field::send_tag, kTag);
  send.event->buffers.push_back({BufferUse::Read, fresh_ += 0x1000, 8, TypeId(0)});
  const Node sent = send.start;
  advance();
  const Call_ receive = call(to, MpiCall::MPI_Recv);
  receive.event->fields.set(Field::comm, team_of(all));
  receive.event->fields.set(Field::from, from);
  receive.event->fields.set(Field::recv_tag, kTag);
  receive.event->fields.set(Field::matched_from, from);
  receive.event->fields.set(Field::matched_tag, kTag);
  receive.event->fields.set(Field::matched_bytes, 8);
  receive.event->buffers.push_back({BufferUse::Write, fresh_ += 0x1000, 8, TypeId(0)});
  edge(sent, receive.end);
  advance();
}

void World::signal_wait_until(int pe, std::uint64_t offset) {
  wait(pe, ShmemCall::shmem_signal_wait_until, {offset});
}
void World::wait_until_all(int pe, const std::vector<std::uint64_t>& offsets) {
  wait(pe, ShmemCall::shmem_wait_until_all, offsets);
}

// --- completion and order

// Results that are returned later are in the call that completes the operation.
void World::complete(const Call_& call, int context) {
  std::erase_if(pending_, [&](const Operation& operation) {
    if (operation.pe != call.pe || operation.context != context) return false;
    edge(operation.delivered, call.middle);
    edge(operation.free, call.middle);
    if (operation.fetched_later) {
      call.event->numbers.push_back(operation.atomic);
      call.event->numbers.push_back(static_cast<std::int64_t>(operation.result));
      follow(call, operation.sources);
    }
    return true;
  });
}

void World::quiet(int pe, int context) {
  const Call_ made = call(pe, context != 0 ? ShmemCall::shmem_ctx_quiet : ShmemCall::shmem_quiet);
  if (context != 0) made.event->fields.set(Field::context, context);
  complete(made, context);
  advance();
}
void World::destroy_context(int pe, int context) {
  const Call_ made = call(pe, ShmemCall::shmem_ctx_destroy);
  made.event->fields.set(Field::context, context);
  complete(made, context);
  advance();
}
void World::fence(int pe, int context) {
  const Call_ made = call(pe, context != 0 ? ShmemCall::shmem_ctx_fence : ShmemCall::shmem_fence);
  if (context != 0) made.event->fields.set(Field::context, context);
  ++pes_[static_cast<std::size_t>(pe)].stages[context];
  advance();
}

CommId World::team_of(const std::vector<int>& team) {
  const auto [found, fresh] = teams_.try_emplace(team, CommId(0));
  if (!fresh) return found->second;
  found->second = CommId(static_cast<std::uint32_t>(10 + teams_.size()));
  for (Pe& pe : pes_) {
    GroupDefinition group;
    group.id = GroupId(found->second.value);
    for (const int member : team) group.ranks.emplace_back(member);
    pe.definitions.groups[group.id] = group;
    CommDefinition comm;
    comm.id = found->second;
    comm.uid = Uid(found->second.value);
    comm.group = group.id;
    pe.definitions.comms[comm.id] = comm;
  }
  return found->second;
}

// A call of several PEs. Each returns after all have called it; with a root: after the root has.
void World::together(const std::vector<int>& team, Call what, bool completes, std::uint64_t psync,
                     int root) {
  const bool all = team.size() == pes_.size() && psync == 0 && what != ShmemCall::shmem_barrier &&
                   what != ShmemCall::shmem_sync;
  std::vector<Call_> calls;
  for (const int pe : team) {
    calls.push_back(call(pe, what));
    if (!all) calls.back().event->fields.set(Field::comm, team_of(team));
    if (root >= 0) calls.back().event->fields.set(Field::root, root);
    if (completes) complete(calls.back(), 0);
  }
  for (const Call_& one : calls)
    for (const Call_& other : calls)
      if (root < 0 || one.pe == root) edge(one.middle, other.end);
  if (psync != 0)
    for (const Call_& one : calls) {
      const auto buffer = [&](BufferUse use, std::uint64_t address) {
        one.event->buffers.push_back({use, address, 8, TypeId(0)});
      };
      if (root < 0 || one.pe == root) buffer(BufferUse::Read, fresh_ += 0x1000);
      if (root < 0 || one.pe != root) buffer(BufferUse::Write, fresh_ += 0x1000);
      buffer(BufferUse::ReadWrite, address_of(one.pe, psync));
      // It updates the arrays of the others at once, and uses its own one until it returns.
      access(one, one.pe, AccessKind::Store, address_of(one.pe, psync), 8, one.end, one.end);
      for (const Call_& other : calls)
        if (other.pe != one.pe && (root < 0 || one.pe == root))
          access(one, other.pe, AccessKind::Accumulate, address_of(other.pe, psync), 8, one.start,
                 one.start);
    }
  advance();
}

void World::barrier_all() {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  together(all, ShmemCall::shmem_barrier_all, true);
}
void World::sync_all() {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  together(all, ShmemCall::shmem_sync_all, false);
}
void World::barrier(const std::vector<int>& team) {
  together(team, ShmemCall::shmem_barrier, true);
}
void World::sync(const std::vector<int>& team) { together(team, ShmemCall::shmem_sync, false); }
void World::broadcast(int root, const std::vector<int>& team, std::uint64_t psync) {
  together(team, ShmemCall::shmem_broadcast, false, psync, root);
}
void World::reduce(const std::vector<int>& team, std::uint64_t psync) {
  together(team, ShmemCall::shmem_reduce, false, psync);
}

void World::set_lock(int pe, std::uint64_t offset) {
  const Call_ made = call(pe, ShmemCall::shmem_set_lock);
  made.event->fields.set(Field::win, region_of(offset));
  made.event->buffers.push_back({BufferUse::TargetUpdate, displacement_of(offset), 8, TypeId(0)});
  LockState& lock = locks_[offset];
  if (lock.was_released) edge(lock.released, made.end);
  lock.holder = pe;
  advance();
}
void World::clear_lock(int pe, std::uint64_t offset) {
  const Call_ made = call(pe, ShmemCall::shmem_clear_lock);
  made.event->fields.set(Field::win, region_of(offset));
  made.event->buffers.push_back({BufferUse::TargetUpdate, displacement_of(offset), 8, TypeId(0)});
  complete(made, 0);
  locks_[offset] = {-1, made.middle, true};
  advance();
}

void World::malloc() {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  together(all, ShmemCall::shmem_malloc, true);
  for (Pe& pe : pes_) pe.events.back().fields.set(Field::size, 64);
}

void World::free(std::uint64_t offset, std::int64_t bytes) {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  together(all, ShmemCall::shmem_free, true);
  for (int i = 0; i < size(); ++i) {
    Pe& pe = pes_[static_cast<std::size_t>(i)];
    Event& event = pe.events.back();
    event.fields.set(Field::address, static_cast<std::int64_t>(address_of(i, offset)));
    event.buffers.push_back({BufferUse::Write, address_of(i, offset), bytes, TypeId(0)});
    const Node end = next_.size();
    node();
    edge(pe.next(), end);
    access({i, &event, pe.next(), pe.next(), end}, i, AccessKind::Store, address_of(i, offset),
           bytes, pe.next(), end);
    pe.next() = node();
    edge(end, pe.next());
  }
}

void World::finalize() {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  std::set<int> contexts;
  for (const Operation& operation : pending_) contexts.insert(operation.context);
  std::vector<Call_> calls;
  for (const int pe : all) {
    calls.push_back(call(pe, ShmemCall::shmem_finalize));
    for (const int context : contexts) complete(calls.back(), context);
  }
  for (const Call_& one : calls)
    for (const Call_& other : calls) edge(one.middle, other.end);
  advance();
}

// --- the program itself

void World::own(int pe, Call what, std::uint64_t address, std::int64_t bytes) {
  const Call_ made = call(pe, what);
  const bool loads = what == Call::load;
  made.event->buffers.push_back(
      {loads ? BufferUse::Read : BufferUse::Write, address, bytes, TypeId(0)});
  access(made, pe, loads ? AccessKind::Load : AccessKind::Store, address, bytes, made.start,
         made.end);
  advance();
}
void World::load(int pe, std::uint64_t offset, std::int64_t bytes) {
  own(pe, Call::load, address_of(pe, offset), bytes);
}
void World::store(int pe, std::uint64_t offset, std::int64_t bytes) {
  own(pe, Call::store, address_of(pe, offset), bytes);
  words_[{pe, offset}] = {0, {}};
}
void World::load_private(int pe, std::uint64_t address, std::int64_t bytes) {
  own(pe, Call::load, address, bytes);
}
void World::store_private(int pe, std::uint64_t address, std::int64_t bytes) {
  own(pe, Call::store, address, bytes);
}

void World::map(int pe, int target) {
  const Call_ made = call(pe, ShmemCall::shmem_ptr);
  made.event->fields.set(Field::win, WinId(1));
  made.event->fields.set(Field::target, target);
  pes_[static_cast<std::size_t>(pe)].definitions.wins[WinId(1)].segments.push_back(
      {WorldRank(target), kMapped + kHeapBytes * static_cast<std::uint64_t>(target), kHeapBytes});
  advance();
}
void World::mapped(int pe, int target, std::uint64_t offset, std::int64_t bytes, Call what) {
  const Call_ made = call(pe, what);
  const bool loads = what == Call::load;
  made.event->buffers.push_back({loads ? BufferUse::Read : BufferUse::Write,
                                 kMapped + kHeapBytes * static_cast<std::uint64_t>(target) + offset,
                                 bytes, TypeId(0)});
  access(made, target, loads ? AccessKind::Load : AccessKind::Store, address_of(target, offset),
         bytes, made.start, made.end);
  advance();
}
void World::load_mapped(int pe, int target, std::uint64_t offset, std::int64_t bytes) {
  mapped(pe, target, offset, bytes, Call::load);
}
void World::store_mapped(int pe, int target, std::uint64_t offset, std::int64_t bytes) {
  mapped(pe, target, offset, bytes, Call::store);
}

std::uint64_t World::value(int pe, std::uint64_t offset) const {
  const auto found = words_.find({pe, offset});
  return found != words_.end() ? found->second.value : 0;
}
bool World::is_locked(std::uint64_t offset) const {
  const auto found = locks_.find(offset);
  return found != locks_.end() && found->second.holder >= 0;
}
bool World::holds(int pe, std::uint64_t offset) const {
  const auto found = locks_.find(offset);
  return found != locks_.end() && found->second.holder == pe;
}

// --- verdicts

std::set<Race> World::races() const {
  std::vector<std::vector<bool>> reaches(next_.size(), std::vector<bool>(next_.size(), false));
  for (Node from = 0; from < next_.size(); ++from) {
    std::vector<Node> left{from};
    while (!left.empty()) {
      const Node at = left.back();
      left.pop_back();
      for (const Node to : next_[at])
        if (!reaches[from][to]) reaches[from][to] = true, left.push_back(to);
    }
  }
  const auto before = [&](const TwinAccess& a, const TwinAccess& b) {
    return a.end == b.begin || reaches[a.end][b.begin];
  };
  const auto reads = [](const TwinAccess& a) {
    return a.kind == AccessKind::Load || a.kind == AccessKind::Get || a.reads_only;
  };
  std::set<Race> found;
  for (const TwinAccess& a : accesses_)
    for (const TwinAccess& b : accesses_) {
      if (&a >= &b || a.owner != b.owner || a.from >= b.to || b.from >= a.to) continue;
      if (a.rank == b.rank && a.event == b.event) continue;
      if (reads(a) && reads(b)) continue;
      const bool atomic = a.kind == AccessKind::Accumulate && b.kind == AccessKind::Accumulate;
      if (atomic && a.from == b.from && a.to == b.to) continue;
      if (before(a, b) || before(b, a)) continue;
      Race race{a.owner, {a.rank, a.event, a.kind}, {b.rank, b.event, b.kind}};
      if (race.other < race.one) std::swap(race.one, race.other);
      found.insert(race);
    }
  return found;
}

std::set<Race> World::found(std::size_t period) const {
  std::vector<std::size_t> next(pes_.size());
  std::vector<RankInput> inputs;
  for (std::size_t i = 0; i < pes_.size(); ++i)
    inputs.push_back(
        {pes_[i].definitions.rank.rank, &pes_[i].definitions, meaning_of, [this, &next, i] {
           return next[i] < pes_[i].events.size() ? &pes_[i].events[next[i]++] : nullptr;
         }});
  std::set<Race> races;
  for (const Finding& finding : analyze(std::move(inputs), RuleOptions(), period)) {
    const auto side = [&](int i) {
      return Side{finding.sides[i].rank.value, finding.sides[i].site.value, finding.sides[i].kind};
    };
    Race race{finding.owner.value, side(0), side(1)};
    if (race.other < race.one) std::swap(race.one, race.other);
    races.insert(race);
  }
  return races;
}

std::string World::text() const {
  std::ostringstream out;
  for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
    out << "PE " << pe << '\n';
    for (const Event& event : pes_[pe].events) {
      out << "  " << event.site.value << " @" << event.start << ' ' << traits(event.call).name;
      event.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t value) {
        out << ' ' << traits(field).label << '=' << value;
      });
      for (const Buffer& buffer : event.buffers)
        out << " [" << static_cast<int>(buffer.access) << " 0x" << std::hex << buffer.address
            << std::dec << '+' << buffer.count << ']';
      for (const std::int64_t number : event.numbers) out << " #" << number;
      out << '\n';
    }
  }
  return out.str();
}

std::string text(const std::set<Race>& races) {
  static constexpr std::array kKinds = {"load", "store", "get", "put", "atomic"};
  std::ostringstream out;
  for (const Race& race : races) {
    out << "memory of PE " << race.owner << ':';
    for (const Side& side : {race.one, race.other})
      out << ' ' << kKinds[static_cast<std::size_t>(side.kind)] << " of PE " << side.rank
          << " event " << side.event;
    out << '\n';
  }
  return out.str();
}

}  // namespace photofinish::shmem_testing

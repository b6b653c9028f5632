#include "world.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "detect/analysis.h"
#include "frontend/front_ends.h"
#include "frontend/upc/table/upc_call.h"
#include "upc_runtime/operations.h"

namespace photofinish::upc_testing {
namespace {

constexpr std::uint64_t kSegment = 0x100000, kShift = 0x10000;  // differs on each thread

std::uint64_t address_of(int thread, std::uint64_t offset) {
  return kSegment + kShift * static_cast<std::uint64_t>(thread) + offset;
}

}  // namespace

World::World(int threads) : threads_(static_cast<std::size_t>(threads)) {
  for (int i = 0; i < threads; ++i) {
    Thread& thread = at(i);
    thread.definitions.rank.rank = WorldRank(i);
    thread.definitions.rank.world_size = threads;
    thread.definitions.rank.clock = {.id = 7};
    WinDefinition win;
    win.id = WinId(1);
    win.uid = Uid(1);
    win.flavour = WinFlavour::Symmetric;
    win.base = address_of(i, 0);
    win.size = kBytes;
    thread.definitions.wins[win.id] = win;
    thread.next = node();
  }
  together(UpcCall::upc_init);
}

// --- the graph

World::Node World::node() {
  next_.emplace_back();
  return next_.size() - 1;
}

World::Call_ World::call(int thread, Call what) {
  Thread& on = at(thread);
  Event& event = on.events.emplace_back();
  const auto number = static_cast<std::uint32_t>(on.events.size());
  event.call = what;
  event.task = TaskId(1);
  event.site = SiteId(number);
  event.start = clock_;
  event.duration = 50;
  on.definitions.sites[event.site] = {
      event.site, {{ModuleId(1), static_cast<std::uint64_t>(thread) * 1000000 + number}}};
  const Call_ made{thread, &event, on.next, node()};
  edge(made.start, made.end);
  on.next = node();
  edge(made.end, on.next);
  return made;
}

void World::access(const Call_& call, int owner, AccessKind kind, std::uint64_t address,
                   std::int64_t bytes, Node begin, Node end, bool reads_only) {
  accesses_.push_back({call.thread, owner, kind, reads_only, address,
                       address + static_cast<std::uint64_t>(bytes), begin, end,
                       call.event->site.value});
}

void World::target(const Call_& call, int owner, BufferUse use, std::uint64_t offset,
                   std::int64_t bytes) {
  call.event->fields.set(Field::target, owner);
  call.event->fields.set(Field::win, WinId(1));
  call.event->buffers.push_back({use, offset, bytes, TypeId(0)});
}

// --- accesses

void World::own(int thread, Call what, std::uint64_t address, std::int64_t bytes) {
  const Call_ made = call(thread, what);
  const bool loads = what == Call::load;
  made.event->buffers.push_back(
      {loads ? BufferUse::Read : BufferUse::Write, address, bytes, TypeId(0)});
  access(made, thread, loads ? AccessKind::Load : AccessKind::Store, address, bytes, made.start,
         made.end);
  advance();
}

void World::relaxed(int thread, Call what, int owner, std::uint64_t offset, std::int64_t bytes,
                    bool writes) {
  const Call_ made = call(thread, what);
  target(made, owner, writes ? BufferUse::TargetWrite : BufferUse::TargetRead, offset, bytes);
  access(made, owner, writes ? AccessKind::Put : AccessKind::Get, address_of(owner, offset), bytes,
         made.start, made.end);
  advance();
}

void World::read(int thread, int owner, std::uint64_t offset) {
  if (thread == owner) return own(thread, Call::load, address_of(thread, offset), 8);
  relaxed(thread, UpcCall::shared_read, owner, offset, 8, false);
}
void World::write(int thread, int owner, std::uint64_t offset) {
  if (thread == owner) return own(thread, Call::store, address_of(thread, offset), 8);
  relaxed(thread, UpcCall::shared_write, owner, offset, 8, true);
}
void World::memput(int thread, int owner, std::uint64_t offset, std::int64_t bytes) {
  relaxed(thread, UpcCall::upc_memput, owner, offset, bytes, true);
}
void World::memget(int thread, int owner, std::uint64_t offset, std::int64_t bytes) {
  relaxed(thread, UpcCall::upc_memget, owner, offset, bytes, false);
}
void World::store_private(int thread, std::uint64_t address) {
  own(thread, Call::store, address, 8);
}

void World::transfer(int thread, Call what, int owner, std::uint64_t offset, std::int64_t handle,
                     std::uint64_t origin, bool writes) {
  const Call_ made = call(thread, what);
  const Node done = node();
  edge(made.start, done);
  const std::uint64_t buffer = origin != 0 ? origin : (fresh_ += 0x1000);
  made.event->buffers.push_back(
      {writes ? BufferUse::Read : BufferUse::Write, buffer, 8, TypeId(0)});
  access(made, thread, writes ? AccessKind::Load : AccessKind::Store, buffer, 8, made.start, done);
  target(made, owner, writes ? BufferUse::TargetWrite : BufferUse::TargetRead, offset, 8);
  access(made, owner, writes ? AccessKind::Put : AccessKind::Get, address_of(owner, offset), 8,
         made.start, done);
  made.event->fields.set(Field::context, handle);
  at(thread).pending[handle].push_back(done);
  advance();
}
void World::memput_nb(int thread, int owner, std::uint64_t offset, std::int64_t handle,
                      std::uint64_t origin) {
  transfer(thread, UpcCall::upc_memput_nb, owner, offset, handle, origin, true);
}
void World::memget_nb(int thread, int owner, std::uint64_t offset, std::int64_t handle,
                      std::uint64_t origin) {
  transfer(thread, UpcCall::upc_memget_nb, owner, offset, handle, origin, false);
}
void World::sync(int thread, std::int64_t handle) {
  const Call_ made = call(thread, handle == 1 ? UpcCall::upc_synci : UpcCall::upc_sync);
  made.event->fields.set(Field::context, handle);
  for (const Node done : at(thread).pending[handle]) edge(done, made.end);
  at(thread).pending.erase(handle);
  advance();
}

// --- strict accesses and atomics

World::Node World::strict(int thread, Call what, int owner, std::uint64_t offset, bool reads_only,
                          bool fetches, std::uint64_t operand) {
  const Call_ made = call(thread, what);
  target(made, owner, BufferUse::TargetUpdate, offset, 8);
  const Node done = node();
  edge(made.start, done);
  edge(done, made.end);
  access(made, owner, AccessKind::Accumulate, address_of(owner, offset), 8, made.start, done,
         reads_only);
  const std::int64_t number = ++at(thread).atomics;
  made.event->fields.set(Field::atomic, number);
  if (!reads_only) made.event->fields.set(Field::operand, static_cast<std::int64_t>(operand));
  const Word& word = words_[{owner, offset}];
  if (fetches) {
    made.event->numbers = {number, static_cast<std::int64_t>(word.value)};
    for (const Node shown : word.shows) edge(shown, made.end);
  }
  advance();
  return done;
}

void World::strict_read(int thread, int owner, std::uint64_t offset) {
  strict(thread, UpcCall::strict_read, owner, offset, true, true, 0);
}
void World::strict_write(int thread, int owner, std::uint64_t offset, std::uint64_t value) {
  const Node done = strict(thread, UpcCall::strict_write, owner, offset, false, false, value);
  words_[{owner, offset}] = {value, {done}};
}
void World::fetch_add(int thread, int owner, std::uint64_t offset, std::uint64_t value) {
  const Node done = strict(thread, UpcCall::upc_atomic_relaxed, owner, offset, false, true, value);
  at(thread).events.back().fields.set(Field::value, upc::kAdd);
  Word& word = words_[{owner, offset}];
  word.value += value;
  word.shows.push_back(done);
}

// --- synchronization

void World::together(Call what) {
  std::vector<Call_> calls;
  for (int i = 0; i < size(); ++i) calls.push_back(call(i, what));
  for (const Call_& one : calls)
    for (const Call_& other : calls) edge(one.start, other.end);
  advance();
}

void World::barrier() { together(UpcCall::upc_barrier); }

void World::begin_split(const std::set<int>& split) {
  is_split_ = true;
  split_ = split;
  notified_.clear();
  for (const int thread : split) notified_.push_back(call(thread, UpcCall::upc_notify).start);
  advance();
}

void World::finish_split() {
  std::vector<Call_> calls;
  for (int i = 0; i < size(); ++i) {
    const bool waits = split_.contains(i);
    calls.push_back(call(i, waits ? UpcCall::upc_wait : UpcCall::upc_barrier));
    if (waits) continue;
    calls.back().event->fields.set(Field::flag, split_.empty() ? 0 : 1);
    notified_.push_back(calls.back().start);
  }
  for (const Node from : notified_)
    for (const Call_& one : calls) edge(from, one.end);
  is_split_ = false;
  advance();
}

void World::fence(int thread) {
  call(thread, UpcCall::upc_fence);
  advance();
}

void World::object(const Call_& call, std::uint64_t displacement, std::int64_t value) {
  call.event->fields.set(Field::target, 0);
  call.event->fields.set(Field::win, WinId(1));
  call.event->fields.set(Field::key, static_cast<std::int64_t>(displacement));
  call.event->fields.set(Field::value, value);
}

void World::lock(int thread, std::uint64_t lock) {
  const Call_ made = call(thread, UpcCall::upc_lock);
  LockState& state = locks_[lock];
  object(made, lock, ++state.turn);
  for (const Node released : state.released) edge(released, made.end);
  state.holder = thread;
  advance();
}
void World::unlock(int thread, std::uint64_t lock) {
  const Call_ made = call(thread, UpcCall::upc_unlock);
  LockState& state = locks_[lock];
  object(made, lock, state.turn);
  state.released = {made.start};
  state.holder = -1;
  advance();
}
int World::holder(std::uint64_t lock) const {
  const auto found = locks_.find(lock);
  return found != locks_.end() ? found->second.holder : -1;
}

void World::post(int thread, std::uint64_t semaphore, std::int64_t count) {
  const Call_ made = call(thread, UpcCall::bupc_sem_post);
  Units& units = units_[semaphore];
  units.posted += count;
  object(made, semaphore, units.posted);
  made.event->fields.set(Field::size, count);
  for (std::int64_t i = 0; i < count; ++i) units.posts.push_back(made.start);
  advance();
}
bool World::can_take(std::uint64_t semaphore) const {
  const auto found = units_.find(semaphore);
  return found != units_.end() && found->second.taken < found->second.posted;
}
void World::take(int thread, std::uint64_t semaphore) {
  const Call_ made = call(thread, UpcCall::bupc_sem_wait);
  Units& units = units_[semaphore];
  object(made, semaphore, ++units.taken);
  made.event->fields.set(Field::size, 1);
  for (std::int64_t i = 0; i < units.taken; ++i)
    edge(units.posts[static_cast<std::size_t>(i)], made.end);
  advance();
}

// The accesses are between the two synchronizations.
void World::broadcast(int root, std::uint64_t offset) {
  together(UpcCall::UPC_IN_ALLSYNC);
  std::vector<Call_> calls;
  for (int i = 0; i < size(); ++i) {
    const Call_ made = call(i, UpcCall::upc_all_broadcast);
    made.event->fields.set(Field::root, root);
    const BufferUse use = i == root ? BufferUse::Read : BufferUse::Write;
    made.event->buffers.push_back({use, address_of(i, offset), 8, TypeId(0)});
    access(made, i, i == root ? AccessKind::Load : AccessKind::Store, address_of(i, offset), 8,
           made.start, made.end);
    calls.push_back(made);
  }
  for (const Call_& one : calls)
    if (one.thread != root) edge(calls[static_cast<std::size_t>(root)].start, one.end);
  advance();
  together(UpcCall::UPC_OUT_ALLSYNC);
}

void World::alloc_free(int freeing, int allocating, std::uint64_t block) {
  const std::int64_t turn = ++freed_[block];
  const Call_ freed = call(freeing, UpcCall::upc_free);
  object(freed, block, turn);
  const Node start = freed.start;
  advance();
  const Call_ made = call(allocating, UpcCall::upc_alloc);
  object(made, block, turn);
  edge(start, made.end);
  advance();
}

void World::finalize() { together(UpcCall::upc_finalize); }

std::uint64_t World::value(int owner, std::uint64_t offset) const {
  const auto found = words_.find({owner, offset});
  return found != words_.end() ? found->second.value : 0;
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
      if (a.thread == b.thread && a.event == b.event) continue;
      if (reads(a) && reads(b)) continue;
      if (a.kind == AccessKind::Accumulate && b.kind == AccessKind::Accumulate) continue;
      if (before(a, b) || before(b, a)) continue;
      Race race{a.owner, {a.thread, a.event, a.kind}, {b.thread, b.event, b.kind}};
      if (race.other < race.one) std::swap(race.one, race.other);
      found.insert(race);
    }
  return found;
}

std::set<Race> World::found(std::size_t period) const {
  std::vector<std::size_t> next(threads_.size());
  std::vector<RankInput> inputs;
  for (std::size_t i = 0; i < threads_.size(); ++i)
    inputs.push_back(
        {threads_[i].definitions.rank.rank, &threads_[i].definitions, meaning_of, [this, &next, i] {
           return next[i] < threads_[i].events.size() ? &threads_[i].events[next[i]++] : nullptr;
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
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    out << "thread " << thread << '\n';
    for (const Event& event : threads_[thread].events) {
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
  static constexpr std::array kKinds = {"load", "store", "get", "put", "strict"};
  std::ostringstream out;
  for (const Race& race : races) {
    out << "memory of thread " << race.owner << ':';
    for (const Side& side : {race.one, race.other})
      out << ' ' << kKinds[static_cast<std::size_t>(side.kind)] << " of thread " << side.thread
          << " event " << side.event;
    out << '\n';
  }
  return out.str();
}

}  // namespace photofinish::upc_testing

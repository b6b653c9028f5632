#include "world.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "detect/analysis.h"
#include "frontend/caf/table/atomic_operations.h"
#include "frontend/caf/table/caf_call.h"
#include "frontend/front_ends.h"

namespace photofinish::caf_testing {
namespace {

constexpr std::uint64_t kSegment = 0x100000, kShift = 0x10000;  // differs on each image
constexpr CommId kAllImages(1), kHalf(2);
constexpr WinId kCoarrayRegion(1), kVariableRegion(2);

std::uint64_t address_of(int image, std::uint64_t offset) {
  return kSegment + kShift * static_cast<std::uint64_t>(image) + offset;
}

}  // namespace

World::World(int images) : images_(static_cast<std::size_t>(images)) {
  std::vector<WorldRank> ranks;
  for (int i = 0; i < images; ++i) ranks.emplace_back(i), all_.push_back(i);
  for (int i = 0; i < images; ++i) {
    Image& image = at(i);
    Definitions& definitions = image.definitions;
    definitions.rank.rank = WorldRank(i);
    definitions.rank.world_size = images;
    definitions.rank.clock = {.id = 7};
    const auto add_team = [&](CommId id, std::vector<WorldRank> members) {
      definitions.groups[GroupId(id.value)] = {GroupId(id.value), std::move(members)};
      CommDefinition comm;
      comm.id = id;
      comm.uid = Uid(100 + id.value);
      comm.group = GroupId(id.value);
      definitions.comms[id] = comm;
    };
    add_team(kAllImages, ranks);
    add_team(kHalf, {WorldRank(0), WorldRank(1)});
    for (const WinId id : {kCoarrayRegion, kVariableRegion}) {
      WinDefinition win;
      win.id = id;
      win.uid = Uid(id.value);
      win.flavour = WinFlavour::Symmetric;
      win.base = address_of(i, id == kCoarrayRegion ? 0 : 2 * kBytes);
      win.size = kBytes;
      definitions.wins[id] = win;
    }
    image.next = node();
  }
  together(CafCall::caf_init, all_, kAllImages);
}

// --- the graph

World::Node World::node() {
  next_.emplace_back();
  return next_.size() - 1;
}

World::Call_ World::call(int image, Call what, CommId team) {
  Image& on = at(image);
  Event& event = on.events.emplace_back();
  const auto number = static_cast<std::uint32_t>(on.events.size());
  event.call = what;
  event.task = TaskId(1);
  event.site = SiteId(number);
  event.start = clock_;
  event.duration = 50;
  if (team != CommId()) event.fields.set(Field::comm, team);
  on.definitions.sites[event.site] = {
      event.site, {{ModuleId(1), static_cast<std::uint64_t>(image) * 1000000 + number}}};
  const Call_ made{image, &event, on.next, node()};
  edge(made.start, made.end);
  on.next = node();
  edge(made.end, on.next);
  return made;
}

void World::access(const Call_& call, int owner, AccessKind kind, std::uint64_t address,
                   std::int64_t bytes, Node begin, Node end, bool reads_only) {
  accesses_.push_back({call.image, owner, kind, reads_only, address,
                       address + static_cast<std::uint64_t>(bytes), begin, end,
                       call.event->site.value});
}

void World::target(const Call_& call, int owner, BufferUse use, std::uint64_t offset,
                   std::int64_t bytes) {
  call.event->fields.set(Field::target, owner);
  call.event->fields.set(Field::win, kCoarrayRegion);
  call.event->buffers.push_back({use, offset, bytes, TypeId(0)});
}

void World::own(const Call_& call, BufferUse use, std::uint64_t offset) {
  const std::uint64_t address = address_of(call.image, offset);
  call.event->buffers.push_back({use, address, 8, TypeId(0)});
  access(call, call.image, use == BufferUse::Read ? AccessKind::Load : AccessKind::Store, address,
         8, call.start, call.end);
}

// --- accesses

void World::load(int image, std::uint64_t offset) {
  own(call(image, Call::load), BufferUse::Read, offset);
  advance();
}
void World::store(int image, std::uint64_t offset) {
  own(call(image, Call::store), BufferUse::Write, offset);
  advance();
}

void World::coindexed(int image, Call what, int owner, std::uint64_t offset, std::int64_t bytes,
                      bool writes) {
  const Call_ made = call(image, what);
  target(made, owner, writes ? BufferUse::TargetWrite : BufferUse::TargetRead, offset, bytes);
  access(made, owner, writes ? AccessKind::Put : AccessKind::Get, address_of(owner, offset), bytes,
         made.start, made.end);
  advance();
}
void World::get(int image, int owner, std::uint64_t offset, std::int64_t bytes) {
  coindexed(image, CafCall::caf_get, owner, offset, bytes, false);
}
void World::put(int image, int owner, std::uint64_t offset, std::int64_t bytes) {
  coindexed(image, CafCall::caf_send, owner, offset, bytes, true);
}
void World::sendget(int image, int to, std::uint64_t to_offset, int from,
                    std::uint64_t from_offset) {
  coindexed(image, CafCall::caf_sendget, from, from_offset, 8, false);
  coindexed(image, CafCall::caf_sendget, to, to_offset, 8, true);
}

// --- atomics

void World::atomic(int image, Call what, int owner, std::uint64_t offset, bool reads_only,
                   bool fetches, std::uint64_t operand) {
  const Call_ made = call(image, what);
  target(made, owner, BufferUse::TargetUpdate, offset, 8);
  const Node done = node();
  edge(made.start, done);
  edge(done, made.end);
  access(made, owner, AccessKind::Accumulate, address_of(owner, offset), 8, made.start, done,
         reads_only);
  const std::int64_t number = ++at(image).atomics;
  made.event->fields.set(Field::atomic, number);
  if (!reads_only) made.event->fields.set(Field::operand, static_cast<std::int64_t>(operand));
  Word& word = words_[{owner, offset}];
  if (fetches) {
    made.event->numbers = {number, static_cast<std::int64_t>(word.value)};
    for (const Node shown : word.shows) edge(shown, made.end);
  }
  if (what == CafCall::caf_atomic_define) word = {operand, {done}};
  if (what == CafCall::caf_atomic_op) {
    made.event->fields.set(Field::value, caf::kAtomicAdd);
    word.value += operand;
    word.shows.push_back(done);
  }
  advance();
}
void World::atomic_ref(int image, int owner, std::uint64_t offset) {
  atomic(image, CafCall::caf_atomic_ref, owner, offset, true, true, 0);
}
void World::atomic_define(int image, int owner, std::uint64_t offset, std::uint64_t value) {
  atomic(image, CafCall::caf_atomic_define, owner, offset, false, false, value);
}
void World::atomic_fetch_add(int image, int owner, std::uint64_t offset, std::uint64_t value) {
  atomic(image, CafCall::caf_atomic_op, owner, offset, false, true, value);
}

// --- synchronization

void World::together(Call what, const std::vector<int>& images, CommId team) {
  std::vector<Call_> calls;
  for (const int image : images) calls.push_back(call(image, what, team));
  for (const Call_& one : calls)
    for (const Call_& other : calls) edge(one.start, other.end);
  advance();
}

void World::sync_all() { together(CafCall::caf_sync_all, all_, kAllImages); }
void World::sync_team() { together(CafCall::caf_sync_team, {0, 1}, kHalf); }
void World::finalize() { together(CafCall::caf_finalize, all_, kAllImages); }

void World::sync_images(const std::map<int, std::set<int>>& named) {
  std::map<int, Call_> calls;
  for (const auto& [image, others] : named) {
    calls[image] = call(image, CafCall::caf_sync_images, kAllImages);
    for (const int other : others) calls[image].event->numbers.push_back(other);
  }
  for (const auto& [image, others] : named)
    for (const int other : others)
      if (calls.contains(other)) edge(calls[image].start, calls[other].end);
  advance();
}

void World::sync_memory(int image) {
  call(image, CafCall::caf_sync_memory);
  advance();
}

void World::variable(const Call_& call, std::uint64_t index, std::int64_t value) {
  call.event->fields.set(Field::target, 0);
  call.event->fields.set(Field::win, kVariableRegion);
  call.event->fields.set(Field::key, static_cast<std::int64_t>(index));
  call.event->fields.set(Field::value, value);
}

void World::lock(int image, std::uint64_t lock) {
  const Call_ made = call(image, CafCall::caf_lock);
  LockState& state = locks_[lock];
  variable(made, lock, state.turns++);
  for (const Node released : state.released) edge(released, made.end);
  state.holder = image;
  advance();
}
void World::unlock(int image, std::uint64_t lock) {
  const Call_ made = call(image, CafCall::caf_unlock);
  variable(made, lock, 0);
  locks_[lock].released = {made.start};
  locks_[lock].holder = -1;
  advance();
}
int World::holder(std::uint64_t lock) const {
  const auto found = locks_.find(lock);
  return found != locks_.end() ? found->second.holder : -1;
}

void World::post(int image, std::uint64_t event) {
  const Call_ made = call(image, CafCall::caf_event_post);
  Units& units = units_[event];
  units.posts.push_back(made.start);
  variable(made, event, static_cast<std::int64_t>(units.posts.size()));
  made.event->fields.set(Field::size, 1);
  advance();
}
bool World::can_wait(std::uint64_t event, std::int64_t until) const {
  const auto found = units_.find(event);
  return found != units_.end() &&
         found->second.taken + until <= static_cast<std::int64_t>(found->second.posts.size());
}
void World::wait(std::uint64_t event, std::int64_t until) {
  const Call_ made = call(0, CafCall::caf_event_wait);
  Units& units = units_[event];
  variable(made, event, units.taken += until);
  made.event->fields.set(Field::size, until);
  for (std::int64_t i = 0; i < units.taken; ++i)
    edge(units.posts[static_cast<std::size_t>(i)], made.end);
  advance();
}

void World::broadcast(int source, std::uint64_t offset) {
  std::vector<Call_> calls;
  for (const int image : all_) {
    calls.push_back(call(image, CafCall::caf_co_broadcast, kAllImages));
    calls.back().event->fields.set(Field::root, source);
    own(calls.back(), image == source ? BufferUse::Read : BufferUse::Write, offset);
  }
  for (const Call_& one : calls)
    if (one.image != source) edge(calls[static_cast<std::size_t>(source)].start, one.end);
  advance();
}

void World::sum(int result, std::uint64_t offset) {
  std::vector<Call_> calls;
  for (const int image : all_) {
    calls.push_back(call(image, CafCall::caf_co_sum, kAllImages));
    if (result >= 0) calls.back().event->fields.set(Field::root, result);
    own(calls.back(), result < 0 || image == result ? BufferUse::Write : BufferUse::Read, offset);
  }
  for (const Call_& one : calls)
    for (const Call_& other : calls)
      if (result < 0 || other.image == result) edge(one.start, other.end);
  advance();
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
      if (a.image == b.image) continue;
      if (reads(a) && reads(b)) continue;
      if (a.kind == AccessKind::Accumulate && b.kind == AccessKind::Accumulate) continue;
      if (before(a, b) || before(b, a)) continue;
      Race race{a.owner, {a.image, a.event, a.kind}, {b.image, b.event, b.kind}};
      if (race.other < race.one) std::swap(race.one, race.other);
      found.insert(race);
    }
  return found;
}

std::set<Race> World::found(std::size_t period) const {
  std::vector<std::size_t> next(images_.size());
  std::vector<RankInput> inputs;
  for (std::size_t i = 0; i < images_.size(); ++i)
    inputs.push_back(
        {images_[i].definitions.rank.rank, &images_[i].definitions, meaning_of, [this, &next, i] {
           return next[i] < images_[i].events.size() ? &images_[i].events[next[i]++] : nullptr;
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
  for (std::size_t image = 0; image < images_.size(); ++image) {
    out << "image " << image << '\n';
    for (const Event& event : images_[image].events) {
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
    out << "memory of image " << race.owner << ':';
    for (const Side& side : {race.one, race.other})
      out << ' ' << kKinds[static_cast<std::size_t>(side.kind)] << " of image " << side.image
          << " event " << side.event;
    out << '\n';
  }
  return out.str();
}

}  // namespace photofinish::caf_testing

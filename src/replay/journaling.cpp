#include "replay/journaling.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "record/divergence.h"

namespace photofinish {
namespace {

// Under a debugger it stops here, otherwise the process ends.
[[noreturn]] void stop_here() {
  std::fflush(nullptr);
  if (std::getenv("PHOTOFINISH_REPLAY_STOPS") != nullptr) raise(SIGTRAP);
  _exit(kDivergenceCode);
}

void gather(const std::uint8_t* memory, const std::vector<ByteRange>& ranges,
            std::vector<std::uint8_t>& bytes) {
  bytes.clear();
  for (const ByteRange& range : ranges)
    bytes.insert(bytes.end(), memory + range.begin, memory + range.end);
}

}  // namespace

constinit std::atomic<Journaling*> Journaling::instance_{nullptr};

void Journaling::start(Recorder& recorder, const std::string& directory,
                       std::unique_ptr<RankTrace> replayed, const Setup& setup) {
  // Never deleted: the program's last threads may still be in it.
  instance_ = new Journaling(recorder, divergence_path(directory), std::move(replayed), setup);
}

void Journaling::stop() noexcept {
  Journaling* const self = instance_.exchange(nullptr);
  if (self != nullptr && self->replays()) stop_here();
}

// The first journal is that of the thread that made the first call. The others are found by the
// names of their threads.
std::unique_ptr<Journal> Journaling::new_journal(ThreadName thread) {
  constexpr std::uint32_t kNamed = 1u << 30;
  const auto id_of = [](ThreadName name) {
    return TaskId((static_cast<std::uint32_t>(name.value) & (kNamed - 1)) | kNamed);
  };
  const TaskId id = journals_.size() == 1 ? TaskId(0) : id_of(thread);
  for (const auto& [other, journal] : journals_)
    CHECK(other == thread || journals_.size() == 1 || id_of(other) != id);
  if (replays())
    return std::make_unique<Journal>([this, id](std::vector<std::uint8_t>& entries) {
      std::lock_guard lock(mutex_);
      return replayed_->next_of_journal(id, entries);
    });
  Lane* const lane = recorder_.writer().open_journal(id);
  if (lane == nullptr) throw RecordingStopped();
  return std::make_unique<Journal>(lane);
}

Journal& Journaling::open_journal(Task& task) {
  TaskState& state = TaskState::of(task);
  std::lock_guard lock(mutex_);
  if (Turns::self() == ThreadName{}) {
    if (!journals_.empty())
      complain_once(
          "a thread that a library or GCC's OpenMP created communicates: the order of such threads "
          "is not recorded, so a replay may diverge (docs/record-replay.md)");
    Turns::set_self(journals_.empty() ? Turns::kFirst
                                      : ThreadName{Turns::kFirst.value + journals_.size()});
  }
  std::unique_ptr<Journal>& journal = journals_[Turns::self()];
  const bool fresh = journal == nullptr;
  if (fresh) journal = new_journal(Turns::self());
  state.journal = journal.get();
  state.journal_of = Turns::self();
  // Other threads publish payloads in an order of their own.
  if (fresh && journals_.size() == 1) {
    if (table_ != nullptr) state.journal->share(table_.get());
    const auto lost = [this, &task](SharedPayload payload) {
      left_path(task, Inquiry{.what = kLostPayload,
                              .site = SiteId(static_cast<std::uint32_t>(payload.from.value))});
    };
    const auto other = [this](SharedPayload payload) {
      complain_once("rank " + std::to_string(payload.from.value) + " sent rank " +
                    std::to_string(replayed_->rank().value) +
                    " other data than recorded: it read another input, or the bytes are "
                    "uninitialized; the replay may diverge");
    };
    if (files_ != nullptr) state.journal->share(files_.get(), lost, other);
  }
  return *state.journal;
}

TurnOrder& Journaling::begin_turns() {
  if (turns_ != nullptr) return *turns_;
  ObjectLock::needed = true;
  if (Reach::get() == nullptr)
    complain_once(
        "the program has threads and was not instrumented: the order of their atomic "
        "operations is not recorded, so a replay may diverge (docs/record-replay.md)");
  if (replays()) {
    turns_ = std::make_unique<TurnOrder>(
        [this](std::vector<std::uint8_t>& turns) {
          std::lock_guard lock(mutex_);
          return replayed_->next_of_journal(kTurnJournal, turns);
        },
        Turns::are_blocked);
    return *turns_;
  }
  Lane* const lane = recorder_.writer().open_journal(kTurnJournal);
  if (lane == nullptr) throw RecordingStopped();
  turns_ = std::make_unique<TurnOrder>(lane);
  return *turns_;
}

void Journaling::leave_order(Task& task, TurnKind asked, const ThreadTurn& expected, bool stuck) {
  const auto query = [](TurnKind kind) {
    return Inquiry{.what = kTurnQuery + static_cast<std::uint32_t>(kind), .site = SiteId(0)};
  };
  const bool is_call =
      asked == TurnKind::Call || asked == TurnKind::Return || asked == TurnKind::Local;
  recorder_.writer().flush();
  write_divergence(notes_,
                   {.task = task.id,
                    .entry = of(task).entries(),
                    .asked = is_call ? Inquiry{.what = static_cast<std::uint32_t>(task.event.call),
                                               .site = SiteId(0)}
                                     : query(asked),
                    .expected = query(expected.kind),
                    .stuck = stuck});
  stop_here();
}

void Journaling::ask(Task& task, std::uint32_t what, SiteId site) {
  Inquiry& asked = TaskState::of(task).query;
  asked.what = what;
  asked.site = site;
  asked.fields.clear();
  switch (of(task).ask(what, site)) {
    case Journal::Asked::Same:
      return;
    case Journal::Asked::Other:
      left_path(task, of(task).expected());
    case Journal::Asked::End:
      end_as_recorded(task);
  }
}

void Journaling::ask_call(Task& task, Call call, SiteId site) {
  TaskState& state = TaskState::of(task);
  state.makes_calls = true;
  state.ending = files_ != nullptr && of(task).shares() && of(task).at_end();
  if (!state.ending) return ask(task, static_cast<std::uint32_t>(call), site);
  state.query = {.what = static_cast<std::uint32_t>(call), .site = site};
}

void Journaling::share(std::unique_ptr<PayloadTable> table, std::unique_ptr<PayloadFiles> files) {
  table_ = std::move(table);
  files_ = std::move(files);
  if (table_ == nullptr) return;
  table_->write_to(recorder_.writer().open_journal(kTakenJournal));
  if (setup_.one_thread) watched_.ask_for_arrivals([this] { expect_arrivals(); });
}

void Journaling::ask_with_arguments(Task& task, const Event& event) {
  TaskState& state = TaskState::of(task);
  auto& fields = state.query.fields;
  event.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t value) {
    if (traits(field).kind != FieldKind::Address)
      fields.push_back({static_cast<std::uint8_t>(field), value});
  });
  if (state.ending) [[unlikely]]
    return;
  if (of(task).ask_with(fields) != Journal::Asked::Same) left_path(task, of(task).expected());
}

void Journaling::answered(Task& task) {
  Journal& journal = of(task);
  if (Reach* reach = Reach::get())
    reach->take_known_loads();  // they are counted from one entry to the next
  journal.done();
  if (!journal.ok()) [[unlikely]]
    left_path(task, Inquiry{.what = kDamagedQuery});
}

// Types whose bytes lie in one piece are cut where the message ended; of others all elements that
// it touched are kept, for a map does not tell in which order their bytes came.
void Journaling::exchange_memory(Task& task, const Buffer& buffer, std::int64_t most_bytes,
                                 std::size_t share_from) {
  Journal& journal = of(task);
  auto* const memory = reinterpret_cast<std::uint8_t*>(buffer.address);
  const auto keep = [&](std::uint8_t* data, std::size_t bytes) {
    bytes >= share_from ? journal.contents(data, bytes) : journal.bytes(data, bytes);
  };
  const auto follow = [&](std::int64_t offset, std::int64_t bytes) {
    if (watched_.empty() || (replays() && !order_)) return;
    std::lock_guard lock(watched_lock_);
    if (replays())
      watched_.overwritten(memory + offset, static_cast<std::size_t>(bytes));
    else
      watched_.stored(
          memory + offset, memory + offset,
          static_cast<std::size_t>(bytes));  // it may be window memory, and need not be kept again
  };
  const auto exchange = [&](std::int64_t offset, std::int64_t bytes) {
    keep(memory + offset, static_cast<std::size_t>(bytes));
    follow(offset, bytes);
  };
  const auto at_most = [&](std::int64_t bytes) {
    return most_bytes >= 0 ? std::min(most_bytes, bytes) : bytes;
  };
  if (buffer.type == TypeId(0)) return exchange(0, at_most(buffer.count));
  const DataMap& map = map_of(task, buffer.type);
  if (map.size == 0) return;
  if (map.contiguous()) return exchange(map.footprint[0].offset, at_most(map.size * buffer.count));
  const std::int64_t touched = most_bytes >= 0
                                   ? std::min(buffer.count, (most_bytes + map.size - 1) / map.size)
                                   : buffer.count;
  std::vector<std::uint8_t>& gathered = TaskState::of(task).gathered;
  const std::vector<ByteRange> ranges = expand(map, touched);
  if (replays()) {
    std::size_t bytes = 0;
    for (const ByteRange& range : ranges)
      bytes += static_cast<std::size_t>(range.end - range.begin);
    gathered.resize(bytes);
  } else {
    gather(memory, ranges, gathered);
  }
  keep(gathered.data(), gathered.size());
  const std::uint8_t* from = gathered.data();
  for (const ByteRange& range : ranges) {
    const auto bytes = static_cast<std::size_t>(range.end - range.begin);
    if (replays()) std::memcpy(memory + range.begin, from, bytes);
    from += bytes;
    follow(range.begin, range.end - range.begin);
  }
}

const DataMap& Journaling::map_of(Task& task, TypeId type) {
  TaskState& state = TaskState::of(task);
  if (state.known_map == nullptr || state.known_type != type) {
    state.known_type = type;
    state.known_map =
        &recorder_.writer().known().types.at(type).map;  // stays: definitions are not taken back
  }
  return *state.known_map;
}

std::optional<ContentHash> Journaling::publish(Task& task, const Buffer& buffer) {
  Journal& journal = of(task);
  const auto* const memory = reinterpret_cast<const std::uint8_t*>(buffer.address);
  constexpr std::uint64_t kNobodys = 4096;  // the library reports what is wrong with it
  if (buffer.type == TypeId(0)) {
    const auto bytes = static_cast<std::size_t>(buffer.count);
    return bytes < kPayloadFrom || buffer.address < kNobodys
               ? std::nullopt
               : journal.payload(given(task, memory, bytes), bytes);
  }
  const DataMap& map = map_of(task, buffer.type);
  if (map.size * buffer.count < static_cast<std::int64_t>(kPayloadFrom) ||
      buffer.address + static_cast<std::uint64_t>(map.bounds().begin) < kNobodys)
    return {};
  if (map.contiguous()) {
    const auto bytes = static_cast<std::size_t>(map.size * buffer.count);
    return journal.payload(given(task, memory + map.footprint[0].offset, bytes), bytes);
  }
  std::vector<std::uint8_t>& gathered = TaskState::of(task).gathered;
  gathered.clear();
  for (const ByteRange& range : expand(map, buffer.count)) {
    const auto bytes = static_cast<std::size_t>(range.end - range.begin);
    const std::uint8_t* const from = given(task, memory + range.begin, bytes);
    gathered.insert(gathered.end(), from, from + bytes);
  }
  return journal.payload(gathered.data(), gathered.size());
}

// A replayed rank's windows hold what the program has seen of them. It may give on what it never
// looked at: then that is looked at now.
const std::uint8_t* Journaling::given(Task& task, const std::uint8_t* memory, std::size_t bytes) {
  if (watched_.empty() || TaskState::of(task).ending) return memory;
  std::lock_guard lock(watched_lock_);
  return watched_.check_within(of(task), memory, bytes);
}

void Journaling::publish_put(Task& task, const Buffer& origin, WorldRank target, Uid win,
                             const Buffer& there) {
  const std::optional<ContentHash> hash = publish(task, origin);
  if (!hash) return;
  std::int64_t bytes = there.count;
  if (there.type != TypeId(0)) {
    const DataMap& map = map_of(task, there.type);
    if (!map.contiguous() || map.footprint[0].offset != 0) return;
    bytes *= map.size;
  }
  table_->announce(target, {.win = win,
                            .displacement = there.address,
                            .bytes = static_cast<std::uint64_t>(bytes),
                            .hash = *hash});
}

const WinDefinition* Journaling::own_window(Uid uid) {
  const auto& wins = recorder_.writer().known().wins;
  if (const auto last = wins.find(last_arrival_); last != wins.end() && last->second.uid == uid)
    return &last->second;
  for (const auto& [id, win] : wins)
    if (win.uid == uid) return last_arrival_ = id, &win;
  return nullptr;
}

void Journaling::expect_arrivals() {
  arrivals_.clear();
  table_->new_arrivals(arrivals_);
  for (const Arrival& arrival : arrivals_) {
    const WinDefinition* const win = own_window(arrival.win);
    if (win == nullptr) continue;
    const std::uint64_t address =
        win->flavour == WinFlavour::Dynamic
            ? arrival.displacement
            : win->base + arrival.displacement * static_cast<std::uint64_t>(win->unit);
    watched_.expect(reinterpret_cast<const void*>(address), arrival.bytes, arrival.hash);
  }
}

void Journaling::exchange_fills(Task& task, const std::vector<Buffer>& fills, std::int64_t bytes,
                                std::uint64_t step) {
  for (const Buffer& buffer : fills)
    exchange_memory(task, buffer, bytes, step != 0 ? kKeptPayloadFrom : kPayloadFrom);
  if (step != 0)
    for (const Buffer& buffer : fills) report_brought(task, step, buffer);
}

std::string Journaling::packed(const Buffer& buffer) const {
  const auto* const memory = reinterpret_cast<const char*>(buffer.address);
  if (buffer.type == TypeId(0)) return {memory, static_cast<std::size_t>(buffer.count)};
  std::string bytes;
  for (const ByteRange& range :
       expand(recorder_.writer().known().types.at(buffer.type).map, buffer.count))
    bytes.append(memory + range.begin, static_cast<std::size_t>(range.end - range.begin));
  return bytes;
}

AccessRecordLog* Journaling::account_of(Task& task) {
  if (!order_) return nullptr;
  TaskState& state = TaskState::of(task);
  if (state.account == nullptr)
    state.account =
        std::make_unique<AccessRecordLog>(recorder_.writer().open_journal(task.id), *order_);
  return state.account.get();
}

void Journaling::loaded(Task& task, CallSite call_site, const void* address, void* value,
                        std::size_t bytes) {
  std::lock_guard lock(watched_lock_);
  if (!replays()) show_seen(of(task), address);
  if (watched_.is_known(address, value, bytes)) return of(task).count_load();
  if (const auto tick = watched_.loaded(of(task), address, value, bytes))
    report_loaded(task, call_site, address, value, bytes, *tick);
}

void Journaling::report_loaded(Task& task, CallSite call_site, const void* address,
                               const void* value, std::size_t bytes, std::uint64_t tick) {
  AccessRecordLog* account = account_of(task);
  if (account != nullptr && !account->wants_stores())
    account->add({.kind = AccessRecord::Kind::Loaded,
                  .step = TaskState::of(task).steps,
                  .pc = call_site.pc,
                  .address = reinterpret_cast<std::uint64_t>(address),
                  .tick = tick,
                  .content = {static_cast<const char*>(value), bytes}});
}

// A replayed rank has to come to the same answer: nothing counts but what both know.
std::int64_t Journaling::look_ahead(Task& task, CallSite call_site, const char* address,
                                    std::uint64_t how, const RangeShape& shape) {
  constexpr std::uint64_t kFewBytes = 256, kSparse = 4;
  const bool writes = (how & PHOTOFINISH_WRITES) != 0;
  const std::uint64_t bytes = PHOTOFINISH_BYTES(how & ~PHOTOFINISH_WRITES),
                      unit = std::uint64_t{1} << PHOTOFINISH_UNIT(how);
  if (bytes == 0 || shape.rows == 0 || shape.planes == 0) return 0;
  const std::int64_t rows_span = static_cast<std::int64_t>(shape.rows - 1) * shape.stride,
                     planes_span = static_cast<std::int64_t>(shape.planes - 1) * shape.plane_stride;
  const char* const low =
      address + std::min<std::int64_t>(rows_span, 0) + std::min<std::int64_t>(planes_span, 0);
  const std::uint64_t all =
      static_cast<std::uint64_t>(std::abs(rows_span) + std::abs(planes_span)) + bytes;
  std::unique_lock lock(watched_lock_);
  bool any = false;
  const auto distance = watched_.distance_of(low, all, any);
  if (distance && !any) return 0;
  const bool together = all <= kSparse * bytes * shape.rows * shape.planes;
  if (!distance || !setup_.one_thread || (!together && bytes < kFewBytes))
    return PHOTOFINISH_ONE_BY_ONE;
  const auto each_row = [&](auto&& visit) {
    const char* plane = address;
    for (std::uint64_t i = 0; i < shape.planes; ++i, plane += shape.plane_stride)
      for (std::uint64_t j = 0; j < shape.rows; ++j)
        visit(plane + static_cast<std::int64_t>(j) * shape.stride);
  };
  settle_loads(task);
  if (!writes && together)
    watched_.look_ahead(of(task), low, all);
  else if (!writes)
    each_row([&](const char* row) { watched_.look_ahead(of(task), row, bytes); });
  if (!replays() || !order_) return *distance;
  lock.unlock();
  AccessRecordLog* account = account_of(task);
  each_row([&](const char* row) {
    if (writes &&
        account != nullptr) {  // it has not run: all of its rows are told at the next occasion
      watched_.overwritten(row, bytes);
      if (account->wants_stores() && account->wants(row, bytes))
        pending_.push_back({call_site.pc, row, bytes});
    }
    if (writes) return;
    for (const char* at = row; at < row + bytes; at += unit)
      if (const auto tick = watched_.news_of(at, unit))
        report_loaded(task, call_site, at, at, unit, *tick);
  });
  return *distance;
}

const photofinish_seen* Journaling::all_around(const void* base, bool writes) {
  std::lock_guard lock(watched_lock_);
  const bool reports = replays() && order_;
  const WatchedMemory::Seen all = watched_.all_around(base, reports);
  if (all.bytes == 0 || !setup_.one_thread || (reports && writes)) return nullptr;
  around_ = {
      .begin = all.begin, .bytes = all.bytes, .distance = all.distance, .checked = all.checked};
  return &around_;
}

void Journaling::check_at(Task& task, CallSite call_site, const void* address, std::size_t bytes) {
  std::lock_guard lock(watched_lock_);
  settle_loads(task);
  watched_.check_at(of(task), address);
  if (!replays() || !order_) return;
  if (const auto tick = watched_.news_of(address, bytes))
    report_loaded(task, call_site, address, address, bytes, *tick);
}

void Journaling::settle_loads(Task& task) {
  if (replays()) return;
  watched_.settle();
  if (Reach* reach = Reach::get()) of(task).count_loads(reach->take_known_loads());
}

void Journaling::stored(Task& task, CallSite call_site, const void* address, const void* value,
                        std::size_t bytes) {
  if (replays()) {
    AccessRecordLog* account = account_of(task);
    if (account != nullptr) watched_.overwritten(address, bytes);
    if (account != nullptr && account->wants_stores() && account->wants(address, bytes))
      account->add({.kind = AccessRecord::Kind::Stored,
                    .step = TaskState::of(task).steps,
                    .pc = call_site.pc,
                    .address = reinterpret_cast<std::uint64_t>(address),
                    .content = {static_cast<const char*>(value), bytes}});
    return;
  }
  if (watched_.empty()) return;
  std::lock_guard lock(watched_lock_);
  watched_.settle();
  watched_.stored(address, value, bytes);
  show_seen(of(task), address);
}

// The next accesses to this page are looked at where they are made. Not where several threads may
// be at it: they would have to be told apart.
void Journaling::show_seen(Journal& journal, const void* address) {
  Reach* reach = Reach::get();
  if (reach == nullptr || !setup_.one_thread) return;
  journal.count_loads(reach->take_known_loads());
  const WatchedMemory::Seen seen = watched_.seen_at(address);
  if (seen.bytes != 0) reach->show_seen({seen.begin, seen.bytes, seen.distance, nullptr});
}

void Journaling::will_store(Task& task, CallSite call_site, const void* address,
                            std::size_t bytes) {
  if (replays()) {
    AccessRecordLog* account = account_of(task);
    if (account != nullptr) watched_.overwritten(address, bytes);
    if (account == nullptr || !account->wants_stores()) return;
    report_stores(task);
    if (account->wants(address, bytes)) pending_.push_back({call_site.pc, address, bytes});
    return;
  }
  std::lock_guard lock(watched_lock_);
  watched_.will_store(address, bytes);
  pause_values(true);  // until it has been looked at
}

void Journaling::report_stores(Task& task) {
  if (pending_.empty()) return;
  for (const Pending& pending : pending_)
    account_of(task)->add({.kind = AccessRecord::Kind::Stored,
                           .step = TaskState::of(task).steps,
                           .pc = pending.pc,
                           .address = reinterpret_cast<std::uint64_t>(pending.address),
                           .content = {static_cast<const char*>(pending.address), pending.bytes}});
  pending_.clear();
}

void Journaling::settle_stores() {
  if (replays() || watched_.empty()) return;
  std::lock_guard lock(watched_lock_);
  watched_.settle();
}

void Journaling::before_call(Task& task) {
  report_stores(task);
  if (TaskState::of(task).ending) [[unlikely]]
    end_as_recorded(task);
  if (watched_.empty()) return;
  std::lock_guard lock(watched_lock_);
  watched_.settle();
}

void Journaling::watch(Task& task, std::uint64_t key, void* memory, std::size_t bytes) {
  std::lock_guard lock(watched_lock_);
  if (Reach* reach = Reach::get()) reach->forget_seen();
  watched_.add(of(task), key, memory, bytes);
}

void Journaling::watch_known(std::uint64_t key, void* memory, const void* known,
                             std::size_t bytes) {
  std::lock_guard lock(watched_lock_);
  if (Reach* reach = Reach::get()) reach->forget_seen();
  watched_.add_known(replays(), key, memory, known, bytes, setup_.others_load);
}

void Journaling::name(const void* address, std::size_t bytes) {
  if (!setup_.others_load) return;
  std::lock_guard lock(watched_lock_);
  watched_.name(address, bytes);
}

void Journaling::unwatch(std::uint64_t key) {
  std::lock_guard lock(watched_lock_);
  if (Reach* reach = Reach::get()) reach->forget_seen();
  watched_.settle();
  watched_.remove(key);
}

// Memory that others can write is read once: it may change again at any time.
void Journaling::exchange_written(Task& task, const Buffer& buffer) {
  const auto* const memory = reinterpret_cast<const std::uint8_t*>(buffer.address);
  std::vector<ByteRange> ranges{{0, buffer.count}};
  if (buffer.type != TypeId(0)) ranges = expand(map_of(task, buffer.type), buffer.count);
  if (ranges.empty()) return;
  std::unique_lock lock(watched_lock_);
  if (!watched_.overlaps(memory + ranges.front().begin,
                         static_cast<std::size_t>(ranges.back().end - ranges.front().begin))) {
    lock.unlock();
    return exchange_memory(task, buffer, -1, kPayloadFrom);
  }
  for (const ByteRange& range : ranges) {
    const auto bytes = static_cast<std::size_t>(range.end - range.begin);
    watched_.check_within(of(task), memory + range.begin, bytes);
    if (replays() && order_) watched_.overwritten(memory + range.begin, bytes);
  }
}

void Journaling::exchange_changes(Task& task) {
  if (setup_.others_load || Reach::get() == nullptr) exchange_all_changes(task);
}

void Journaling::exchange_all_changes(Task& task) {
  std::lock_guard lock(watched_lock_);
  if (!watched_.empty()) watched_.exchange_changes(of(task));
}

void Journaling::exchange_observed(Task& task, CallSite call_site, const void* address,
                                   std::size_t bytes) {
  std::lock_guard lock(watched_lock_);
  watched_.check_within(of(task), static_cast<const std::uint8_t*>(address), bytes);
  if (!replays() || !order_) return;
  if (const auto tick = watched_.news_of(address, bytes))
    report_loaded(task, call_site, address, address, bytes, *tick);
}

void Journaling::report_brought(Task& task, std::uint64_t step, const Buffer& buffer) {
  AccessRecordLog* const account = account_of(task);
  if (account != nullptr && !account->wants_stores())
    account->add({.kind = AccessRecord::Kind::Brought, .step = step, .content = packed(buffer)});
}

void Journaling::report_carried(Task& task, const Buffer& buffer) {
  AccessRecordLog* const account = account_of(task);
  if (account != nullptr && !account->wants_stores())
    account->add({.kind = AccessRecord::Kind::Carried,
                  .step = TaskState::of(task).steps,
                  .content = packed(buffer)});
}

void Journaling::left_path(Task& task, const Inquiry& expected) {
  recorder_.writer().flush();
  write_divergence(notes_, {.task = task.id,
                            .entry = of(task).entries(),
                            .asked = TaskState::of(task).query,
                            .expected = expected});
  stop_here();
}

// The recorded rank did not come back from this call.
void Journaling::end_as_recorded(Task& task) {
  Turns::drain();
  recorder_.writer().flush();
  write_divergence(notes_, {.task = task.id,
                            .entry = of(task).entries(),
                            .asked = TaskState::of(task).query,
                            .expected = Inquiry{.what = kNoQuery}});
  if (std::getenv("PHOTOFINISH_REPLAY_STOPS") != nullptr) raise(SIGTRAP);
  const RankEnd& end = replayed_->end();
  switch (end.state) {
    case RankState::Signaled:
      signal(end.code, SIG_DFL);
      raise(end.code);
      break;
    case RankState::Exited:
      _exit(end.code);
    case RankState::Aborted:
      setup_.abort(end.code);
      _exit(end.code);
    default:
      raise(SIGKILL);
  }
  _exit(kDivergenceCode);
}

// The last call is no entry of the journal: it is made again, with the callbacks that it makes, and
// returns at once, since no other process takes part.
void Journaling::finalized(Task& task) {
  if (!replays()) return;
  const RankEnd& end = replayed_->end();
  if (end.state == RankState::Exited || end.state == RankState::Finalized || end.incomplete ||
      !replayed_->damage().empty())
    return;
  if (end.state != RankState::Running && returned_from_last_call()) return;
  TaskState::of(task).query = {.what = static_cast<std::uint32_t>(task.event.call),
                               .site = task.event.site};
  end_as_recorded(task);
}

// How the rank ended is recorded, but not whether that was inside the last call or after it.
bool Journaling::returned_from_last_call() {
  std::lock_guard lock(mutex_);
  const Event* event = nullptr;
  replayed_->rewind();
  while (replayed_->next(event))
    if (traits(event->call).action == Action::Finalize) return event->returned;
  return false;
}

}  // namespace photofinish

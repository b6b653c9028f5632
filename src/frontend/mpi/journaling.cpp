#include "frontend/mpi/journaling.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "frontend/mpi/fortran.h"
#include "frontend/mpi/interceptor.h"
#include "record/divergence.h"

namespace photofinish::mpi {
namespace {

bool reads(const Buffer& buffer) {
  return buffer.access == BufferUse::Read || buffer.access == BufferUse::ReadWrite;
}
bool writes(const Buffer& buffer) {
  return buffer.access == BufferUse::Write || buffer.access == BufferUse::ReadWrite;
}

// What such a call reads is what others are given.
bool gives_contents(Action action) {
  switch (action) {
    case Action::Send:
    case Action::SendReceive:
    case Action::SendReceiveReplace:
    case Action::Put:
    case Action::Bcast:
    case Action::Gather:
    case Action::Scatter:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
      return true;
    default:
      return false;
  }
}

// How many elements of what a collective reads, or writes, are for one rank; 0: all.
std::int64_t block_read(const Context& c, Action action) {
  if (action != Action::Scatter && action != Action::Alltoall && action != Action::NeighborAlltoall)
    return 0;
  const BufferArguments& buffer = c.send.in_place() ? c.recv : c.send;
  return buffer.counts.data == nullptr ? buffer.count : 0;
}
std::int64_t block_written(const Context& c, Action action) {
  const bool from_all = action == Action::Gather || action == Action::Allgather ||
                        action == Action::Alltoall || action == Action::NeighborAllgather ||
                        action == Action::NeighborAlltoall;
  return from_all && c.recv.counts.data == nullptr ? c.recv.count : 0;
}

// For people with a debugger it stops where it is, otherwise the process ends.
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
                       std::unique_ptr<RankTrace> replayed, bool steered) {
  auto* const self =
      new Journaling(recorder, divergence_path(directory), std::move(replayed),
                     steered);  // never deleted: the program's last threads may still be in it
  int level = MPI_THREAD_MULTIPLE;
  if (!ObjectLock::needed) REAL(PMPI_Query_thread)(&level);
  self->one_thread_ = level <= MPI_THREAD_FUNNELED;
  self->others_check_ = level > MPI_THREAD_SINGLE;
  instance_ = self;
}

void Journaling::stop() noexcept {
  Journaling* const self = instance_.exchange(nullptr);
  if (self != nullptr && self->replays()) stop_here();
}

// The first journal is that of the thread that called MPI_Init. The others are found by the names
// of their threads.
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
  Scratch& scratch = Context::scratch_of(task);
  std::lock_guard lock(mutex_);
  if (Turns::self() == ThreadName{}) {
    if (!journals_.empty())
      complain_once(
          "a thread that a library or GCC's OpenMP created calls MPI: the order of such threads is "
          "not recorded, so a replay may diverge (docs/record-replay.md)");
    Turns::set_self(journals_.empty() ? Turns::kFirst
                                      : ThreadName{Turns::kFirst.value + journals_.size()});
  }
  std::unique_ptr<Journal>& journal = journals_[Turns::self()];
  const bool fresh = journal == nullptr;
  if (fresh) journal = new_journal(Turns::self());
  scratch.journal = journal.get();
  scratch.journal_of = Turns::self();
  if (fresh && journals_.size() == 1) {  // whoever comes later makes offers in an order of its own
    if (table_ != nullptr) scratch.journal->share(table_.get());
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
    if (files_ != nullptr) scratch.journal->share(files_.get(), lost, other);
  }
  return *scratch.journal;
}

TurnOrder& Journaling::begin_turns() {
  if (turns_ != nullptr) return *turns_;
  ObjectLock::needed = true;
  if (Reach::get() == nullptr)
    complain_once(
        "the program has threads and was not built with pfmpicc: the order of their atomic "
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
  Inquiry& asked = Context::scratch_of(task).query;
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
  Scratch& scratch = Context::scratch_of(task);
  scratch.calls_mpi = true;
  scratch.ending = files_ != nullptr && of(task).shares() && of(task).at_end();
  if (!scratch.ending) return ask(task, static_cast<std::uint32_t>(call), site);
  scratch.query = {.what = static_cast<std::uint32_t>(call), .site = site};
}

void Journaling::share(std::unique_ptr<PayloadTable> table, std::unique_ptr<PayloadFiles> files) {
  table_ = std::move(table);
  files_ = std::move(files);
  if (table_ == nullptr) return;
  table_->write_to(recorder_.writer().open_journal(kTakenJournal));
  if (one_thread_) windows_.ask_for_arrivals([this] { expect_arrivals(); });
}

void Journaling::ask_with_arguments(Context& c) {
  auto& fields = c.scratch.query.fields;
  c.event.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t value) {
    if (traits(field).kind != FieldKind::Address)
      fields.push_back({static_cast<std::uint8_t>(field), value});
  });
  if (c.scratch.ending) [[unlikely]]
    return;
  if (of(c.task).ask_with(fields) != Journal::Asked::Same) left_path(c.task, of(c.task).expected());
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
    if (windows_.empty() || (replays() && !order_)) return;
    std::lock_guard lock(windows_lock_);
    if (replays())
      windows_.overwritten(memory + offset, static_cast<std::size_t>(bytes));
    else
      windows_.stored(
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
  std::vector<std::uint8_t>& gathered = Context::scratch_of(task).gathered;
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
  Scratch& scratch = Context::scratch_of(task);
  if (scratch.known_map == nullptr || scratch.known_type != type) {
    scratch.known_type = type;
    scratch.known_map =
        &recorder_.writer().known().types.at(type).map;  // stays: definitions are not taken back
  }
  return *scratch.known_map;
}

// A group of one shares nothing, and need not be cut up.
template <class Visitor>
void Journaling::each_piece(Task& task, const Buffer& buffer, std::int64_t block, Visitor&& visit) {
  if (block <= 0 || block >= buffer.count || group_.size() < 2) return visit(buffer);
  const std::int64_t extent = buffer.type == TypeId(0) ? 1 : map_of(task, buffer.type).extent;
  for (std::int64_t first = 0; first < buffer.count; first += block)
    visit(Buffer{buffer.access, buffer.address + static_cast<std::uint64_t>(first * extent),
                 std::min(block, buffer.count - first), buffer.type});
}

std::optional<ContentHash> Journaling::payload(Task& task, const Buffer& buffer) {
  Journal& journal = of(task);
  const auto* const memory = reinterpret_cast<const std::uint8_t*>(buffer.address);
  constexpr std::uint64_t kNobodys = 4096;  // MPI will say what is wrong with it
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
  std::vector<std::uint8_t>& gathered = Context::scratch_of(task).gathered;
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
  if (windows_.empty() || Context::scratch_of(task).ending) return memory;
  std::lock_guard lock(windows_lock_);
  return windows_.check_within(of(task), memory, bytes);
}

// What is read here from windows is in the entry of the call: nothing decides about that but what a
// replayed rank knows, too.
void Journaling::payload_buffers(Context& c, Action action) {
  if (action == Action::Start) {
    for (int i = 0; i < c.request_count; ++i)
      if (const RequestRecord* request =
              Objects::get().find_request(c.requests[i], variable_of(c.requests, i)))
        for (const Buffer& buffer : request->rare().sends) payload(c.task, buffer);
    return;
  }
  const FieldSet& fields = c.event.fields;
  if (!gives_contents(action) || (fields.has(Field::to) && !in_group(fields[Field::to]))) return;
  if (action == Action::Gather && fields[Field::root] >= 0 && !in_group(fields[Field::root]))
    return;
  if (action == Action::Put) {
    const WorldRank target(static_cast<std::int32_t>(fields[Field::target]));
    if (c.event.buffers.size() != 2 || !in_group(target.value)) return;
    const std::optional<ContentHash> hash = payload(c.task, c.event.buffers[0]);
    const Buffer& there = c.event.buffers[1];
    const DataMap& map = map_of(c.task, there.type);
    if (hash && map.contiguous() && map.footprint[0].offset == 0)
      table_->announce(target, {.win = c.win->definition.uid,
                                .displacement = there.address,
                                .bytes = static_cast<std::uint64_t>(map.size * there.count),
                                .hash = *hash});
    return;
  }
  for (const Buffer& buffer : c.event.buffers)
    if (reads(buffer))
      each_piece(c.task, buffer, block_read(c, action),
                 [&](const Buffer& piece) { payload(c.task, piece); });
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
    windows_.expect(reinterpret_cast<const void*>(address), arrival.bytes, arrival.hash);
  }
}

void Journaling::exchange_fills(Task& task, const std::vector<Buffer>& fills, std::int64_t bytes,
                                std::uint64_t step) {
  for (const Buffer& buffer : fills)
    exchange_memory(task, buffer, bytes, step != 0 ? kKeptPayloadFrom : kPayloadFrom);
  if (AccessRecordLog* account = step != 0 ? account_of(task) : nullptr;
      account != nullptr && !account->wants_stores())
    for (const Buffer& buffer : fills)
      account->add({.kind = AccessRecord::Kind::Brought, .step = step, .content = packed(buffer)});
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
  Scratch& scratch = Context::scratch_of(task);
  if (scratch.account == nullptr)
    scratch.account =
        std::make_unique<AccessRecordLog>(recorder_.writer().open_journal(task.id), *order_);
  return scratch.account.get();
}

void Journaling::exchange_contents(Context& c, Action action, When when) {
  exchange_buffers(c, action, when);
  std::lock_guard lock(windows_lock_);
  follow_windows(c, action);
  // Others' puts are seen once something has been waited for, or asked about; not while operations
  // are only started. Loads that we hear of are kept by themselves.
  const bool only_starts = when == When::Starts || when == When::Prepares ||
                           (c.win != nullptr && when == When::Returns &&
                            action != Action::WinSync && action != Action::WaitEpoch);
  if (!windows_.empty() && !only_starts && (others_check_ || Reach::get() == nullptr))
    windows_.exchange_changes(of(c.task));
}

void Journaling::loaded(Task& task, CallSite call_site, const void* address, void* value,
                        std::size_t bytes) {
  std::lock_guard lock(windows_lock_);
  if (!replays()) show_seen(of(task), address);
  if (windows_.is_known(address, value, bytes)) return of(task).count_load();
  if (const auto tick = windows_.loaded(of(task), address, value, bytes))
    report_loaded(task, call_site, address, value, bytes, *tick);
}

void Journaling::report_loaded(Task& task, CallSite call_site, const void* address,
                               const void* value, std::size_t bytes, std::uint64_t tick) {
  AccessRecordLog* account = account_of(task);
  if (account != nullptr && !account->wants_stores())
    account->add({.kind = AccessRecord::Kind::Loaded,
                  .step = Context::scratch_of(task).steps,
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
  std::unique_lock lock(windows_lock_);
  bool any = false;
  const auto distance = windows_.distance_of(low, all, any);
  if (distance && !any) return 0;
  const bool together = all <= kSparse * bytes * shape.rows * shape.planes;
  if (!distance || !one_thread_ || (!together && bytes < kFewBytes)) return PHOTOFINISH_ONE_BY_ONE;
  const auto each_row = [&](auto&& visit) {
    const char* plane = address;
    for (std::uint64_t i = 0; i < shape.planes; ++i, plane += shape.plane_stride)
      for (std::uint64_t j = 0; j < shape.rows; ++j)
        visit(plane + static_cast<std::int64_t>(j) * shape.stride);
  };
  settle_loads(task);
  if (!writes && together)
    windows_.look_ahead(of(task), low, all);
  else if (!writes)
    each_row([&](const char* row) { windows_.look_ahead(of(task), row, bytes); });
  if (!replays() || !order_) return *distance;
  lock.unlock();
  AccessRecordLog* account = account_of(task);
  each_row([&](const char* row) {
    if (writes &&
        account != nullptr) {  // it has not run: all of its rows are told at the next occasion
      windows_.overwritten(row, bytes);
      if (account->wants_stores() && account->wants(row, bytes))
        pending_.push_back({call_site.pc, row, bytes});
    }
    if (writes) return;
    for (const char* at = row; at < row + bytes; at += unit)
      if (const auto tick = windows_.news_of(at, unit))
        report_loaded(task, call_site, at, at, unit, *tick);
  });
  return *distance;
}

const photofinish_seen* Journaling::all_around(const void* base, bool writes) {
  std::lock_guard lock(windows_lock_);
  const bool reports = replays() && order_;
  const WatchedMemory::Seen all = windows_.all_around(base, reports);
  if (all.bytes == 0 || !one_thread_ || (reports && writes)) return nullptr;
  around_ = {
      .begin = all.begin, .bytes = all.bytes, .distance = all.distance, .checked = all.checked};
  return &around_;
}

void Journaling::check_at(Task& task, CallSite call_site, const void* address, std::size_t bytes) {
  std::lock_guard lock(windows_lock_);
  settle_loads(task);
  windows_.check_at(of(task), address);
  if (!replays() || !order_) return;
  if (const auto tick = windows_.news_of(address, bytes))
    report_loaded(task, call_site, address, address, bytes, *tick);
}

void Journaling::settle_loads(Task& task) {
  if (replays()) return;
  windows_.settle();
  if (Reach* reach = Reach::get()) of(task).count_loads(reach->take_known_loads());
}

void Journaling::stored(Task& task, CallSite call_site, const void* address, const void* value,
                        std::size_t bytes) {
  if (replays()) {
    AccessRecordLog* account = account_of(task);
    if (account != nullptr) windows_.overwritten(address, bytes);
    if (account != nullptr && account->wants_stores() && account->wants(address, bytes))
      account->add({.kind = AccessRecord::Kind::Stored,
                    .step = Context::scratch_of(task).steps,
                    .pc = call_site.pc,
                    .address = reinterpret_cast<std::uint64_t>(address),
                    .content = {static_cast<const char*>(value), bytes}});
    return;
  }
  if (windows_.empty()) return;
  std::lock_guard lock(windows_lock_);
  windows_.settle();
  windows_.stored(address, value, bytes);
  show_seen(of(task), address);
}

// The next accesses to this page are looked at where they are made. Not where several threads may
// be at it: they would have to be told apart.
void Journaling::show_seen(Journal& journal, const void* address) {
  Reach* reach = Reach::get();
  if (reach == nullptr || !one_thread_) return;
  journal.count_loads(reach->take_known_loads());
  const WatchedMemory::Seen seen = windows_.seen_at(address);
  if (seen.bytes != 0) reach->show_seen({seen.begin, seen.bytes, seen.distance, nullptr});
}

void Journaling::will_store(Task& task, CallSite call_site, const void* address,
                            std::size_t bytes) {
  if (replays()) {
    AccessRecordLog* account = account_of(task);
    if (account != nullptr) windows_.overwritten(address, bytes);
    if (account == nullptr || !account->wants_stores()) return;
    report_pending(task);
    if (account->wants(address, bytes)) pending_.push_back({call_site.pc, address, bytes});
    return;
  }
  std::lock_guard lock(windows_lock_);
  windows_.will_store(address, bytes);
  pause_values(true);  // until it has been looked at
}

void Journaling::report_pending(Task& task) {
  for (const Pending& pending : pending_)
    account_of(task)->add({.kind = AccessRecord::Kind::Stored,
                           .step = Context::scratch_of(task).steps,
                           .pc = pending.pc,
                           .address = reinterpret_cast<std::uint64_t>(pending.address),
                           .content = {static_cast<const char*>(pending.address), pending.bytes}});
  pending_.clear();
}

void Journaling::exchange_buffers(Context& c, Action action, When when) {
  const std::vector<Buffer>& buffers = c.event.buffers;
  const bool later = when == When::Starts || when == When::Prepares;
  if (AccessRecordLog* account =
          c.win != nullptr && c.event.fields.has(Field::target) && !buffers.empty()
              ? account_of(c.task)
              : nullptr;
      account != nullptr && !account->wants_stores())
    for (const Buffer& buffer : buffers)
      if (buffer.access == BufferUse::Read)
        account->add({.kind = AccessRecord::Kind::Carried,
                      .step = c.scratch.steps,
                      .content = packed(buffer)});
  if (later && c.new_request != nullptr) {
    if (c.win != nullptr) c.new_request->rare().step = c.scratch.steps;
    for (const Buffer& buffer : buffers)
      if (writes(buffer))
        each_piece(c.task, buffer, block_written(c, action),
                   [&](const Buffer& piece) { c.new_request->rare().fills.push_back(piece); });
    const bool gives = when == When::Prepares && gives_contents(action) &&
                       (!c.event.fields.has(Field::to) || in_group(c.event.fields[Field::to]));
    for (const Buffer& buffer : buffers)
      if (gives && reads(buffer))
        each_piece(c.task, buffer, block_read(c, action),
                   [&](const Buffer& piece) { c.new_request->rare().sends.push_back(piece); });
    return;
  }
  if (mpi_meaning::may_complete(action)) return exchange_window_fills(c);
  if (later) return;
  const bool one_sided = c.win != nullptr;
  const std::int64_t bytes =
      c.event.fields.has(Field::matched_bytes) ? c.event.fields[Field::matched_bytes] : -1;
  for (const Buffer& buffer : buffers) {
    if (!writes(buffer)) continue;
    if (!one_sided)
      each_piece(c.task, buffer, block_written(c, action),
                 [&](const Buffer& piece) { exchange_memory(c.task, piece, bytes, kPayloadFrom); });
    else
      c.win->fills.push_back({WorldRank(static_cast<std::int32_t>(c.event.fields[Field::target])),
                              {buffer},
                              c.scratch.steps});
  }
}

void Journaling::exchange_early(Context& c, bool is_complete) {
  of(c.task)(is_complete);
  if (!is_complete) return;
  std::vector<Buffer> written;
  for (const Buffer& buffer : c.event.buffers)
    if (writes(buffer)) written.push_back(buffer);
  if (traits(c.call).action == Action::Start)
    for (int i = 0; i < c.request_count; ++i)
      if (const RequestRecord* request =
              Objects::get().find_request(c.requests[i], variable_of(c.requests, i)))
        written.insert(written.end(), request->rare().fills.begin(), request->rare().fills.end());
  for (const Buffer& buffer : written) exchange_memory(c.task, buffer, -1, kPayloadFrom);
}

void Journaling::settle_stores() {
  if (replays() || windows_.empty()) return;
  std::lock_guard lock(windows_lock_);
  windows_.settle();
}

void Journaling::exchange_window_fills(Context& c) {
  const auto rule = mpi_meaning::completion_of(c.event);
  if (!rule) return;
  const bool one_target = rule->targets == mpi_meaning::CompletionRule::Targets::One;
  std::lock_guard lock(c.win->lock);
  std::erase_if(c.win->fills, [&](const WinRecord::Filling& filling) {
    if (one_target && filling.target.value != c.event.fields[Field::target]) return false;
    exchange_fills(c.task, filling.buffers, -1, filling.step);
    return true;
  });
}

void Journaling::before_call(Context& c, Action action, When when) {
  if (!pending_.empty()) report_pending(c.task);
  if (group_.size() > 1 && when != When::Prepares) payload_buffers(c, action);
  if (c.scratch.ending) [[unlikely]]
    end_as_recorded(c.task);
  if (!windows_.empty()) {
    std::lock_guard lock(windows_lock_);
    windows_.settle();
  }
  if (action != Action::WinFree ||
      recorder_.writer().known().wins.at(c.win->definition.id).flavour == WinFlavour::Create)
    return;
  std::lock_guard lock(windows_lock_);
  if (Reach* reach = Reach::get()) reach->forget_seen();
  windows_.remove(c.win->definition.id.value);
}

void Journaling::follow_windows(Context& c, Action action) {
  const FieldSet& fields = c.event.fields;
  Journal& journal = of(c.task);
  const auto memory = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
  const bool changes = action == Action::WinCreate || action == Action::WinAttach ||
                       action == Action::WinDetach || action == Action::WinFree;
  if (Reach* reach = changes ? Reach::get() : nullptr) reach->forget_seen();
  switch (action) {
    case Action::WinCreate: {
      const WinId id(static_cast<std::uint32_t>(fields[Field::new_win]));
      const WinDefinition& win = recorder_.writer().known().wins.at(id);
      if (win.segments.empty()) windows_.add(journal, id.value, memory(win.base), win.size);
      for (const WinSegment& segment : win.segments)
        windows_.add(journal, id.value, memory(segment.address), segment.size);
      return;
    }
    case Action::WinAttach:
      return windows_.add(journal, static_cast<std::uint64_t>(fields[Field::address]),
                          memory(static_cast<std::uint64_t>(fields[Field::address])),
                          static_cast<std::size_t>(fields[Field::size]));
    case Action::WinDetach:
      windows_.exchange_changes(journal);
      return windows_.remove(static_cast<std::uint64_t>(fields[Field::address]));
    case Action::WinFree:
      windows_.exchange_changes(journal);
      return windows_.remove(static_cast<std::uint64_t>(fields[Field::win]));
    default:
      return;
  }
}

void Journaling::left_path(Task& task, const Inquiry& expected) {
  recorder_.writer().flush();
  write_divergence(notes_, {.task = task.id,
                            .entry = of(task).entries(),
                            .asked = Context::scratch_of(task).query,
                            .expected = expected});
  stop_here();
}

// The recorded rank did not come back from this call.
void Journaling::end_as_recorded(Task& task) {
  Turns::drain();
  recorder_.writer().flush();
  write_divergence(notes_, {.task = task.id,
                            .entry = of(task).entries(),
                            .asked = Context::scratch_of(task).query,
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
      if (int is_over = 0; REAL(PMPI_Finalized)(&is_over) == MPI_SUCCESS && is_over != 0)
        _exit(end.code);
      REAL(PMPI_Abort)(MPI_COMM_SELF, end.code);
      break;
    default:
      raise(SIGKILL);
  }
  _exit(kDivergenceCode);
}

// MPI_Finalize is no entry of the journal: it is made again, with the callbacks that it makes, and
// returns at once, for it has nobody to wait for.
void Journaling::finalized(Task& task) {
  if (!replays()) return;
  const RankEnd& end = replayed_->end();
  if (end.state == RankState::Exited || end.state == RankState::Finalized || end.incomplete ||
      !replayed_->damage().empty())
    return;
  if (end.state != RankState::Running && came_back_from_finalize()) return;
  Context::scratch_of(task).query = {.what = static_cast<std::uint32_t>(task.event.call),
                                     .site = task.event.site};
  end_as_recorded(task);
}

// The rank said how it ended, which it may have done after MPI_Finalize as well as inside of it.
bool Journaling::came_back_from_finalize() {
  std::lock_guard lock(mutex_);
  const Event* event = nullptr;
  replayed_->rewind();
  while (replayed_->next(event))
    if (traits(event->call).action == Action::Finalize) return event->returned;
  return false;
}

}  // namespace photofinish::mpi

#include "frontend/mpi/control.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/ticks.h"
#include "frontend/mpi/control_step.h"
#include "model/scopes.h"
#include "runtime/failure.h"
#include "runtime/reach.h"
#include "runtime/recorder.h"

namespace photofinish::mpi {
namespace {

constexpr double kBackOff = 0.9;  // as the paper has it
// In units of pause_ms:
constexpr std::uint32_t kQuietUnits = 2;  // nobody does anything for so long: they wait for us
constexpr std::uint32_t kDoneUnits = 50;  // the second waits for the first, at most
constexpr std::uint64_t kCheckNs = 500'000;

std::uint64_t task_number() { return static_cast<std::uint64_t>(syscall(SYS_gettid)); }

bool is_one_sided(Action action) {
  return action == Action::Put || action == Action::Get || action == Action::Accumulate ||
         action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}
bool is_access(Call call) {
  return call == Call::load || call == Call::store || call == Call::release;
}
// Complete at the target, too, once it is complete at the origin: its result is there.
bool returns_result(Action action) {
  return action == Action::Get || action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}
bool in_target(AccessKind kind) {
  return kind == AccessKind::Get || kind == AccessKind::Put || kind == AccessKind::Accumulate;
}

// Whether a buffer of a call is what a side of this kind touches.
bool is_of_kind(BufferUse use, AccessKind kind) {
  switch (use) {
    case BufferUse::Read:
      return kind == AccessKind::Load;
    case BufferUse::Write:
      return kind == AccessKind::Store;
    case BufferUse::ReadWrite:
      return kind == AccessKind::Load || kind == AccessKind::Store;
    default:
      return in_target(kind);
  }
}

// The key that a place has by its innermost frame alone.
std::uint64_t innermost_key(const Definitions& known, SiteId site) {
  Definitions alone;
  const auto found = known.sites.find(site);
  if (found == known.sites.end() || found->second.frames.empty()) return 0;
  alone.sites[site] = {site, {found->second.frames.front()}};
  if (const auto module = known.modules.find(found->second.frames.front().module);
      module != known.modules.end())
    alone.modules.insert(*module);
  return call_site_key(alone, site);
}

// Where both sides are one place, the ranks tell which is whose, if it is known who is to meet.
std::uint32_t own_side(const Schedule& schedule, WorldRank rank, std::uint32_t sides) {
  if (sides != 3 || schedule.sides[0].rank == schedule.sides[1].rank) return sides;
  return rank == schedule.sides[0].rank ? 1 : rank == schedule.sides[1].rank ? 2 : 3;
}

bool is_same_lock(const HeldLock& a, const HeldLock& b) {
  return a.win == b.win && a.target == b.target;
}

// A load or store that went first is over when the thread comes by again; one of a loop, when it
// comes to MPI.
enum class Unfinished { Nothing, Access, Loop };
thread_local Unfinished t_unfinished = Unfinished::Nothing;

bool is_one_node(int world_size) {
  MPI_Comm node = MPI_COMM_NULL;
  int on_node = 0;
  if (REAL(PMPI_Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
      MPI_SUCCESS)
    return false;
  REAL(PMPI_Comm_size)(node, &on_node);
  REAL(PMPI_Comm_free)(&node);
  return on_node == world_size;
}

}  // namespace

constinit std::atomic<Control*> Control::instance_{nullptr};

bool Control::has_schedule(const std::string& directory) {
  return access((directory + kScheduleFile).c_str(), F_OK) == 0;
}

Control::Control(Schedules schedules, WorldRank rank, int size, const Definitions& known)
    : schedules_(std::move(schedules)),
      finding_(finding_of(schedules_, rank)),
      schedule_(schedules_.findings[finding_]),
      of_memory_(std::any_of(schedules_.findings.begin(), schedules_.findings.end(),
                             [](const Schedule& one) { return one.kind == RaceKind::Memory; })),
      rank_(rank),
      size_(size),
      known_(known),
      random_(static_cast<unsigned>(schedule_.seed * 7919 + static_cast<std::uint64_t>(rank.value) +
                                    1)),
      seen_words_(static_cast<std::size_t>(size)) {
  for (std::size_t side = 0; side < schedule_.sides.size(); ++side)
    for (const std::uint64_t key : schedule_.sides[side].places) places_[key] |= 1u << side;
  of_buffers_ = std::any_of(
      schedule_.sides.begin(), schedule_.sides.end(),
      [](const ScheduledSide& side) { return !in_target(side.kind) && !is_access(side.call); });
}

void Control::start(WorldRank rank, int size, const std::string& directory,
                    const Definitions& known) {
  // All ranks take the same steps, whichever of them cannot.
  Control* self = nullptr;
  guarded([&] {
    auto schedules = read_schedules(directory);
    if (!schedules) return complain_once(schedules.error().message);
    self = new Control(std::move(*schedules), rank, size,
                       known);  // never deleted: the program's last threads may still be in it
    REAL(PMPI_Query_thread)(&self->thread_level_);
    self->account_ =
        static_cast<Account*>(map_shared_file(account_path(directory, rank), sizeof(Account)));
  });
  MPI_Comm comm = MPI_COMM_NULL;
  const bool has_comm = REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &comm) == MPI_SUCCESS;
  const bool one_node = is_one_node(size);
  bool shares = false;
  if (self != nullptr) self->comm_ = comm;
  if (self != nullptr && one_node) guarded([&] { shares = self->share_board(directory); });
  int usable[2] = {has_comm && self != nullptr && self->account_ != nullptr ? 1 : 0,
                   shares ? 1 : 0},
      all[2];
  REAL(PMPI_Allreduce)(usable, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all[0] == 0)
    return rank == WorldRank(0)
               ? complain_once("a rank cannot write to the run directory: this run is not steered")
               : void();
  if (all[1] == 0) self->open_mail();
  self->account_->finding = static_cast<std::uint32_t>(self->finding_);
  self->account_->rank = rank.value;
  self->account_->steered = 1;
  instance_ = self;
}

// One for each finding, and the words behind them.
bool Control::share_board(const std::string& directory) {
  if (schedules_.by_letters) return false;
  const std::size_t words_at = (sizeof(Board) * schedules_.findings.size() + 63) / 64 * 64;
  auto* memory = static_cast<char*>(map_shared_file(
      directory + kBoardFile, words_at + sizeof(std::uint64_t) * static_cast<std::size_t>(size_)));
  if (memory == nullptr) return false;
  board_ = reinterpret_cast<Board*>(memory) + finding_;
  words_ = reinterpret_cast<std::atomic<std::uint64_t>*>(memory + words_at);
  return true;
}

void Control::open_mail() {
  std::vector<std::int32_t> others;
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_.value &&
        std::any_of(schedule_.sides.begin(), schedule_.sides.end(), [&](const ScheduledSide& side) {
          return side.rank == kAnySource || side.rank == WorldRank(rank);
        }))
      others.push_back(rank);
  own_board_ = std::make_unique<Board>();
  board_ = own_board_.get();
  mail_ = std::make_unique<Mail>(comm_, rank_.value, size_);
  words_ = mail_->words();
  letters_ = std::make_unique<Letters>(rank_.value, std::move(others), schedule_.first);
  account_->by_letters = schedule_.kind == RaceKind::Memory ? 1 : 0;
}

// Not from a thread that may not call MPI at this timestamp.
bool Control::may_call() const {
  return thread_level_ == MPI_THREAD_MULTIPLE ||
         (thread_level_ != MPI_THREAD_SERIALIZED &&
          task_number() == static_cast<std::uint64_t>(getpid()));
}

// With the letters, the board, and what is to be sent. What two have kept is in their accounts
// before either goes on.
template <class Write>
void Control::correspond(Write write) {
  std::lock_guard lock(mail_mutex_);
  std::vector<AddressedLetter> out;
  on_board([&](Board& board) { write(*letters_, board, out); });
  if (schedule_.kind == RaceKind::Memory && board_->met == 0)
    account_->met = 0;
  else if (board_->first.rank == rank_.value || board_->second.rank == rank_.value)
    note_meeting();
  for (const AddressedLetter& letter : out) mail_->send(letter);
}

void Control::read_mail() {
  Letter letter;
  std::int32_t from = 0;
  const auto next = [&] {
    std::lock_guard lock(mail_mutex_);
    return mail_->next(letter, from);
  };
  while (next())
    correspond([&](Letters& letters, Board& board, std::vector<AddressedLetter>& out) {
      letters.receive(board, from, letter, out);
    });
}

// Alone with the board, for as long as it takes to read some lines. Whoever dies meanwhile leaves
// it taken: then nothing is steered any more.
template <class Change>
void Control::on_board(Change change) {
  const std::uint64_t since = now_ns();
  std::atomic_ref<std::uint32_t> taken(board_->taken);
  for (std::uint32_t free = 0; !taken.compare_exchange_weak(free, 1, std::memory_order_acquire);
       free = 0) {
    if (now_ns() - since > 1000 * kMs) return;
    std::this_thread::yield();
  }
  change(*board_);
  taken.store(0, std::memory_order_release);
}

std::uint32_t Control::sides_of(Call call, SiteId site) {
  std::lock_guard lock(mutex_);
  if (site.value >= sides_of_site_.size()) sides_of_site_.resize(site.value + 64);
  std::uint8_t& known = sides_of_site_[site.value];
  if (known == 0) {
    const auto found =
        places_.find(is_access(call) ? innermost_key(known_, site) : call_site_key(known_, site));
    std::uint32_t sides = found != places_.end() ? found->second : 0;
    for (std::uint32_t side = 0; side < schedule_.sides.size(); ++side)
      if (schedule_.sides[side].call != call) sides &= ~(1u << side);
    known = static_cast<std::uint8_t>(1 + sides);
  }
  return known - 1u;
}

void Control::count_arrival(std::uint32_t sides) {
  std::lock_guard lock(mutex_);
  for (std::uint32_t side = 0; side < 2; ++side) {
    if ((sides >> side & 1) == 0) continue;
    ++account_->reached[side];
    // Loads and stores between two calls are one arrival: so they are on record.
    if (is_access(schedule_.sides[side].call) &&
        std::exchange(arrival_timestamp_[side], timestamp_) == timestamp_)
      continue;
    ++arrivals_[side];
  }
}

bool Control::takes_part(std::uint32_t sides) const {
  for (std::uint32_t side = 0; side < 2; ++side) {
    const ScheduledSide& wanted = schedule_.sides[side];
    if ((sides >> side & 1) != 0 &&
        (wanted.rank == kAnySource || (wanted.rank == rank_ && arrivals_[side] >= wanted.arrival)))
      return true;
  }
  return false;
}

bool Control::wants_to_wait(std::uint32_t sides) {
  // One rank's own operation, and what it does meanwhile: it would wait for itself.
  if (schedule_.sides[0].rank != kAnySource && schedule_.sides[0].rank == schedule_.sides[1].rank)
    return false;
  if (account_->paused_ns > schedule_.patience_ms * kMs) return false;
  if (schedule_.sides[static_cast<std::size_t>(sides >> 1 & 1)].rank != kAnySource) return true;
  std::lock_guard lock(mutex_);
  return std::uniform_real_distribution<double>()(random_) < eagerness_;
}

Posting Control::posting(std::uint32_t sides) {
  std::lock_guard lock(mutex_);
  Posting mine{};
  mine.state = PostingState::Waits;
  mine.sides = sides;
  mine.rank = mine.owner = rank_.value;
  mine.task = task_number();
  std::copy(std::begin(arrivals_), std::end(arrivals_), mine.arrival);
  for (const HeldLock& lock : locks_)
    if (mine.locks < kLocks) mine.lock[mine.locks++] = lock;
  return mine;
}

void Control::add_buffers(Posting& mine, const Context& c, const ScheduledSide& side) {
  std::int64_t base = 0, unit = 1;
  if (in_target(side.kind)) {
    if (c.win == nullptr || c.target_rank < 0) return;
    mine.owner = static_cast<std::int32_t>(c.event.fields[Field::target]);
    std::lock_guard lock(mutex_);
    const auto window = windows_.find(c.event.fields[Field::win]);
    if (window == windows_.end() ||
        static_cast<std::size_t>(c.target_rank) >= window->second.size())
      return;
    const Peer& peer = window->second[static_cast<std::size_t>(c.target_rank)];
    base = static_cast<std::int64_t>(peer.base);
    unit = peer.unit;
  }
  add_pieces(mine, c.event.buffers, side.kind, base, unit);
  if (traits(c.call).action != Action::Start) return;
  std::lock_guard lock(mutex_);
  for (const RequestId request : c.event.requests)
    if (const auto found = prepared_.find(request); found != prepared_.end())
      add_pieces(mine, found->second, side.kind, 0, 1);
}

void Control::add_pieces(Posting& mine, const std::vector<Buffer>& buffers, AccessKind kind,
                         std::int64_t base, std::int64_t unit) const {
  for (const Buffer& buffer : buffers) {
    if (!is_of_kind(buffer.access, kind)) continue;
    const std::int64_t at = base + static_cast<std::int64_t>(buffer.address) * unit;
    if (buffer.type == TypeId(0)) {
      add_piece(mine, {at, buffer.count, {}});
      continue;
    }
    const auto type = known_.types.find(buffer.type);
    if (type == known_.types.end()) continue;
    const DataMap map = repeated(type->second.map, buffer.count);
    for (const Strided& strided : map.footprint)
      add_piece(mine, {strided.offset + at, strided.length, strided.dimensions});
  }
}

void Control::make_progress() {
  int flag = 0;
  if (may_call()) {
    if (mail_ != nullptr)
      read_mail();
    else
      REAL(PMPI_Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// Nobody comes any more while all others wait, be it for us, in collectives and for locks that we
// hold, or for each other.
bool Control::all_others_wait() {
  const std::uint64_t now = now_ns();
  if (now - checked_ < kCheckNs) return false;
  if (mail_ != nullptr) {
    std::lock_guard lock(mail_mutex_);
    if (!may_call() || !mail_->fetch()) return false;
  }
  checked_ = now;
  for (int rank = 0; rank < size_; ++rank) {
    const std::uint64_t word = words_[rank].load(std::memory_order_relaxed);
    if (rank == rank_.value ||
        (std::exchange(seen_words_[static_cast<std::size_t>(rank)], word) == word &&
         (word & 1) != 0))
      continue;
    quiet_since_ = now;
  }
  return now - quiet_since_ > kQuietUnits * schedule_.unit_ms * kMs;
}

// First, Second, or GoOn if others met; Posted if nobody came.
Turn Control::pause(std::uint32_t limit_ms) {
  const std::uint64_t since = now_ns(), task = task_number();
  Turn turn = Turn::Posted;
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  quiet_since_ = since;
  while (now_ns() - since < limit_ms * kMs) {
    if (std::atomic_ref(board_->met).load(std::memory_order_acquire) != 0) break;
    if (all_others_wait()) break;
    make_progress();
  }
  on_board([&](Board& board) { turn = turn_of(board, rank_.value, task); });
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  if (turn == Turn::Posted) eagerness_ *= kBackOff;
  // Those that succeed are what it is for.
  if (turn == Turn::Posted) account_->paused_ns += now_ns() - since;
  ++account_->pauses;
  return turn;
}

void Control::note_meeting() {
  on_board([&](Board& board) {
    const std::uint32_t first_side = board.first.side & 1;
    account_->ranks[first_side] = board.first.rank;
    account_->ranks[1 - first_side] = board.second.rank;
    account_->arrivals[first_side] = board.first.arrival;
    account_->arrivals[1 - first_side] = board.second.arrival;
    account_->forced = board.forced;
    account_->met = board.met;
  });
}

void Control::wait_for_first() {
  note_meeting();
  const std::uint64_t since = now_ns();
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  while (std::atomic_ref(board_->first_done).load(std::memory_order_acquire) == 0 &&
         now_ns() - since < kDoneUnits * schedule_.unit_ms * kMs)
    make_progress();
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
}

void Control::first_is_done() {
  std::atomic_ref(board_->first_done).store(1, std::memory_order_release);
  note_meeting();
  if (mail_ == nullptr || board_->met == 0 || board_->second.rank == rank_.value || !may_call())
    return;
  std::lock_guard lock(mail_mutex_);
  mail_->send(Letters::done(*board_));
}

// Those who wait at the other side answer at once.
Turn Control::hear_answers(std::uint64_t ask, Turn turn) {
  const std::uint64_t since = now_ns(), task = task_number();
  bool answered = false;
  while (!answered && board_->met == 0 &&
         now_ns() - since < kQuietUnits * schedule_.unit_ms * kMs) {
    make_progress();
    std::lock_guard lock(mail_mutex_);
    answered = letters_->is_answered(ask);
  }
  on_board([&](Board& board) {
    if (board.met != 0) turn = turn_of(board, rank_.value, task);
  });
  return turn;
}

// A task is at a side. Posted: nobody came, and it is on the board still.
Turn Control::come(Posting& mine, bool goes_on, std::uint32_t& place) {
  if (std::atomic_ref(board_->met).load(std::memory_order_acquire) != 0 ||
      !takes_part(mine.sides) || mine.pieces == 0)
    return Turn::GoOn;
  const bool waits = wants_to_wait(mine.sides);
  Turn turn = Turn::GoOn;
  on_board([&](Board& board) {
    turn = arrive(board, mine, static_cast<int>(schedule_.first), waits || goes_on, place);
  });
  std::uint64_t ask = 0;
  if (mail_ != nullptr && (turn == Turn::Posted || turn == Turn::GoOn) && may_call())
    correspond([&](Letters& letters, Board&, std::vector<AddressedLetter>& out) {
      ask = letters.ask(mine, out);
    });
  if (turn == Turn::Posted && waits)
    turn = pause(schedule_.pause_ms);
  else if (ask != 0)
    turn = hear_answers(ask, turn);
  if (ask != 0) {
    correspond([&](Letters& letters, Board& board, std::vector<AddressedLetter>& out) {
      letters.forget(board, ask, out);
      if (const Turn now = turn_of(board, rank_.value, mine.task); now != Turn::Posted) turn = now;
    });
  }
  if (turn == Turn::Posted && !goes_on) {
    // Somebody may have come just now.
    on_board([&](Board& board) {
      turn = turn_of(board, rank_.value, mine.task);
      board.postings[place].state = PostingState::Free;
    });
    if (turn == Turn::Posted) turn = Turn::GoOn;
  }
  return turn;
}

void Control::come_to_call(Context& c, std::uint32_t sides) {
  const CallTraits& call = traits(c.call);
  count_arrival(sides);
  sides = own_side(schedule_, rank_, sides);
  Posting mine = posting(sides);
  add_buffers(mine, c, schedule_.sides[sides == 2 ? 1 : 0]);
  const bool goes_on =
      is_one_sided(call.action) || call.when == When::Starts || call.action == Action::Start;
  Step& step = t_step;
  step.sides = sides;
  step.first_side = sides == 1u << schedule_.first;
  step.turn = come(mine, goes_on, step.place);
  if (step.turn == Turn::Second) wait_for_first();
  if (step.turn != Turn::Posted) return;
  step.posted = true;
  if (!is_one_sided(call.action) || call.when != When::Returns ||
      sides != 1u << (1 - schedule_.first))
    return;
  // It is to be the second, and nobody is there yet: it can wait until it must be complete.
  on_board([&](Board& board) {
    step.turn = turn_of(board, rank_.value, mine.task);
    if (step.turn != Turn::Posted) return;
    Posting& posted = board.postings[step.place];
    posted.state = PostingState::GoesOn;
    posted.steerable = 1;
    step.put_off = true;
  });
  if (step.turn == Turn::Second) wait_for_first();
}

bool Control::puts_off() const { return t_step.put_off; }

// Only for what local completion leaves pending at the target. Where the race is about the origin
// buffer, the operation has to read it late, and a result has to be there at local completion.
std::shared_ptr<const OriginCopy> Control::copy_origin(const Context& c) const {
  if (returns_result(traits(c.call).action) ||
      !in_target(schedule_.sides[1 - schedule_.first].kind))
    return nullptr;
  for (const Buffer& buffer : c.event.buffers)
    if (const auto type = known_.types.find(buffer.type);
        buffer.access == BufferUse::Read && type != known_.types.end())
      return OriginCopy::of(c.send.address, type->second.map, buffer.count);
  return nullptr;
}

void Control::put_off(Context& c, std::shared_ptr<const OriginCopy> copy,
                      std::function<int()> call) {
  Step& step = t_step;
  step.posted = false;
  std::lock_guard lock(mutex_);
  flights_.push_back({.place = step.place,
                      .win = c.event.fields[Field::win],
                      .target = c.event.fields[Field::target],
                      .requests = {},
                      .over_locally = !in_target(schedule_.sides[1 - schedule_.first].kind) ||
                                      returns_result(traits(c.call).action),
                      .atomic = is_atomic(traits(c.call).action),
                      .later = std::move(call),
                      .copy = std::move(copy)});
}

bool Control::follows(const Context& c) const {
  if (of_buffers_) return true;
  const Action action = traits(c.call).action;
  return action == Action::WinCreate || action == Action::WinFree || action == Action::WinAttach ||
         action == Action::WinDetach;
}

bool Control::may_flush(const Context& c) const {
  const std::uint64_t win = c.win->definition.uid.value;
  return std::any_of(locks_.begin(), locks_.end(), [&](const HeldLock& lock) {
    return lock.win == win &&
           (lock.target == kAnySource.value ||
            lock.target == static_cast<std::int32_t>(c.event.fields[Field::target]));
  });
}

// True if it is.
bool Control::complete_early(Context& c) {
  const CallTraits& call = traits(c.call);
  if (is_one_sided(call.action) && may_flush(c)) {
    REAL(PMPI_Win_flush)(c.target_rank, c.win->handle);
    return true;
  }
  const MPI_Request* const requests = c.new_request != nullptr       ? &c.new_request->handle
                                      : call.action == Action::Start ? c.requests
                                                                     : nullptr;
  const int count = c.new_request != nullptr ? 1 : requests != nullptr ? c.request_count : 0;
  const std::uint64_t since = now_ns();
  // Elsewhere the library is given time to do what it likes to do early.
  do {
    int flag = count > 0 ? 1 : 0;
    for (int i = 0; i < count && flag != 0; ++i)
      REAL(PMPI_Request_get_status)(requests[i], &flag, MPI_STATUS_IGNORE);
    if (flag != 0) return true;
    make_progress();
  } while (now_ns() - since < schedule_.unit_ms * kMs);
  return call.when == When::Blocks;
}

// At the target, or, if `locally`, at the origin.
bool Control::completes(const Flight& flight, const Context& c, bool locally) const {
  const FieldSet& fields = c.event.fields;
  const Action action = traits(c.call).action;
  if (action == Action::Start) return false;
  for (const RequestId id : c.event.requests)
    if (std::find(flight.requests.begin(), flight.requests.end(), id) != flight.requests.end())
      return true;
  if (action == Action::Finalize) return true;
  if (flight.win == 0 || !fields.has(Field::win) || fields[Field::win] != flight.win) return false;
  switch (action) {
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      if (!locally) return false;
      return action == Action::FlushLocalAll || fields[Field::target] == flight.target;
    case Action::Flush:
    case Action::Unlock:
      return fields[Field::target] == flight.target;
    case Action::Fence:
      return !fields.has(Field::assertion) || (fields[Field::assertion] & kNoPrecede) == 0;
    case Action::FlushAll:
    case Action::UnlockAll:
    case Action::Complete:
    case Action::WinFree:
      return true;
    default:
      return false;
  }
}

// Before what is in flight is complete is the last chance for the other side to come.
void Control::before_completion(Context& c) {
  bool ends = false;
  {
    std::lock_guard lock(mutex_);
    for (const Flight& flight : flights_)
      ends = ends || completes(flight, c, needs_issue_locally(flight));
  }
  if (!ends || std::atomic_ref(board_->met).load(std::memory_order_acquire) != 0) return;
  if (wants_to_wait(1)) pause(schedule_.pause_ms);
}

// Issues what was deferred: before it must be complete, once the other side is over, and before
// atomics to the same target, which MPI orders behind it.
void Control::issue(const Context& c) {
  std::vector<std::function<int()>> due;
  {
    const bool met = std::atomic_ref(board_->met).load(std::memory_order_acquire) != 0;
    const bool atomic = is_atomic(traits(c.call).action);
    std::lock_guard lock(mutex_);
    due.reserve(flights_.size());
    for (Flight& flight : flights_) {
      if (!flight.later) continue;
      const FieldSet& fields = c.event.fields;
      const bool overtaken = atomic && flight.atomic && fields[Field::win] == flight.win &&
                             fields[Field::target] == flight.target;
      if (!met && !overtaken && !completes(flight, c, needs_issue_locally(flight))) continue;
      due.push_back(std::exchange(flight.later, nullptr));
      if (!met && !completes(flight, c, flight.over_locally))  // pending, and no longer deferred
        on_board([&](Board& board) { board.postings[flight.place].steerable = 0; });
    }
  }
  if (due.empty()) return;
  // The calls are made, whatever fails in between.
  const auto make = [&] {
    for (const auto& call : due) call();
  };
  try {
    Turn turn = Turn::Posted;
    on_board([&](Board& board) { turn = turn_of(board, rank_.value, task_number()); });
    if (turn == Turn::Second) wait_for_first();
  } catch (const std::exception&) {
    make();
    throw;
  }
  make();
}

// What the call has completed is no longer on the board.
void Control::land(const Context& c) {
  std::lock_guard lock(mutex_);
  std::erase_if(flights_, [&](const Flight& flight) {
    if (!completes(flight, c, flight.over_locally)) return false;
    if (!flight.requests.empty() &&
        std::none_of(c.event.completions.begin(), c.event.completions.end(),
                     [&](const Completion& done) {
                       return std::find(flight.requests.begin(), flight.requests.end(),
                                        c.event.requests[done.index]) != flight.requests.end();
                     }))
      return false;
    on_board([&](Board& board) { board.postings[flight.place].state = PostingState::Free; });
    return true;
  });
}

void Control::remember_prepared(const Context& c) {
  if (!c.event.fields.has(Field::request)) return;
  std::lock_guard lock(mutex_);
  prepared_[RequestId(static_cast<std::uint64_t>(c.event.fields[Field::request]))] =
      c.event.buffers;
}

void Control::follow_locks(const Context& c) {
  const FieldSet& fields = c.event.fields;
  const Action action = traits(c.call).action;
  if (action != Action::Lock && action != Action::LockAll && action != Action::Unlock &&
      action != Action::UnlockAll)
    return;
  const bool all = action == Action::LockAll || action == Action::UnlockAll;
  // Who says that nobody else wants it has no lock to be kept apart by.
  const bool exclusive = action == Action::Lock && fields[Field::lock] == kExclusiveLock &&
                         (fields[Field::assertion] & kNoCheck) == 0;
  const HeldLock lock{c.win->definition.uid.value,
                      all ? kAnySource.value : static_cast<std::int32_t>(fields[Field::target]),
                      exclusive ? 1u : 0u};
  std::lock_guard guard(mutex_);
  if (action == Action::Lock || action == Action::LockAll) return locks_.push_back(lock);
  std::erase_if(locks_, [&](const HeldLock& held) { return is_same_lock(held, lock); });
  // What goes on after the lock is given back is no longer guarded by it.
  if (flights_.empty()) return;
  on_board([&](Board& board) {
    for (const Flight& flight : flights_) {
      Posting& posted = board.postings[flight.place];
      HeldLock* const end = posted.lock + std::min(posted.locks, kLocks);
      posted.locks = static_cast<std::uint32_t>(
          std::remove_if(posted.lock, end,
                         [&](const HeldLock& held) { return is_same_lock(held, lock); }) -
          posted.lock);
    }
  });
}

// Where each rank has its part of a window, and in which units: only the owner knows.
void Control::gather_window(Context& c) {
  if (!c.event.fields.has(Field::new_win)) return;
  const auto definition =
      known_.wins.find(WinId(static_cast<std::uint32_t>(c.event.fields[Field::new_win])));
  if (definition == known_.wins.end() || c.comm == nullptr) return;
  const bool dynamic = definition->second.flavour == WinFlavour::Dynamic;
  const Peer own{definition->second.base, dynamic ? 1 : definition->second.unit};
  std::vector<Peer> all;
  try {
    all.resize(static_cast<std::size_t>(c.comm->local.size()));
  } catch (const std::exception&) {
    join_window(c.comm_handle);
    throw;
  }
  REAL(PMPI_Allgather)(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, c.comm_handle);
  std::lock_guard lock(mutex_);
  windows_[c.event.fields[Field::new_win]] = std::move(all);
}

// Into memory of the system's: there may be no other.
void Control::join_window(MPI_Comm comm) noexcept {
  if (const Control* const control = get(); control == nullptr || !control->of_memory_) return;
  int size = 0;
  REAL(PMPI_Comm_size)(comm, &size);
  const std::size_t bytes = sizeof(Peer) * static_cast<std::size_t>(size);
  void* const all =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return;
  const Peer none{0, 1};
  REAL(PMPI_Allgather)(&none, sizeof none, MPI_BYTE, all, sizeof none, MPI_BYTE, comm);
  munmap(all, bytes);
}

void Control::take_leave(bool last) {
  for (Flight& flight : flights_)
    if (flight.later) std::exchange(flight.later, nullptr)();
  if (mail_ != nullptr && last) mail_->finish();
}

int Control::source(int given) const { return t_step.steered ? t_step.source : given; }
int Control::tag(int given) const {
  return t_step.steered && given == MPI_ANY_TAG ? t_step.tag : given;
}

void Control::before(Context& c) {
  t_step = {};
  ++timestamp_;
  if (mail_ != nullptr && may_call()) read_mail();
  if (std::exchange(t_unfinished, Unfinished::Nothing) != Unfinished::Nothing) first_is_done();
  if (schedule_.kind == RaceKind::Message) {
    if (traits(c.call).action == Action::Start)
      choose_for_starts(c);
    else
      choose_message(c);
  } else {
    if (!flights_.empty()) {
      before_completion(c);
      issue(c);
    }
    if (const std::uint32_t sides = sides_of(c.call, c.event.site); sides != 0)
      come_to_call(c, sides);
    if (std::atomic_ref(board_->met).load(std::memory_order_relaxed) != 0)
      if (Reach* reach = Reach::get()) reach->lift(true);  // no load or store matters any more
  }
  if (mail_ != nullptr && traits(c.call).action == Action::Finalize) {
    mail_->finish();
    words_ = mail_->words();
  }
  if (traits(c.call).when == When::Blocks) begin_waiting();
}

bool Control::lets_pass(Call call, Action action) {
  // Letters are read in the program's calls; buffers are followed through all of them.
  if (mail_ != nullptr || of_buffers_ || t_unfinished != Unfinished::Nothing || !flights_.empty())
    return false;
  if (schedule_.kind == RaceKind::Message
          ? rank_ == schedule_.sides[0].rank && takes_messages(action)
          : std::any_of(schedule_.sides.begin(), schedule_.sides.end(),
                        [&](const ScheduledSide& side) {
                          // What fetching operations bring is looked at when they are complete.
                          return side.call == call || is_atomic(traits(side.call).action);
                        }))
    return false;
  ++timestamp_;
  return true;
}

void Control::after(Context& c) {
  const CallTraits& call = traits(c.call);
  if (call.action == Action::Finalize)
    instance_ = nullptr;  // and it waits for everybody, as far as others can see
  if (call.when == When::Blocks && call.action != Action::Finalize) end_waiting();
  if (call.action == Action::WinCreate && of_memory_) gather_window(c);
  if (schedule_.kind == RaceKind::Message) {
    if (call.when == When::Prepares) remember_persistent(c);
    return check_message(c);
  }
  Step& step = t_step;
  if (step.turn == Turn::First) {
    if (!complete_early(c)) on_board([](Board& board) { board.forced = 0; });
    first_is_done();
  } else if (step.posted && step.turn == Turn::Posted) {
    const bool complete = step.first_side && complete_early(c);
    Turn turn = Turn::Posted;
    on_board([&](Board& board) {
      turn = turn_of(board, rank_.value, task_number());
      board.postings[step.place].state =
          turn == Turn::Posted ? PostingState::GoesOn : PostingState::Free;
      board.postings[step.place].steerable = complete ? 1 : 0;
    });
    if (turn == Turn::First) first_is_done();
    std::lock_guard lock(mutex_);
    const FieldSet& fields = c.event.fields;
    const bool of_buffer = !in_target(schedule_.sides[step.sides >> 1 & 1].kind);
    // That a put with a request is over here says nothing of the target.
    const bool by_request =
        fields.has(Field::request) && (of_buffer || returns_result(call.action));
    std::vector<RequestId> requests;
    if (by_request)
      requests.push_back(RequestId(static_cast<std::uint64_t>(fields[Field::request])));
    if (call.action == Action::Start) requests = c.event.requests;
    if (turn == Turn::Posted)
      flights_.push_back({.place = step.place,
                          .win = fields.has(Field::win) ? fields[Field::win] : 0,
                          .target = fields.has(Field::target) ? fields[Field::target] : -1,
                          .requests = std::move(requests),
                          .over_locally = of_buffer || returns_result(call.action),
                          .atomic = is_atomic(call.action),
                          .later = nullptr,
                          .copy = nullptr});
  }
  if (!flights_.empty()) land(c);
  if (of_buffers_ && call.when == When::Prepares) remember_prepared(c);
  if (c.win != nullptr) follow_locks(c);
}

bool Control::checks_at_memory() const {
  return schedule_.kind == RaceKind::Memory &&
         std::any_of(schedule_.sides.begin(), schedule_.sides.end(),
                     [](const ScheduledSide& side) { return is_access(side.call); });
}

std::vector<std::uint32_t> Control::lines() const {
  std::vector<std::uint32_t> all;
  for (const ScheduledSide& side : schedule_.sides)
    all.insert(all.end(), side.lines.begin(), side.lines.end());
  return all;
}

std::uint8_t Control::sides_of_place(Call call, std::uint64_t pc) {
  Recorder* recorder = Recorder::get();
  Task* task = recorder != nullptr ? recorder->task() : nullptr;
  return static_cast<std::uint8_t>(1 +
                                   (task != nullptr ? sides_of(call, task->sites.find(pc, 0)) : 0));
}

bool Control::wants(std::uint8_t sides) const {
  return sides != 1 || t_unfinished == Unfinished::Access;
}

// In the memory of this rank, in this run.
ByteRange Control::bytes_of_race() const {
  for (const auto& [id, window] : known_.wins) {
    if (window.uid != schedule_.win || schedule_.win == Uid()) continue;
    const std::int64_t begin = static_cast<std::int64_t>(window.base) + schedule_.offset;
    return {begin, begin + static_cast<std::int64_t>(schedule_.bytes)};
  }
  return {};
}

void Control::touch(std::uint8_t which, std::vector<Strided> footprint, bool loop) {
  if (t_unfinished == Unfinished::Access) {
    t_unfinished = Unfinished::Nothing;
    first_is_done();
  }
  const std::uint32_t sides = which - 1u;
  if (sides == 0 || schedule_.kind == RaceKind::Message) return;
  count_arrival(sides);
  Posting mine = posting(own_side(schedule_, rank_, sides));
  if (footprint.size() > kPieces) {  // rather those where the race was
    const auto [begin, end] = bytes_of_race();
    std::stable_partition(footprint.begin(), footprint.end(), [&](const Strided& strided) {
      std::int64_t last = strided.offset + strided.length;
      for (const Dimension& dimension : strided.dimensions)
        last += (dimension.count - 1) * std::max<std::int64_t>(dimension.stride, 0);
      return strided.offset < end && begin < last;
    });
  }
  for (const Strided& strided : footprint) {
    Strided at = strided;
    // Memory of another rank that this one sees, too, has the address that it has there.
    for (const auto& [id, window] : known_.wins)
      for (const WinSegment& segment : window.segments) {
        const auto begin = static_cast<std::int64_t>(segment.address);
        if (strided.offset < begin ||
            strided.offset >= begin + static_cast<std::int64_t>(segment.size))
          continue;
        const auto peers = windows_.find(id.value);
        const auto comm = known_.comms.find(window.comm);
        if (peers == windows_.end() || comm == known_.comms.end()) continue;
        const auto group = known_.groups.find(comm->second.group);
        if (group == known_.groups.end()) continue;
        const auto& ranks = group->second.ranks;
        const auto owner = std::find(ranks.begin(), ranks.end(), segment.owner);
        if (owner == ranks.end()) continue;
        mine.owner = segment.owner.value;
        at.offset = static_cast<std::int64_t>(
                        peers->second[static_cast<std::size_t>(owner - ranks.begin())].base) +
                    strided.offset - begin;
      }
    add_piece(mine, at);
  }
  std::uint32_t place = 0;
  const Turn turn = come(mine, false, place);
  if (turn == Turn::Second) wait_for_first();
  if (turn != Turn::First) return;
  note_meeting();
  t_unfinished = loop ? Unfinished::Loop : Unfinished::Access;
}

}  // namespace photofinish::mpi

#include "frontend/shmem/interception.h"

#include "frontend/shmem/explored.h"

#include <mutex>
#include <vector>

#include "runtime/reach.h"

namespace photofinish::shmem {
namespace {

// A buffer that is filled by the time its context is quiet, in a recorded or replayed rank.
struct Fill {
  Buffer buffer;
  std::uint64_t step = 0;     // the call that started it
  ContentHash contents = {};  // when the call that started it returned
};

ContentHash contents_of(const Buffer& buffer) {
  return content_hash(reinterpret_cast<const void*>(buffer.address),
                      static_cast<std::size_t>(buffer.count));
}

// By number of the context. Programs have few of them.
struct PendingWork {
  std::vector<Fetch> fetches;
  std::vector<Fill> fills;
};

// More results than this are not followed: programs that synchronize wait for each.
constexpr std::size_t kMaxPending = 1024;

struct Contexts {
  std::mutex mutex;
  std::unordered_map<Ctx, std::int64_t> numbers;
  std::int64_t last = 0;
  std::unordered_map<std::int64_t, PendingWork> pending;
};

Contexts& contexts() {
  static auto* const all = new Contexts;
  return *all;
}

// The handle of SHMEM_CTX_DEFAULT, which is a variable of the library.
Ctx default_handle() {
  static Ctx* const variable = [] {
    void* const found = dlsym(RTLD_DEFAULT, "oshmem_ctx_default");
    return static_cast<Ctx*>(found != nullptr ? found : dlsym(RTLD_DEFAULT, "SHMEM_CTX_DEFAULT"));
  }();
  return variable != nullptr ? *variable : kDefaultContext;
}

std::int64_t number_of(Ctx context) {
  if (context == kDefaultContext || context == default_handle()) return 0;
  Contexts& all = contexts();
  std::lock_guard lock(all.mutex);
  const auto [entry, fresh] = all.numbers.try_emplace(context, 0);
  if (fresh) entry->second = ++all.last;
  return entry->second;
}

// Reach keeps pending operations by window; contexts are none of them.
std::int64_t reach_key(std::int64_t context) { return -1 - context; }

// A nonblocking get or atomic may have filled its buffer when it returns. Whether it is filled
// later is known when its context is quiet.
void saw_contents(const Buffer& buffer) {
  if (Journaling::get()->replays()) return;
  Contexts& all = contexts();
  std::lock_guard lock(all.mutex);
  for (auto& [number, work] : all.pending)
    if (!work.fills.empty() && work.fills.back().buffer == buffer)
      work.fills.back().contents = contents_of(buffer);
}

// Whether the operation of this step fills its buffer later.
bool is_pending(std::uint64_t step) {
  Contexts& all = contexts();
  std::lock_guard lock(all.mutex);
  for (const auto& [number, work] : all.pending)
    if (!work.fills.empty() && work.fills.back().step == step) return true;
  return false;
}

void exchange_fills(Task& task, std::vector<Fill> fills) {
  for (const Fill& fill : fills) {
    bool changed = !t_journal->replays() && contents_of(fill.buffer) != fill.contents;
    (*t_journal)(changed);
    if (changed) Journaling::get()->exchange_written(task, fill.buffer);
    Journaling::get()->report_brought(task, fill.step, fill.buffer);
  }
}

}  // namespace

Interception::Interception(Call call, CallSite call_site) : call_(call), call_site_(call_site) {
  if (mpi::is_inside(call_site)) return;
  recorder_ = Recorder::get();
  if (recorder_ == nullptr && !has_failed()) return;
  outermost_ = true;
  mpi::t_inside = call_site.frame;
  task_ = recorder_ != nullptr ? mpi::task_of(*recorder_) : nullptr;
  if (task_ != nullptr) steering_ = Steering::get();
  if (steering_ != nullptr && steering_->schedule().explores) {
    explored_ = std::exchange(steering_, nullptr);
    explored::begin_call(call);
  }
  if (task_ != nullptr && steering_ == nullptr && ThreadAccesses::any() &&
      !mpi::record_thread_accesses(*recorder_, *task_))
    task_ = nullptr;
  if (task_ == nullptr) {
    mpi::before_passing_on(traits(call).action, 0);
    return;
  }
  ParallelRegions::communicate();
  journaling_ = Journaling::get();
  if (steering_ != nullptr && journaling_ == nullptr) return;
  task_->lane->entered(call, call_site.pc);
  start_ = ticks();
}

Interception::~Interception() {
  entry_.reset();
  if (outermost_) mpi::t_inside = 0;
}

Context& Interception::begin() {
  Context& c = context_.emplace(*task_, call_);
  mpi::locate(c, call_site_);
  return c;
}

// In a confirming run only a rank with a journal is recorded. False if the tool has failed.
bool Interception::enter_steered(const Describes& arguments, const steered::How& how,
                                 Recorded recorded) {
  if (journaling_ != nullptr) enter_journaled(arguments, recorded);
  if (task_ != nullptr && guarded([&] {
        if (!entry_) arguments(begin());
        steered::before(*steering_, *context_, how);
      }))
    return true;
  if (entry_) entry_->give_up();
  entry_.reset();
  steering_ = nullptr;
  task_ = nullptr;
  mpi::before_passing_on(traits(call_).action, 0);
  return false;
}

void Interception::leave_steered(const Part<>& answer, const Part<>& record,
                                 const steered::How& how) {
  if (steering_ == nullptr) {
    guarded(answer);
    return;
  }
  if (entry_) return leave_journaled(answer, record, &how);
  finish([&] {
    answer();
    record();
    steered::after(*steering_, *context_, how);
  });
}

void Interception::run_steered(const Describes& arguments, const Part<>& made, const Part<>& answer,
                               const Part<>& record, const steered::How& how, Recorded recorded) {
  enter_steered(arguments, how, recorded);
  made();
  end_ = ticks();
  leave_steered(answer, record, how);
}

// An event whose call has returned; in a confirming run without a journal there is none.
void Interception::append() {
  if (has_event()) append_event(*context_, *recorder_, start_, end_);
}

void Interception::operating(Ctx context, Describes arguments, Part<> made, Keep keep) {
  if (steering_ == nullptr) return returning(arguments, made);
  const steered::How how{.pending = true, .keeps = true, .context = context};
  bool deferred = false;
  if (enter_steered(arguments, how, Recorded::AtReturn) && steering_->is_deferred())
    guarded([&] {
      Later later;
      keep(steered::copies_origin(*steering_), later);
      steered::defer(*steering_, *context_, context, std::move(later));
      deferred = true;
    });
  if (!deferred) made();
  end_ = ticks();
  leave_steered(kNothing, [&] { append(); }, how);
}

void Interception::returning(Describes arguments, Part<> made, Part<> answer, Describes results) {
  const auto record = [&] {
    results(*context_);
    append();
  };
  if (steering_ != nullptr)
    return run_steered(arguments, made, answer, record, {}, Recorded::AtReturn);
  if (task_ != nullptr && journaling_ != nullptr) enter_journaled(arguments, Recorded::AtReturn);
  if (!replays()) made();
  end_ = ticks();
  if (entry_) return leave_journaled(answer, record);
  guarded(answer);
  if (task_ == nullptr) return;
  finish([&] {
    arguments(begin());
    record();
  });
}

void Interception::attempting(Part<> made, Part<> answer, const bool& failed, Describes results) {
  const auto record = [&] {
    results(*context_);
    context_->event.fields.set(Field::flag, failed ? 0 : 1);
    if (explored_ != nullptr) return append();  // an outcome of its own
    if (has_event()) mpi::append_attempt(*context_, *recorder_, start_, end_, failed);
  };
  if (steering_ != nullptr)
    return run_steered(kNothing, made, answer, record, {}, Recorded::AtReturn);
  if (task_ != nullptr && journaling_ != nullptr) enter_journaled(kNothing, Recorded::AtReturn);
  if (!replays()) made();
  end_ = ticks();
  if (entry_) return leave_journaled(answer, record);
  guarded(answer);
  if (task_ == nullptr) return;
  finish([&] {
    begin();
    record();
  });
}

void Interception::waiting(Describes arguments, Part<> made, Part<> answer, Describes results) {
  const auto record = [&] {
    results(*context_);
    if (has_event()) finish_event(*context_, *recorder_, end_);
  };
  if (steering_ != nullptr) {
    const Action action = traits(call_).action;
    const bool polls = steered::is_active() && call_ != ShmemCall::shmem_team_sync &&
                       (action == Action::Barrier || action == Action::Synchronize);
    return run_steered(
        arguments, made, answer, record,
        {.waits = action != Action::Quiet && action != Action::Abort, .polls = polls},
        Recorded::FromStart);
  }
  if (task_ != nullptr) {
    if (journaling_ != nullptr)
      enter_journaled(arguments, Recorded::FromStart);
    else
      enter(arguments);
  }
  if (!replays()) make_waiting(made);
  end_ = ticks();
  if (entry_) return leave_journaled(answer, record);
  guarded(answer);
  if (task_ != nullptr) finish(record);
}

// In an explored run, others see that this PE waits. A lock is awaited at the gate.
void Interception::make_waiting(const Part<>& made) {
  const Action action = traits(call_).action;
  const bool waits = explored_ != nullptr && action != Action::Quiet && action != Action::Abort &&
                     action != Action::LockAcquire && action != Action::LockRelease;
  if (waits) explored_->begin_waiting();
  if (explored_ != nullptr && action == Action::Abort) explored_->let_others_continue();
  made();
  if (waits) explored_->end_waiting();
}

void Interception::waiting_until(Describes arguments, Part<> made, Part<bool&> is_over,
                                 Part<> answer, Describes results) {
  if (steering_ == nullptr || !steering_->has_deferred())
    return waiting(arguments, made, answer, results);
  const auto wait = [&] {
    if (steering_ != nullptr)
      steering_->wait_while_deferring([&] {
        bool over = false;
        is_over(over);
        return over;
      });
    made();
  };
  run_steered(
      arguments, wait, answer,
      [&] {
        results(*context_);
        if (has_event()) finish_event(*context_, *recorder_, end_);
      },
      {.waits = true, .polls = true}, Recorded::FromStart);
}

void Interception::querying(Part<> made, Part<> answer, const bool& found, Describes results) {
  if (task_ != nullptr && journaling_ != nullptr) enter_journaled(kNothing, Recorded::Maybe);
  if (!replays()) made();
  end_ = ticks();
  const auto record = [&] {
    if (!found) return;
    results(*context_);
    append();
  };
  if (entry_) return leave_journaled(answer, record);
  guarded(answer);
  if (task_ == nullptr || !found) return;
  finish([&] {
    begin();
    record();
  });
}

void Interception::ending(Part<> made, Part<> made_on_replay) {
  if (task_ == nullptr) return made();
  if (journaling_ != nullptr) Journaling::pause_values(true);
  const steered::How how{.waits = true};
  if (steering_ == nullptr || journaling_ != nullptr) enter(kNothing);
  if (task_ != nullptr && steering_ != nullptr && !finish([&] {
        if (!context_) begin();
        steered::before(*steering_, *context_, how);
      }))
    task_ = nullptr;
  const bool records = task_ != nullptr;
  if (records && explored_ != nullptr) {
    explored_->close_channel();
    explored_->begin_waiting();
  }
  if (records) mpi::before_last_call();
  replays() ? made_on_replay() : made();
  if (!records) return;
  end_ = ticks();
  finish([&] {
    if (has_event()) finish_event(*context_, *recorder_, end_);
    if (steering_ != nullptr) steered::after(*steering_, *context_, how);
    if (explored_ != nullptr) explored_->end();
  });
  Recorder::last()->finalized();
  if (journaling_ != nullptr && !has_failed()) guarded([&] { journaling_->finalized(*task_); });
}

void Interception::enter(const Describes& arguments) {
  if (!finish([&] {
        arguments(begin());
        start_ = ticks();
        begin_event(*context_, *recorder_, start_);
      }))
    task_ = nullptr;
}

namespace {

// A put to a PE of the group: its contents need not be stored there.
void publish(Journaling& journaling, const Context& c) {
  const FieldSet& fields = c.event.fields;
  const Action action = traits(c.call).action;
  if (journaling.group().size() < 2 || (action != Action::Put && action != Action::PutSignal) ||
      c.event.buffers.size() < 2 || !fields.has(Field::win) ||
      !journaling.in_group(fields[Field::target]))
    return;
  const WinId region(static_cast<std::uint32_t>(fields[Field::win]));
  journaling.publish_put(c.task, c.event.buffers[0],
                         WorldRank(static_cast<std::int32_t>(fields[Field::target])),
                         Recorder::get()->writer().known().wins.at(region).uid, c.event.buffers[1]);
}

// For photofinish explain: what a one-sided operation writes, and what it has read. The value of
// shmem_p or of an atomic is a field.
void report_operation(Journaling& journaling, const Context& c) {
  const FieldSet& fields = c.event.fields;
  if (!journaling.replays() || !fields.has(Field::target) || c.event.buffers.empty()) return;
  const Buffer& target = c.event.buffers.back();
  if (target.access < BufferUse::TargetRead) return;
  std::int64_t bytes = target.count;
  if (target.type != TypeId(0))
    bytes *= Recorder::get()->writer().known().types.at(target.type).map.size;
  const auto value = [&](const std::int64_t& bits) {
    return Buffer{BufferUse::Read, reinterpret_cast<std::uint64_t>(&bits),
                  std::min<std::int64_t>(bytes, sizeof bits), TypeId(0)};
  };
  bool has_origin = false;
  for (const Buffer& buffer : c.event.buffers)
    if (buffer.access == BufferUse::Read) {
      journaling.report_carried(c.task, buffer);
      has_origin = true;
    }
  const bool adds_one = target.access == BufferUse::TargetUpdate && !fields.has(Field::operand);
  const std::int64_t operand = adds_one ? 1 : fields[Field::operand];
  if (!has_origin && (adds_one || fields.has(Field::operand)))
    journaling.report_carried(c.task, value(operand));
  if (const std::int64_t compare = fields[Field::compare]; fields.has(Field::compare))
    journaling.report_carried(c.task, value(compare));
}

// Of a get or fetching atomic that is complete.
void report_results(Journaling& journaling, const Context& c) {
  if (!journaling.replays() || !c.event.fields.has(Field::target)) return;
  const std::uint64_t step = TaskState::of(c.task).steps;
  if (is_fetch(traits(c.call).action) && c.event.numbers.size() == 2) {
    const Buffer& target = c.event.buffers.back();
    const std::int64_t bytes = Recorder::get()->writer().known().types.at(target.type).map.size;
    journaling.report_brought(
        c.task, step,
        {BufferUse::Read, reinterpret_cast<std::uint64_t>(&c.event.numbers[1]), bytes, TypeId(0)});
    return;
  }
  if (traits(c.call).action != Action::Get || is_pending(step)) return;
  for (const Buffer& buffer : c.event.buffers)
    if (buffer.access == BufferUse::Write) journaling.report_brought(c.task, step, buffer);
}

}  // namespace

// The key of the entry comes first: what its arguments stand for may be a recorded fact.
void Interception::enter_journaled(const Describes& arguments, Recorded recorded) {
  if (finish([&] {
        entry_.emplace(*journaling_, *task_);
        const TurnScope turn(TurnKind::Call, Turns::in_call());
        Context& c = begin();
        journaling_->ask_call(*task_, call_, c.event.site);
        arguments(c);
        journaling_->ask_with_arguments(*task_, c.event);
        if (recorded != Recorded::Maybe && is_step(traits(call_).action, traits(call_).when))
          ++TaskState::of(*task_).steps;
        journaling_->report_stores(*task_);
        publish(*journaling_, c);
        journaling_->before_call(*task_);
        start_ = ticks();
        if (!replays() && recorded == Recorded::FromStart) begin_event(c, *recorder_, start_);
      }))
    return;
  entry_.reset();
  task_ = nullptr;
}

namespace {

// A put or an atomic without a result tells nothing about what others have done.
bool may_observe(Action action) {
  return action != Action::Put && action != Action::PutSignal && action != Action::Accumulate &&
         action != Action::Order && action != Action::ContextCreate;
}

}  // namespace

void Interception::leave_journaled(const Part<>& answer, const Part<>& record,
                                   const steered::How* how) {
  finish([&] {
    const TurnScope turn(TurnKind::Return, Turns::in_call());
    // What the call writes includes what steering completes at once.
    const bool completes_early = how != nullptr && how->pending;
    if (completes_early) steered::after(*steering_, *context_, *how);
    answer();
    const Action action = traits(call_).action;
    const bool has_results = action != Action::SymmetricAllocate && action != Action::SymmetricFree;
    for (const Buffer& buffer : context_->event.buffers)
      if (has_results && buffer.access == BufferUse::Write) {
        journaling_->exchange_written(*task_, buffer);
        saw_contents(buffer);
      }
    record();
    report_operation(*journaling_, *context_);
    report_results(*journaling_, *context_);
    if (may_observe(action)) journaling_->exchange_changes(*task_);
    if (how != nullptr && !completes_early) steered::after(*steering_, *context_, *how);
    entry_->close();
  });
}

void Interception::exchange_memory(const void* memory, std::size_t bytes) {
  if (!entry_) return;
  journaling_->exchange_written(*task_, {BufferUse::Write, reinterpret_cast<std::uint64_t>(memory),
                                         static_cast<std::int64_t>(bytes), TypeId(0)});
}

void Interception::exchange_observed(const void* word, std::size_t bytes) {
  if (entry_) journaling_->exchange_observed(*task_, call_site_, word, bytes);
}

void Interception::make_progress() const {
  if (task_ == nullptr || replays()) return;
  int found = 0;
  REAL(MPI_Iprobe)(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

TypeId element_type(std::size_t bytes, bool is_floating, bool is_signed) {
  static constexpr const char* kSigned[] = {"MPI_INT8_T", "MPI_INT16_T", "MPI_INT32_T",
                                            "MPI_INT64_T"};
  static constexpr const char* kUnsigned[] = {"MPI_UINT8_T", "MPI_UINT16_T", "MPI_UINT32_T",
                                              "MPI_UINT64_T"};
  static constexpr const char* kNames[] = {"int8",  "int16",  "int32",  "int64",
                                           "uint8", "uint16", "uint32", "uint64"};
  mpi::Objects& objects = mpi::Objects::get();
  if (is_floating)
    return objects.element_type(bytes == 4 ? "float" : "double",
                                bytes == 4 ? "MPI_FLOAT" : "MPI_DOUBLE", bytes);
  const int size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  return objects.element_type(kNames[size + (is_signed ? 0 : 4)],
                              is_signed ? kSigned[size] : kUnsigned[size], bytes);
}

namespace {

// Symmetric memory that this PE passes to a call is what other PEs pass to theirs.
void name(const void* address, std::int64_t count, TypeId type) {
  Journaling* const journaling = Journaling::get();
  if (journaling == nullptr) return;
  std::int64_t extent = 1;
  if (type != TypeId(0)) extent = Recorder::get()->writer().known().types.at(type).map.extent;
  journaling->name(address, static_cast<std::size_t>(std::max<std::int64_t>(count * extent, 0)));
}

}  // namespace

void add_buffer(Context& c, BufferUse use, const void* address, std::int64_t count, TypeId type) {
  if (count > 0) name(address, count, type);
  if (count > 0)
    c.event.buffers.push_back({use, reinterpret_cast<std::uint64_t>(address), count, type});
}

bool add_target(Context& c, BufferUse use, const void* address, int pe, std::int64_t count,
                TypeId type) {
  c.event.fields.set(Field::target, WorldRank(pe).value);
  const SymmetricMemory::Place place = SymmetricMemory::get().find(address);
  if (place.region == WinId(0)) return false;
  c.event.fields.set(Field::win, place.region);
  if (count > 0) name(address, count, type);
  if (count > 0) c.event.buffers.push_back({use, place.displacement, count, type});
  return true;
}

std::int64_t next_atomic() {
  static std::atomic<std::int64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void set_context(Context& c, Ctx context) {
  if (const std::int64_t number = number_of(context); number != 0)
    c.event.fields.set(Field::context, number);
}

void forget_context(Ctx context) {
  Contexts& all = contexts();
  std::lock_guard lock(all.mutex);
  all.numbers.erase(context);
}

void leave_pending(const Context& c, Ctx context) {
  const std::int64_t number = number_of(context);
  if (const Journaling* const journaling = Journaling::get()) {
    Contexts& all = contexts();
    std::lock_guard lock(all.mutex);
    for (const Buffer& buffer : c.event.buffers)
      if (buffer.access == BufferUse::Write)
        all.pending[number].fills.push_back({buffer, TaskState::of(c.task).steps + 1});
    // Its loads need no hook, unless they are steered: the contents are in the journal.
    if (!journaling->is_steered()) return;
  }
  Reach* const reach = Reach::get();
  if (reach == nullptr) return;
  for (const Buffer& buffer : c.event.buffers)
    if (buffer.access <= BufferUse::ReadWrite)
      reach->begin_operation(reach_key(number), c.event.fields[Field::target], buffer,
                             Recorder::get()->writer().known());
}

void leave_fetch(Ctx context, const Fetch& fetch) {
  const std::int64_t number = number_of(context);
  Contexts& all = contexts();
  std::lock_guard lock(all.mutex);
  std::vector<Fetch>& fetches = all.pending[number].fetches;
  if (fetches.size() < kMaxPending) fetches.push_back(fetch);
}

void expect_results(Context& c, Ctx context) {
  const std::int64_t number = number_of(context);
  Contexts& all = contexts();
  std::lock_guard lock(all.mutex);
  if (const auto found = all.pending.find(number); found != all.pending.end())
    c.event.more_numbers = 2 * found->second.fetches.size();
}

void complete_pending(Context& c, Ctx context) {
  const std::int64_t number = number_of(context);
  Contexts& all = contexts();
  if (t_journal != nullptr) {
    std::unique_lock lock(all.mutex);
    std::vector<Fill> fills = std::move(all.pending[number].fills);
    all.pending[number].fills.clear();
    lock.unlock();
    exchange_fills(c.task, std::move(fills));
  }
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.pending.find(number); found != all.pending.end()) {
      // Another thread may have added some meanwhile; there is room for those that were expected.
      const std::size_t known = std::min(found->second.fetches.size(), c.event.more_numbers / 2);
      for (std::size_t i = 0; i < known; ++i) {
        const Fetch& fetch = found->second.fetches[i];
        c.event.numbers.push_back(fetch.number);
        c.event.numbers.push_back(static_cast<std::int64_t>(bits_of(fetch.result, fetch.bytes)));
      }
      found->second.fetches.clear();
    }
  }
  if (Reach* const reach = Reach::get()) reach->end_operations(reach_key(number));
}

}  // namespace photofinish::shmem

#include "frontend/mpi/accesses.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "frontend/mpi/interceptor.h"
#include "frontend/mpi/turns.h"
#include "frontend/threads/openmp.h"
#include "photofinish/runtime_abi.h"
#include "runtime/ending.h"
#include "runtime/indices.h"
#include "runtime/parallel_regions.h"
#include "runtime/regions.h"
#include "runtime/sampling.h"
#include "runtime/tasks.h"

namespace photofinish::mpi {
namespace {

void record(Call call, BufferUse use, const void* address, std::uint64_t bytes,
            CallSite call_site) {
  if (is_inside(call_site)) return;
  Recorder* recorder = Recorder::get();
  if (recorder == nullptr) return;
  Inside inside(call_site);
  guarded([&] {
    if (Steering* steering = Steering::get())
      return steering->reach_access(
          steering->sides_at(call, call_site.pc),
          {{static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(address)),
            static_cast<std::int64_t>(bytes),
            {}}},
          false);
    Task* task = task_of(*recorder);
    if (task == nullptr) return;
    Context c(*task, call);
    locate(c, call_site);
    c.event.result = 0;
    c.event.buffers.push_back({use, reinterpret_cast<std::uint64_t>(address),
                               static_cast<std::int64_t>(bytes), TypeId(0)});
    const std::uint64_t now = ticks();
    append_event(c, *recorder, now, now);
  });
}

template <class Note>
void in_hook(CallSite call_site, Note note) {
  if (t_in_hook || is_inside(call_site)) return;
  Recorder* recorder = Recorder::get();
  Reach* reach = Reach::get();
  if (recorder == nullptr || reach == nullptr) return;
  t_in_hook = true;
  guarded([&] {
    if (Task* task = recorder->task()) {
      std::unique_ptr<ThreadAccesses>& touched = Context::scratch_of(*task).touched;
      if (touched == nullptr) touched = std::make_unique<ThreadAccesses>(task->sites);
      touched->touch([&](AccessBuffer& here) { note(here, *reach); });
    }
  });
  t_in_hook = false;
}

// The accesses that lead to a crash are often those of the race. They are not recorded yet: a rank
// records its accesses with its next call.
void record_before_crash() noexcept {
  Recorder* const recorder = Recorder::get();
  Task* const task = Recorder::known_task();
  if (recorder == nullptr || task == nullptr || t_in_hook || t_inside != 0) return;
  try {
    record_last_accesses(*recorder, *task);
  } catch (...) {  // the run ends anyway
  }
}

Call call_of(std::uint64_t bytes) {
  if ((bytes & PHOTOFINISH_RELEASES) != 0) return Call::release;
  return (bytes & PHOTOFINISH_WRITES) != 0 ? Call::store : Call::load;
}

// A block that is freed has the length that the allocator gave it.
std::uint64_t length_of(const void* address, std::uint64_t bytes) {
  const std::uint64_t length = PHOTOFINISH_BYTES(bytes);
  return call_of(bytes) == Call::release && length == 0
             ? malloc_usable_size(const_cast<void*>(address))
             : length;
}

// The next owner of memory that is freed may be another thread. That must be on record now: with
// the next call of this thread, it may be too late. Allocators hand large blocks from thread to
// thread, and small ones only if they share them; so the number of small ones is limited, for their
// time. Bytes 0: a block of the heap. Local variables stay in the stack of their thread.
void give_back(const void* memory, std::uint64_t bytes) {
  constexpr std::uint64_t kLarge = 1 << 15, kPage = 1 << 12;
  constexpr int kMostSmall = 1 << 12;
  static thread_local int small = 0;
  if (bytes != 0 && reinterpret_cast<std::uint64_t>(memory) % kPage != 0) return;
  if (bytes == 0) bytes = malloc_usable_size(const_cast<void*>(memory));
  if (bytes < kLarge && ++small > kMostSmall) return;
  Tasks::give_back(memory, static_cast<const char*>(memory) + bytes);
}

[[gnu::always_inline]] inline void note_access(photofinish_site* site, const void* address,
                                               std::uint64_t bytes, const void* pc) {
  const CallSite call_site{reinterpret_cast<std::uint64_t>(pc),
                           reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  in_hook(call_site, [&](AccessBuffer& touched, Reach& reach) {
    const auto begin = reinterpret_cast<std::uint64_t>(address);
    touched.access(reach, *site, begin, length_of(address, bytes),
                   static_cast<unsigned>(PHOTOFINISH_UNIT(bytes)), call_of(bytes), call_site.pc,
                   call_site.frame);
  });
  if (call_of(bytes) == Call::release && Tasks::active()) [[unlikely]]
    give_back(address, PHOTOFINISH_BYTES(bytes));
}

[[gnu::always_inline]] inline void note_range(photofinish_site* site, const void* address,
                                              std::uint64_t bytes, std::uint64_t rows,
                                              std::int64_t stride, std::uint64_t planes,
                                              std::int64_t plane_stride) {
  const CallSite call_site = CALL_SITE;
  in_hook(call_site, [&](AccessBuffer& touched, Reach& reach) {
    AccessRow row{
        {},   call_of(bytes), reinterpret_cast<std::uint64_t>(address), length_of(address, bytes),
        rows, stride};
    if (row.bytes == 0 || row.rows == 0) return;
    const std::uint64_t span =
        (row.rows - 1) * static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
    if (stride < 0) row.begin -= span;
    if (stride < 0) row.stride = -stride;
    if (static_cast<std::uint64_t>(row.stride) <= row.bytes) {  // no gaps
      row.bytes += span;
      row.rows = 1;
      row.stride = 0;
    }
    for (std::uint64_t plane = 0; plane < planes; ++plane) {
      touched.row(reach, *site, row, call_site.pc, call_site.frame);
      row.begin += static_cast<std::uint64_t>(plane_stride);
    }
  });
  if (call_of(bytes) == Call::release && Tasks::active()) [[unlikely]]
    give_back(address, PHOTOFINISH_BYTES(bytes));
}

std::uint64_t note_indices(photofinish_index* index, const void* first, std::uint64_t times) {
  bool known = false;
  in_hook(CALL_SITE,
          [&](AccessBuffer& touched, Reach&) { known = touched.indices(*index, first, times); });
  return known ? 1 : 0;
}

void note_gather(photofinish_site* site, const void* base, std::uint64_t bytes, std::uint64_t scale,
                 photofinish_index* index, std::uint64_t slots) {
  const CallSite call_site = CALL_SITE;
  in_hook(call_site, [&](AccessBuffer& touched, Reach& reach) {
    touched.gather(reach, *site, *index, reinterpret_cast<std::uint64_t>(base),
                   {slots, scale, PHOTOFINISH_BYTES(bytes)}, call_of(bytes), call_site.pc,
                   call_site.frame);
  });
}

void note_synchronization(const void* address, std::uint64_t how) {
  if (!Tasks::active()) return;
  if (how == PHOTOFINISH_SECTION_BEGIN) return openmp::begin_section();
  if (how == PHOTOFINISH_SECTION_END) return openmp::end_section();
  const std::uint64_t key =
      task_key(address != nullptr ? TaskKey::Atomic : TaskKey::Fence, address);
  if ((how & PHOTOFINISH_RELEASE) != 0) Tasks::release(key);
  if ((how & PHOTOFINISH_ACQUIRE) != 0) Tasks::acquire(key);
}

// With sampling, `gather` is not used: every access calls its own hook, which may skip it.
std::uint64_t no_indices(photofinish_index*, const void*, std::uint64_t) { return 0; }

// The hooks that the pass calls. `hook` must be inlined: it finds the access site by the frame of
// the hook that the program called.
template <auto hook, class... Arguments>
void every(photofinish_site* site, const void* address, Arguments... arguments) {
  hook(site, address, arguments...);
}

template <auto hook, class... Arguments>
void sampled(photofinish_site* site, const void* address, Arguments... arguments) {
  Sampling& sampling = *Sampling::get();
  if (sampling.skips(*site)) return;
  const std::uint64_t since = ticks();
  hook(site, address, arguments...);
  sampling.took_checking(since, ticks());
}

// Hooks of a confirming run. They record nothing. Most sites are not an access site of the race; a
// task that reaches one that is may have to wait there.
//
// A site that is not one must not call the hook each time. It is lent bits to set instead
// (runtime_abi.h), for all addresses near the one of its first call. Nobody reads these bits.
// Exception: after this task has made the access that goes first, every site calls the hook,
// because the next access shows that the first one is done.
constexpr std::uint64_t kNear = std::uint64_t{1} << 32;
// How often one site is lent bits, at most: it may alternate between addresses that are far apart.
constexpr std::uint64_t kMostLent = 1000;
thread_local std::vector<photofinish_site*> t_lent;  // sites that have bits of this thread

// Bits for [base, base + kNear). Only pages with a bit that was set take memory. Null if there is
// no memory.
std::uint64_t* unread_bits(std::uint64_t base, unsigned unit) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::pair<std::uint64_t, unsigned>, std::uint64_t*>;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known->try_emplace({base, unit}, nullptr);
  if (!fresh) return entry->second;
  const std::uint64_t units = kNear >> unit, groups = units >> PHOTOFINISH_GROUP_BITS;
  void* const memory = mmap(nullptr, groups + units / 8, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::memset(memory, 1, groups);
  return entry->second =
             reinterpret_cast<std::uint64_t*>(static_cast<std::uint8_t*>(memory) + groups);
}

void lend_bits(photofinish_site& site, const void* address, unsigned unit) {
  const auto times = reinterpret_cast<std::uint64_t>(site.library[1]);
  if (unit > PHOTOFINISH_MAX_UNIT || times == kMostLent) return;
  site.library[1] = reinterpret_cast<void*>(times + 1);
  const std::uint64_t base = reinterpret_cast<std::uint64_t>(address) & ~(kNear - 1);
  std::uint64_t* const bits = unread_bits(base, unit);
  if (bits == nullptr) return;
  site.thread = 0;
  site.base = base;
  site.units = kNear >> unit;
  site.bits = bits;
  site.thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  t_lent.push_back(&site);
}

// Whole loops and functions without an access site of the race run their copy without hooks, with
// the same exception.
thread_local bool t_checks_everywhere = false;

void check_everywhere(const Steering& steering, bool wanted) {
  if (wanted == t_checks_everywhere || steering.records()) return;
  t_checks_everywhere = wanted;
  pass_regions(steering.lines(), !wanted);
}

template <class Footprint>
void steer(photofinish_site* site, std::uint64_t bytes, CallSite call_site, bool loop,
           Footprint footprint) {
  Steering* steering = Steering::get();
  if (steering == nullptr || t_in_hook || is_inside(call_site) || has_failed()) return;
  std::uint8_t& sides = *reinterpret_cast<std::uint8_t*>(&site->library[0]);
  guarded([&] { check_everywhere(*steering, steering->wants(1)); });
  if (!steering->wants(sides)) return;
  t_in_hook = true;
  guarded([&] {
    Inside inside(call_site);
    if (sides == 0) sides = steering->sides_at(call_of(bytes), call_site.pc);
    steering->reach_access(sides, sides != 1 ? footprint() : std::vector<Strided>(), loop);
    if (steering->wants(1)) {
      for (photofinish_site* one : t_lent) one->thread = 0;
      t_lent.clear();
    }
    check_everywhere(*steering, steering->wants(1));
  });
  t_in_hook = false;
}

// Loops over indices use the `gather` hook, as in the run that found the race. Its call is an
// access site of its own, different from those of the single accesses in the loop.
struct SteeredIndices {
  explicit SteeredIndices(const photofinish_index& index) : indices(index) {}
  Indices indices;
  const void* const thread = __builtin_thread_pointer();  // other threads report each access
  bool known = false;                                     // the indices have been read
  bool is_of_race = false;                                // an access site of a race uses them
};

std::uint64_t steer_indices(photofinish_index* index, const void* first, std::uint64_t times) {
  const CallSite call_site = CALL_SITE;
  if (Steering::get() == nullptr || t_in_hook || is_inside(call_site)) return 0;
  void* found = __atomic_load_n(&index->library[0], __ATOMIC_ACQUIRE);
  if (found == nullptr) {
    std::unique_ptr<SteeredIndices> fresh;
    if (!guarded([&] { fresh = std::make_unique<SteeredIndices>(*index); })) return 0;
    if (__atomic_compare_exchange_n(&index->library[0], &found, fresh.get(), false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      found = fresh.release();  // never deleted
  }
  auto& steered = *static_cast<SteeredIndices*>(found);
  if (steered.thread != __builtin_thread_pointer()) return 0;
  if (steered.known && !steered.is_of_race) return 1;
  bool known = false;
  guarded([&] { known = steered.indices.read(first, times); });
  if (!known) return 0;
  steered.known = true;
  return 1;
}

void steer_gather(photofinish_site* site, const void* base, std::uint64_t bytes,
                  std::uint64_t scale, photofinish_index* index, std::uint64_t slots) {
  auto& steered = *static_cast<SteeredIndices*>(index->library[0]);
  steer(site, bytes, CALL_SITE, true, [&] {
    std::vector<Strided> footprint;
    for (const Pattern::Row& row :
         steered.indices.pattern({slots, scale, PHOTOFINISH_BYTES(bytes)})->rows) {
      Strided strided{static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(base) + row.begin),
                      static_cast<std::int64_t>(row.bytes),
                      {}};
      if (row.rows > 1)
        strided.dimensions.push_back(
            {static_cast<std::int64_t>(row.rows), static_cast<std::int64_t>(row.stride)});
      footprint.push_back(std::move(strided));
    }
    steered.is_of_race = true;
    return footprint;
  });
}

void steer_access(photofinish_site* site, const void* address, std::uint64_t bytes,
                  const void* pc) {
  const CallSite call_site{reinterpret_cast<std::uint64_t>(pc),
                           reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  steer(site, bytes, call_site, false, [&] {
    return std::vector<Strided>{
        {static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(address)),
         static_cast<std::int64_t>(length_of(address, bytes)),
         {}}};
  });
  const bool is_of_race = *reinterpret_cast<std::uint8_t*>(&site->library[0]) != 1;
  if (Steering* steering = Steering::get();
      !is_of_race && steering != nullptr && !steering->wants(1) && !steering->records())
    guarded([&] { lend_bits(*site, address, static_cast<unsigned>(PHOTOFINISH_UNIT(bytes))); });
}

void steer_rows(photofinish_site* site, CallSite call_site, const void* address,
                std::uint64_t bytes, std::uint64_t rows, std::int64_t stride, std::uint64_t planes,
                std::int64_t plane_stride) {
  steer(site, bytes, call_site, true, [&] {
    DataMap map = contiguous_map(static_cast<std::int64_t>(length_of(address, bytes)));
    map = repeated(repeated(map, static_cast<std::int64_t>(rows), stride),
                   static_cast<std::int64_t>(planes), plane_stride);
    return shifted(map, static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(address)))
        .footprint;
  });
}

void steer_range(photofinish_site* site, const void* address, std::uint64_t bytes,
                 std::uint64_t rows, std::int64_t stride, std::uint64_t planes,
                 std::int64_t plane_stride) {
  steer_rows(site, CALL_SITE, address, bytes, rows, stride, planes, plane_stride);
}

// A recorded rank of such a run, or its replay, which has no steering: it numbers the sites of
// accesses as the steering does, for the journal has these numbers.
void begin_check(photofinish_site& site, CallSite call_site) {
  Journaling* const journaling = Journaling::get();
  Recorder* const recorder = Recorder::get();
  if (journaling == nullptr || recorder == nullptr || t_in_hook || is_inside(call_site)) return;
  std::uint8_t& sides = *reinterpret_cast<std::uint8_t*>(&site.library[0]);
  guarded([&] {
    journaling->settle_stores();
    Task* const task = journaling->replays() && sides == 0 ? recorder->task() : nullptr;
    if (task == nullptr) return;
    task->sites.find(call_site.pc, 0);
    sides = 1;
  });
}

void steer_and_check_access(photofinish_site* site, const void* address, std::uint64_t bytes,
                            const void* pc) {
  const CallSite call_site{reinterpret_cast<std::uint64_t>(pc),
                           reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  begin_check(*site, call_site);
  steer_access(site, address, bytes, pc);
  check_values(call_site, address, bytes);
}

void steer_and_check_range(photofinish_site* site, const void* address, std::uint64_t bytes,
                           std::uint64_t rows, std::int64_t stride, std::uint64_t planes,
                           std::int64_t plane_stride) {
  const CallSite call_site = CALL_SITE;
  begin_check(*site, call_site);
  steer_rows(site, call_site, address, bytes, rows, stride, planes, plane_stride);
  const auto* plane = static_cast<const char*>(address);
  for (std::uint64_t i = 0; i < planes; ++i, plane += plane_stride) {
    const char* row = plane;
    for (std::uint64_t j = 0; j < rows; ++j, row += stride) check_values(call_site, row, bytes);
  }
}

}  // namespace

void start_watching_steered_values() {
  Reach::start({.access = steer_and_check_access,
                .range = steer_and_check_range,
                .indices = no_indices,
                .atomic = note_atomic});
}

void start_watching_memory() {
  if (Steering* steering = Steering::get()) {
    if (!steering->checks_memory()) return;
    Reach::start({.access = steer_access,
                  .range = steer_range,
                  .indices = steer_indices,
                  .gather = steer_gather,
                  .synchronize = note_synchronization,
                  .region = ParallelRegions::announce});
    pass_regions(steering->lines(), true);
    return;
  }
  on_fault(record_before_crash);
  if (Sampling::get() != nullptr)
    Reach::start({.access = sampled<note_access>,
                  .range = sampled<note_range>,
                  .indices = no_indices,
                  .gather = note_gather,
                  .synchronize = note_synchronization,
                  .region = ParallelRegions::announce});
  else
    Reach::start({.access = every<note_access>,
                  .range = every<note_range>,
                  .indices = note_indices,
                  .gather = note_gather,
                  .synchronize = note_synchronization,
                  .region = ParallelRegions::announce});
}

}  // namespace photofinish::mpi

extern "C" [[gnu::visibility("default")]] void photofinish_load(const void* address,
                                                                std::uint64_t bytes) {
  photofinish::mpi::record(photofinish::Call::load, photofinish::BufferUse::Read, address, bytes,
                           CALL_SITE);
}

extern "C" [[gnu::visibility("default")]] void photofinish_store(void* address,
                                                                 std::uint64_t bytes) {
  photofinish::mpi::record(photofinish::Call::store, photofinish::BufferUse::Write, address, bytes,
                           CALL_SITE);
}

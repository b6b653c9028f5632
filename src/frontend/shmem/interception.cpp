#include "frontend/shmem/interception.h"

#include <mutex>
#include <vector>

#include "runtime/reach.h"

namespace photofinish::shmem {
namespace {

// By number of the context. Programs have few of them.
struct PendingWork {
  std::vector<Fetch> fetches;
  bool has_buffers = false;
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

}  // namespace

Interception::Interception(Call call, CallSite call_site) : call_(call), call_site_(call_site) {
  if (mpi::is_inside(call_site)) return;
  recorder_ = Recorder::get();
  if (recorder_ == nullptr && !has_failed()) return;
  outermost_ = true;
  mpi::t_inside = call_site.frame;
  // Neither confirms nor records OpenSHMEM programs: the commands say so.
  if (recorder_ != nullptr && (mpi::Control::get() != nullptr || mpi::Journaling::get() != nullptr))
    return;
  task_ = recorder_ != nullptr ? mpi::task_of(*recorder_) : nullptr;
  if (task_ != nullptr && ThreadAccesses::any() && !mpi::record_thread_accesses(*recorder_, *task_))
    task_ = nullptr;
  if (task_ == nullptr) {
    mpi::before_passing_on(traits(call).action, 0);
    return;
  }
  ParallelRegions::communicate();
  task_->lane->entered(call, call_site.pc);
  start_ = ticks();
}

Context& Interception::begin() {
  Context& c = context_.emplace(*task_, call_);
  mpi::locate(c, call_site_);
  return c;
}

void Interception::make_progress() const {
  if (task_ == nullptr) return;
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

void add_buffer(Context& c, BufferUse use, const void* address, std::int64_t count, TypeId type) {
  if (count > 0)
    c.event.buffers.push_back({use, reinterpret_cast<std::uint64_t>(address), count, type});
}

bool add_target(Context& c, BufferUse use, const void* address, int pe, std::int64_t count,
                TypeId type) {
  c.event.fields.set(Field::target, WorldRank(pe).value);
  const SymmetricMemory::Place place = SymmetricMemory::get().find(address);
  if (place.region == WinId(0)) return false;
  c.event.fields.set(Field::win, place.region);
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
  Reach* const reach = Reach::get();
  if (reach == nullptr) return;
  const std::int64_t number = number_of(context);
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
  {
    Contexts& all = contexts();
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

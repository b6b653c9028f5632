// Collectives of active sets (OpenSHMEM 1.4) and of teams (1.5). Their work arrays are accessed by
// other PEs of the set until the call returns there, too.
#include <complex>

#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

struct Set {
  CommId id;
  int first = 0, stride = 1, count = 0;
};

Set set_of(int first, int log_stride, int count) {
  return {active_set(first, log_stride, count), first, 1 << (log_stride & 31), count};
}

// The longs of pSync that the library's header asks for (Open MPI).
constexpr std::int64_t kBroadcastSync = 2, kCollectSync = 3, kReduceSync = 3, kAlltoallSync = 1;

struct Arrays {
  const void* dest;
  const void* source;
  std::size_t read, written;  // elements
  std::size_t bytes;          // of one
  std::ptrdiff_t dest_stride = 1, source_stride = 1;
};

void add_array(Context& c, BufferUse use, const void* address, std::size_t elements,
               std::size_t bytes, std::ptrdiff_t stride) {
  const auto count = static_cast<std::int64_t>(elements);
  const auto size = static_cast<std::int64_t>(bytes);
  if (stride == 1)
    add_buffer(c, use, address, count * size);
  else
    add_buffer(c, use, address, count, mpi::Objects::get().row_type(size, stride * size));
}

void enter(Interception& call, const Set& set, const Arrays& arrays, const long* sync,
           std::int64_t sync_size, std::optional<int> root = std::nullopt) {
  call.enter([&](Context& c) {
    c.event.fields.set(Field::comm, set.id);
    if (root) c.event.fields.set(Field::root, *root);
    add_array(c, BufferUse::Read, arrays.source, arrays.read, arrays.bytes, arrays.source_stride);
    add_array(c, BufferUse::Write, arrays.dest, arrays.written, arrays.bytes, arrays.dest_stride);
    if (sync != nullptr)
      add_buffer(c, BufferUse::ReadWrite, sync,
                 sync_size * static_cast<std::int64_t>(sizeof *sync));
  });
}

// Only the root reads its source, and its destination is not written.
void enter_broadcast(Interception& call, const Set& set, const void* dest, const void* source,
                     std::size_t count, std::size_t bytes, int root, const long* sync) {
  const bool is_root = root == own_pe();
  enter(call, set, {dest, source, is_root ? count : 0, is_root ? 0 : count, bytes}, sync,
        kBroadcastSync, root);
}

// How much the others contribute is not known before the call: the own part is.
void enter_collect(Interception& call, const Set& set, const void* dest, const void* source,
                   std::size_t count, std::size_t bytes, bool same_everywhere, const long* sync) {
  const std::size_t written = same_everywhere ? count * static_cast<std::size_t>(set.count) : count;
  enter(call, set, {dest, source, count, written, bytes}, sync, kCollectSync);
}

}  // namespace

#define ACTIVE_SET int first, int log_stride, int pes, long *sync
#define SIZED(bits)                                                                                \
  SHMEM_ENTRY void shmem_broadcast##bits(void* dest, const void* source, std::size_t count,        \
                                         int root, ACTIVE_SET) {                                   \
    Interception call(ShmemCall::shmem_broadcast, CALL_SITE);                                      \
    if (call.records())                                                                            \
      enter_broadcast(call, set_of(first, log_stride, pes), dest, source, count, bits / 8,         \
                      first + root * (1 << log_stride), sync);                                     \
    SHMEM_REAL(shmem_broadcast##bits)(dest, source, count, root, first, log_stride, pes, sync);    \
    call.leave();                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY void shmem_collect##bits(void* dest, const void* source, std::size_t count,          \
                                       ACTIVE_SET) {                                               \
    Interception call(ShmemCall::shmem_collect, CALL_SITE);                                        \
    if (call.records())                                                                            \
      enter_collect(call, set_of(first, log_stride, pes), dest, source, count, bits / 8, false,    \
                    sync);                                                                         \
    SHMEM_REAL(shmem_collect##bits)(dest, source, count, first, log_stride, pes, sync);            \
    call.leave();                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY void shmem_fcollect##bits(void* dest, const void* source, std::size_t count,         \
                                        ACTIVE_SET) {                                              \
    Interception call(ShmemCall::shmem_fcollect, CALL_SITE);                                       \
    if (call.records())                                                                            \
      enter_collect(call, set_of(first, log_stride, pes), dest, source, count, bits / 8, true,     \
                    sync);                                                                         \
    SHMEM_REAL(shmem_fcollect##bits)(dest, source, count, first, log_stride, pes, sync);           \
    call.leave();                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY void shmem_alltoall##bits(void* dest, const void* source, std::size_t count,         \
                                        ACTIVE_SET) {                                              \
    Interception call(ShmemCall::shmem_alltoall, CALL_SITE);                                       \
    const std::size_t all = count * static_cast<std::size_t>(pes);                                 \
    if (call.records())                                                                            \
      enter(call, set_of(first, log_stride, pes), {dest, source, all, all, bits / 8}, sync,        \
            kAlltoallSync);                                                                        \
    SHMEM_REAL(shmem_alltoall##bits)(dest, source, count, first, log_stride, pes, sync);           \
    call.leave();                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY void shmem_alltoalls##bits(void* dest, const void* source,                           \
                                         std::ptrdiff_t dest_stride, std::ptrdiff_t source_stride, \
                                         std::size_t count, ACTIVE_SET) {                          \
    Interception call(ShmemCall::shmem_alltoalls, CALL_SITE);                                      \
    const std::size_t all = count * static_cast<std::size_t>(pes);                                 \
    if (call.records())                                                                            \
      enter(call, set_of(first, log_stride, pes),                                                  \
            {dest, source, all, all, bits / 8, dest_stride, source_stride}, sync, kAlltoallSync);  \
    SHMEM_REAL(shmem_alltoalls##bits)                                                              \
    (dest, source, dest_stride, source_stride, count, first, log_stride, pes, sync);               \
    call.leave();                                                                                  \
  }
SIZED(32)
SIZED(64)

// --- reductions of active sets

namespace {

void enter_reduction(Interception& call, const Set& set, const void* dest, const void* source,
                     std::size_t count, std::size_t bytes, const void* work, const long* sync) {
  call.enter([&](Context& c) {
    c.event.fields.set(Field::comm, set.id);
    const auto size = static_cast<std::int64_t>(count * bytes);
    add_buffer(c, BufferUse::Read, source, size);
    add_buffer(c, BufferUse::Write, dest, size);
    if (sync == nullptr) return;
    // SHMEM_REDUCE_MIN_WRKDATA_SIZE is 1 in Open MPI.
    const auto elements = static_cast<std::int64_t>(std::max<std::size_t>(count / 2 + 1, 1));
    add_buffer(c, BufferUse::ReadWrite, work, elements * static_cast<std::int64_t>(bytes));
    add_buffer(c, BufferUse::ReadWrite, sync,
               kReduceSync * static_cast<std::int64_t>(sizeof *sync));
  });
}

}  // namespace

#define TO_ALL(name, type, operation)                                                             \
  SHMEM_ENTRY void shmem_##name##_##operation##_to_all(type* dest, const type* source, int count, \
                                                       int first, int log_stride, int pes,        \
                                                       type* work, long* sync) {                  \
    Interception call(ShmemCall::shmem_reduce, CALL_SITE);                                        \
    if (call.records())                                                                           \
      enter_reduction(call, set_of(first, log_stride, pes), dest, source,                         \
                      static_cast<std::size_t>(count), sizeof(type), work, sync);                 \
    SHMEM_REAL(shmem_##name##_##operation##_to_all)                                               \
    (dest, source, count, first, log_stride, pes, work, sync);                                    \
    call.leave();                                                                                 \
  }
#define ARITHMETIC(name, type) \
  TO_ALL(name, type, sum)      \
  TO_ALL(name, type, prod)
#define ORDERED(name, type) \
  ARITHMETIC(name, type)    \
  TO_ALL(name, type, max)   \
  TO_ALL(name, type, min)
#define BITS(name, type)  \
  ORDERED(name, type)     \
  TO_ALL(name, type, and) \
  TO_ALL(name, type, or)  \
  TO_ALL(name, type, xor)
BITS(short, short)
BITS(int, int)
BITS(long, long)
BITS(longlong, long long)
ORDERED(float, float)
ORDERED(double, double)
ORDERED(longdouble, long double)
ARITHMETIC(complexf, std::complex<float>)
ARITHMETIC(complexd, std::complex<double>)

#undef TO_ALL
#undef ACTIVE_SET
#undef SIZED
#undef ARITHMETIC
#undef ORDERED
#undef BITS

}  // namespace photofinish::shmem

// Collectives of active sets (OpenSHMEM 1.4) and of teams (1.5). Their work arrays are accessed by
// other PEs of the set until the call returns there, too.
#include <complex>

#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

struct Set {
  int first, log_stride, count;
};
CommId set_id(const Set& set) { return active_set(set.first, set.log_stride, set.count); }

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

struct Collective {
  Call family;
  Set set;
  Arrays arrays;
  const long* sync;
  std::int64_t sync_size;
  std::optional<int> root = std::nullopt;
};

void run(CallSite call_site, const Collective& collective, Part<> made) {
  Interception call(collective.family, call_site);
  call.waiting(
      [&](Context& c) {
        const Arrays& arrays = collective.arrays;
        c.event.fields.set(Field::comm, set_id(collective.set));
        if (collective.root) c.event.fields.set(Field::root, *collective.root);
        add_array(c, BufferUse::Read, arrays.source, arrays.read, arrays.bytes,
                  arrays.source_stride);
        add_array(c, BufferUse::Write, arrays.dest, arrays.written, arrays.bytes,
                  arrays.dest_stride);
        if (collective.sync != nullptr)
          add_buffer(c, BufferUse::ReadWrite, collective.sync,
                     collective.sync_size * static_cast<std::int64_t>(sizeof(long)));
      },
      made);
}

// Only the root reads its source, and its destination is not written.
Collective broadcast(const Set& set, const void* dest, const void* source, std::size_t count,
                     std::size_t bytes, int root, const long* sync) {
  const int root_pe = set.first + root * (1 << (set.log_stride & 31));
  const bool is_root = root_pe == own_pe();
  return {ShmemCall::shmem_broadcast,
          set,
          {dest, source, is_root ? count : 0, is_root ? 0 : count, bytes},
          sync,
          kBroadcastSync,
          root_pe};
}

// How much the others contribute to a collect is not known before the call: the own part is.
Collective collect(const Set& set, const void* dest, const void* source, std::size_t count,
                   std::size_t bytes, const long* sync) {
  return {ShmemCall::shmem_collect, set, {dest, source, count, count, bytes}, sync, kCollectSync};
}
Collective fcollect(const Set& set, const void* dest, const void* source, std::size_t count,
                    std::size_t bytes, const long* sync) {
  const std::size_t all = count * static_cast<std::size_t>(set.count);
  return {ShmemCall::shmem_fcollect, set, {dest, source, count, all, bytes}, sync, kCollectSync};
}
Collective alltoall(Call family, const Set& set, const void* dest, const void* source,
                    std::size_t count, std::size_t bytes, const long* sync,
                    std::ptrdiff_t dest_stride = 1, std::ptrdiff_t source_stride = 1) {
  const std::size_t all = count * static_cast<std::size_t>(set.count);
  return {family,
          set,
          {dest, source, all, all, bytes, dest_stride, source_stride},
          sync,
          kAlltoallSync};
}

}  // namespace

#define ACTIVE_SET int first, int log_stride, int pes, long *sync
#define SIZED(bits)                                                                                \
  SHMEM_ENTRY void shmem_broadcast##bits(void* dest, const void* source, std::size_t count,        \
                                         int root, ACTIVE_SET) {                                   \
    run(CALL_SITE, broadcast({first, log_stride, pes}, dest, source, count, bits / 8, root, sync), \
        [&] {                                                                                      \
          SHMEM_REAL(shmem_broadcast##bits)                                                        \
          (dest, source, count, root, first, log_stride, pes, sync);                               \
        });                                                                                        \
  }                                                                                                \
  SHMEM_ENTRY void shmem_collect##bits(void* dest, const void* source, std::size_t count,          \
                                       ACTIVE_SET) {                                               \
    run(CALL_SITE, collect({first, log_stride, pes}, dest, source, count, bits / 8, sync), [&] {   \
      SHMEM_REAL(shmem_collect##bits)(dest, source, count, first, log_stride, pes, sync);          \
    });                                                                                            \
  }                                                                                                \
  SHMEM_ENTRY void shmem_fcollect##bits(void* dest, const void* source, std::size_t count,         \
                                        ACTIVE_SET) {                                              \
    run(CALL_SITE, fcollect({first, log_stride, pes}, dest, source, count, bits / 8, sync), [&] {  \
      SHMEM_REAL(shmem_fcollect##bits)(dest, source, count, first, log_stride, pes, sync);         \
    });                                                                                            \
  }                                                                                                \
  SHMEM_ENTRY void shmem_alltoall##bits(void* dest, const void* source, std::size_t count,         \
                                        ACTIVE_SET) {                                              \
    run(CALL_SITE,                                                                                 \
        alltoall(ShmemCall::shmem_alltoall, {first, log_stride, pes}, dest, source, count,         \
                 bits / 8, sync),                                                                  \
        [&] {                                                                                      \
          SHMEM_REAL(shmem_alltoall##bits)(dest, source, count, first, log_stride, pes, sync);     \
        });                                                                                        \
  }                                                                                                \
  SHMEM_ENTRY void shmem_alltoalls##bits(void* dest, const void* source,                           \
                                         std::ptrdiff_t dest_stride, std::ptrdiff_t source_stride, \
                                         std::size_t count, ACTIVE_SET) {                          \
    run(CALL_SITE,                                                                                 \
        alltoall(ShmemCall::shmem_alltoalls, {first, log_stride, pes}, dest, source, count,        \
                 bits / 8, sync, dest_stride, source_stride),                                      \
        [&] {                                                                                      \
          SHMEM_REAL(shmem_alltoalls##bits)                                                        \
          (dest, source, dest_stride, source_stride, count, first, log_stride, pes, sync);         \
        });                                                                                        \
  }
SIZED(32)
SIZED(64)

// --- reductions of active sets

namespace {

struct Reduction {
  Set set;
  const void* dest;
  const void* source;
  std::size_t count, bytes;
  const void* work;
  const long* sync;
};

void describe(Context& c, const Reduction& r) {
  c.event.fields.set(Field::comm, set_id(r.set));
  const auto size = static_cast<std::int64_t>(r.count * r.bytes);
  add_buffer(c, BufferUse::Read, r.source, size);
  add_buffer(c, BufferUse::Write, r.dest, size);
  if (r.sync == nullptr) return;
  // SHMEM_REDUCE_MIN_WRKDATA_SIZE is 1 in Open MPI.
  const auto elements = static_cast<std::int64_t>(std::max<std::size_t>(r.count / 2 + 1, 1));
  add_buffer(c, BufferUse::ReadWrite, r.work, elements * static_cast<std::int64_t>(r.bytes));
  add_buffer(c, BufferUse::ReadWrite, r.sync,
             kReduceSync * static_cast<std::int64_t>(sizeof *r.sync));
}

void reduce(CallSite call_site, const Reduction& reduction, Part<> made) {
  Interception call(ShmemCall::shmem_reduce, call_site);
  call.waiting([&](Context& c) { describe(c, reduction); }, made);
}

}  // namespace

#define TO_ALL(name, type, operation)                                                             \
  SHMEM_ENTRY void shmem_##name##_##operation##_to_all(type* dest, const type* source, int count, \
                                                       int first, int log_stride, int pes,        \
                                                       type* work, long* sync) {                  \
    reduce(CALL_SITE,                                                                             \
           {{first, log_stride, pes},                                                             \
            dest,                                                                                 \
            source,                                                                               \
            static_cast<std::size_t>(count),                                                      \
            sizeof(type),                                                                         \
            work,                                                                                 \
            sync},                                                                                \
           [&] {                                                                                  \
             SHMEM_REAL(shmem_##name##_##operation##_to_all)                                      \
             (dest, source, count, first, log_stride, pes, work, sync);                           \
           });                                                                                    \
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

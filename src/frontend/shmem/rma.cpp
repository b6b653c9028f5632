// Put and get, in all their forms: typed, by element size, of memory; blocking and not; strided; of
// one value; with a signal.
#include "frontend/shmem/interception.h"

namespace photofinish::shmem {
namespace {

enum class Way { Put, Get };

struct Transfer {
  Ctx context;
  const void* remote;
  const void* local;  // null: a value
  std::size_t count;
  std::size_t bytes;  // of an element
  int pe;
  bool pending = false;                                // until its context is quiet
  std::ptrdiff_t remote_stride = 1, local_stride = 1;  // in elements
  const void* value = nullptr;                         // of shmem_p
};

// Elements one after the other are plain bytes.
struct Shape {
  std::int64_t count;
  TypeId type;
};
Shape shape_of(const Transfer& t, std::ptrdiff_t stride) {
  const auto count = static_cast<std::int64_t>(t.count);
  const auto bytes = static_cast<std::int64_t>(t.bytes);
  if (stride == 1 || count <= 1) return {count * bytes, TypeId(0)};
  return {count, mpi::Objects::get().row_type(bytes, stride * bytes)};
}

void describe(Context& c, Way way, const Transfer& t) {
  set_context(c, t.context);
  const bool puts = way == Way::Put;
  if (t.local != nullptr) {
    const Shape local = shape_of(t, t.local_stride);
    add_buffer(c, puts ? BufferUse::Read : BufferUse::Write, t.local, local.count, local.type);
  }
  const Shape remote = shape_of(t, t.remote_stride);
  add_target(c, puts ? BufferUse::TargetWrite : BufferUse::TargetRead, t.remote, t.pe, remote.count,
             remote.type);
  // An update of one element has a value, which tells who read it.
  const void* const value = t.value != nullptr ? t.value : t.local;
  if (puts && t.count == 1 && t.bytes <= 8) {
    c.event.fields.set(Field::atomic, next_atomic());
    c.event.fields.set(Field::operand, static_cast<std::int64_t>(bits_of(value, t.bytes)));
  }
  if (t.pending) leave_pending(c, t.context);
}

void run(CallSite call_site, Call family, Way way, const Transfer& t, Part<> made) {
  Interception call(family, call_site);
  call.returning([&](Context& c) { describe(c, way, t); }, made);
}

void get_value(CallSite call_site, const Transfer& t, void* value, Part<> made) {
  Interception call(ShmemCall::shmem_g, call_site);
  call.returning([&](Context& c) { describe(c, Way::Get, t); }, made,
                 [&] { call.exchange_memory(value, t.bytes); });
}

}  // namespace

// Each row makes the form without a context and the one with it.
#define BLOCK(suffix, family, way, type, bytes, pending)                                       \
  SHMEM_ENTRY void shmem_##suffix(type* dest, const type* source, std::size_t count, int pe) { \
    run(CALL_SITE, ShmemCall::family, Way::way,                                                \
        way##_of(kDefaultContext, dest, source, count, bytes, pe, pending),                    \
        [&] { SHMEM_REAL(shmem_##suffix)(dest, source, count, pe); });                         \
  }                                                                                            \
  SHMEM_ENTRY void shmem_ctx_##suffix(Ctx context, type* dest, const type* source,             \
                                      std::size_t count, int pe) {                             \
    run(CALL_SITE, ShmemCall::family, Way::way,                                                \
        way##_of(context, dest, source, count, bytes, pe, pending),                            \
        [&] { SHMEM_REAL(shmem_ctx_##suffix)(context, dest, source, count, pe); });            \
  }
#define STRIDED(suffix, family, way, type, bytes)                                                  \
  SHMEM_ENTRY void shmem_##suffix(type* dest, const type* source, std::ptrdiff_t dest_stride,      \
                                  std::ptrdiff_t source_stride, std::size_t count, int pe) {       \
    run(CALL_SITE, ShmemCall::family, Way::way,                                                    \
        way##_of(kDefaultContext, dest, source, count, bytes, pe, false, dest_stride,              \
                 source_stride),                                                                   \
        [&] { SHMEM_REAL(shmem_##suffix)(dest, source, dest_stride, source_stride, count, pe); }); \
  }                                                                                                \
  SHMEM_ENTRY void shmem_ctx_##suffix(Ctx context, type* dest, const type* source,                 \
                                      std::ptrdiff_t dest_stride, std::ptrdiff_t source_stride,    \
                                      std::size_t count, int pe) {                                 \
    run(CALL_SITE, ShmemCall::family, Way::way,                                                    \
        way##_of(context, dest, source, count, bytes, pe, false, dest_stride, source_stride),      \
        [&] {                                                                                      \
          SHMEM_REAL(shmem_ctx_##suffix)                                                           \
          (context, dest, source, dest_stride, source_stride, count, pe);                          \
        });                                                                                        \
  }
#define VALUE(name, type)                                                                      \
  SHMEM_ENTRY void shmem_##name##_p(type* dest, type value, int pe) {                          \
    run(CALL_SITE, ShmemCall::shmem_p, Way::Put,                                               \
        value_of(kDefaultContext, dest, &value, sizeof(type), pe),                             \
        [&] { SHMEM_REAL(shmem_##name##_p)(dest, value, pe); });                               \
  }                                                                                            \
  SHMEM_ENTRY void shmem_ctx_##name##_p(Ctx context, type* dest, type value, int pe) {         \
    run(CALL_SITE, ShmemCall::shmem_p, Way::Put,                                               \
        value_of(context, dest, &value, sizeof(type), pe),                                     \
        [&] { SHMEM_REAL(shmem_ctx_##name##_p)(context, dest, value, pe); });                  \
  }                                                                                            \
  SHMEM_ENTRY type shmem_##name##_g(const type* source, int pe) {                              \
    type value{};                                                                              \
    get_value(CALL_SITE, value_of(kDefaultContext, source, nullptr, sizeof(type), pe), &value, \
              [&] { value = SHMEM_REAL(shmem_##name##_g)(source, pe); });                      \
    return value;                                                                              \
  }                                                                                            \
  SHMEM_ENTRY type shmem_ctx_##name##_g(Ctx context, const type* source, int pe) {             \
    type value{};                                                                              \
    get_value(CALL_SITE, value_of(context, source, nullptr, sizeof(type), pe), &value,         \
              [&] { value = SHMEM_REAL(shmem_ctx_##name##_g)(context, source, pe); });         \
    return value;                                                                              \
  }

namespace {

Transfer Put_of(Ctx context, const void* dest, const void* source, std::size_t count,
                std::size_t bytes, int pe, bool pending, std::ptrdiff_t dest_stride = 1,
                std::ptrdiff_t source_stride = 1) {
  return {context, dest, source, count, bytes, pe, pending, dest_stride, source_stride};
}
Transfer Get_of(Ctx context, const void* dest, const void* source, std::size_t count,
                std::size_t bytes, int pe, bool pending, std::ptrdiff_t dest_stride = 1,
                std::ptrdiff_t source_stride = 1) {
  return {context, source, dest, count, bytes, pe, pending, source_stride, dest_stride};
}
Transfer value_of(Ctx context, const void* remote, const void* value, std::size_t bytes, int pe) {
  return {.context = context,
          .remote = remote,
          .local = nullptr,
          .count = 1,
          .bytes = bytes,
          .pe = pe,
          .value = value};
}

}  // namespace

#define RMA_TYPE(name, type)                                          \
  BLOCK(name##_put, shmem_put, Put, type, sizeof(type), false)        \
  BLOCK(name##_get, shmem_get, Get, type, sizeof(type), false)        \
  BLOCK(name##_put_nbi, shmem_put_nbi, Put, type, sizeof(type), true) \
  BLOCK(name##_get_nbi, shmem_get_nbi, Get, type, sizeof(type), true) \
  STRIDED(name##_iput, shmem_iput, Put, type, sizeof(type))           \
  STRIDED(name##_iget, shmem_iget, Get, type, sizeof(type))           \
  VALUE(name, type)
#include "frontend/shmem/types.def"

#define SIZE(bits)                                                 \
  BLOCK(put##bits, shmem_put, Put, void, bits / 8, false)          \
  BLOCK(get##bits, shmem_get, Get, void, bits / 8, false)          \
  BLOCK(put##bits##_nbi, shmem_put_nbi, Put, void, bits / 8, true) \
  BLOCK(get##bits##_nbi, shmem_get_nbi, Get, void, bits / 8, true) \
  STRIDED(iput##bits, shmem_iput, Put, void, bits / 8)             \
  STRIDED(iget##bits, shmem_iget, Get, void, bits / 8)
SIZE(8)
SIZE(16)
SIZE(32)
SIZE(64)
SIZE(128)
BLOCK(putmem, shmem_put, Put, void, 1, false)
BLOCK(getmem, shmem_get, Get, void, 1, false)
BLOCK(putmem_nbi, shmem_put_nbi, Put, void, 1, true)
BLOCK(getmem_nbi, shmem_get_nbi, Get, void, 1, true)

// --- put with signal (OpenSHMEM 1.5)

namespace {

struct Signal {
  const void* word;
  std::uint64_t value;
  int op;  // SHMEM_SIGNAL_SET is 0, SHMEM_SIGNAL_ADD 1
};

// The signal word may be in another region than the data.
void add_signal(Context& c, const Signal& signal) {
  const SymmetricMemory::Place word = SymmetricMemory::get().find(signal.word);
  if (word.region == WinId(0)) return;
  FieldSet& fields = c.event.fields;
  fields.set(Field::signal_win, word.region);
  c.event.buffers.push_back(
      {BufferUse::TargetUpdate, word.displacement, 1, element_type<std::uint64_t>()});
  fields.set(Field::atomic, next_atomic());
  fields.set(Field::operand, static_cast<std::int64_t>(signal.value));
  fields.set(Field::op, mpi::Objects::get().named_op(signal.op == 0 ? "SHMEM_SIGNAL_SET"
                                                                    : "SHMEM_SIGNAL_ADD"));
}

void run_signalled(CallSite call_site, Call family, const Transfer& t, const Signal& signal,
                   Part<> made) {
  Interception call(family, call_site);
  call.returning(
      [&](Context& c) {
        describe(c, Way::Put, t);
        add_signal(c, signal);
      },
      made);
}

}  // namespace

#define SIGNALLED(suffix, family, type, bytes, pending)                                            \
  SHMEM_ENTRY void shmem_##suffix(type* dest, const type* source, std::size_t count,               \
                                  std::uint64_t* word, std::uint64_t value, int op, int pe) {      \
    run_signalled(CALL_SITE, ShmemCall::family,                                                    \
                  Put_of(kDefaultContext, dest, source, count, bytes, pe, pending),                \
                  {word, value, op},                                                               \
                  [&] { SHMEM_REAL(shmem_##suffix)(dest, source, count, word, value, op, pe); });  \
  }                                                                                                \
  SHMEM_ENTRY void shmem_ctx_##suffix(Ctx context, type* dest, const type* source,                 \
                                      std::size_t count, std::uint64_t* word, std::uint64_t value, \
                                      int op, int pe) {                                            \
    run_signalled(                                                                                 \
        CALL_SITE, ShmemCall::family, Put_of(context, dest, source, count, bytes, pe, pending),    \
        {word, value, op}, [&] {                                                                   \
          SHMEM_REAL(shmem_ctx_##suffix)(context, dest, source, count, word, value, op, pe);       \
        });                                                                                        \
  }
#define RMA_TYPE(name, type)                                                \
  SIGNALLED(name##_put_signal, shmem_put_signal, type, sizeof(type), false) \
  SIGNALLED(name##_put_signal_nbi, shmem_put_signal_nbi, type, sizeof(type), true)
#include "frontend/shmem/types.def"
#undef SIZE
#define SIZE(bits)                                                       \
  SIGNALLED(put##bits##_signal, shmem_put_signal, void, bits / 8, false) \
  SIGNALLED(put##bits##_signal_nbi, shmem_put_signal_nbi, void, bits / 8, true)
SIZE(8)
SIZE(16)
SIZE(32)
SIZE(64)
SIZE(128)
SIGNALLED(putmem_signal, shmem_put_signal, void, 1, false)
SIGNALLED(putmem_signal_nbi, shmem_put_signal_nbi, void, 1, true)

#undef SIZE
#undef SIGNALLED
#undef BLOCK
#undef STRIDED
#undef VALUE

}  // namespace photofinish::shmem

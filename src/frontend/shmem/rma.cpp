// Put and get, in all their forms: typed, by element size, of memory; blocking and not; strided; of
// one value; with a signal.
#include "frontend/shmem/explored.h"
#include "frontend/shmem/interception.h"

namespace photofinish::shmem {
namespace {

enum class Way { Put, Get };

struct Transfer {
  Way way;
  Ctx context;
  const void* remote;
  const void* local;  // null: a value
  std::size_t count;
  std::size_t bytes;  // of an element
  int pe;
  bool pending = false;                                // until its context is quiet
  std::ptrdiff_t remote_stride = 1, local_stride = 1;  // in elements
  const void* value = nullptr;                         // of shmem_p
  void* dest() const { return const_cast<void*>(way == Way::Put ? remote : local); }
  const void* source() const { return way == Way::Put ? local : remote; }
  std::ptrdiff_t dest_stride() const { return way == Way::Put ? remote_stride : local_stride; }
  std::ptrdiff_t source_stride() const { return way == Way::Put ? local_stride : remote_stride; }
};

// The library's function, with the arguments of the transfer.
template <class T>
using Issue = void (*)(const T&);

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

void describe(Context& c, const Transfer& t) {
  set_context(c, t.context);
  const bool puts = t.way == Way::Put;
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

// The origin data of a put, or the value of shmem_p, as they are now.
template <class T>
std::shared_ptr<std::vector<char>> copy_origin(T& t) {
  const void*& origin = t.value != nullptr ? t.value : t.local;
  if (t.way != Way::Put || t.count == 0) return nullptr;
  const auto* const first = static_cast<const char*>(origin);
  const std::size_t span =
      ((t.count - 1) * static_cast<std::size_t>(std::max<std::ptrdiff_t>(t.local_stride, 1)) + 1) *
      t.bytes;
  auto copy = std::make_shared<std::vector<char>>(first, first + span);
  origin = copy->data();
  return copy;
}

// In an explored run: of one word, which others may wait for.
void log_write(const Interception& call, const Transfer& t) {
  if (t.way == Way::Put && (t.count == 1 || t.bytes == 1))
    explored::write(call, t.remote, t.pe, t.count * t.bytes,
                    t.value != nullptr ? t.value : t.local);
}

template <class T, class Describe>
void operate(CallSite call_site, Call family, const T& t, Issue<T> issue, Describe arguments) {
  Interception call(family, call_site);
  call.operating(
      t.context, arguments,
      [&] {
        log_write(call, t);
        issue(t);
      },
      [&](bool copies, Interception::Later& later) {
        T kept = t;
        auto copy = copies || t.value != nullptr ? copy_origin(kept) : nullptr;
        later = [kept, issue, copy = std::move(copy)] { issue(kept); };
      });
}

void run(CallSite call_site, Call family, const Transfer& t, Issue<Transfer> issue) {
  // A blocking get is complete when it returns.
  if (t.way == Way::Put || t.pending)
    return operate(call_site, family, t, issue, [&](Context& c) { describe(c, t); });
  Interception call(family, call_site);
  call.returning([&](Context& c) { describe(c, t); }, [&] { issue(t); });
}

void get_value(CallSite call_site, const Transfer& t, void* value, Part<> made) {
  Interception call(ShmemCall::shmem_g, call_site);
  call.returning([&](Context& c) { describe(c, t); }, made,
                 [&] { call.exchange_memory(value, t.bytes); });
}

}  // namespace

// Each row makes the form without a context and the one with it.
#define BLOCK(suffix, family, way, type, bytes, pending)                                           \
  SHMEM_ENTRY void shmem_##suffix(type* dest, const type* source, std::size_t count, int pe) {     \
    run(CALL_SITE, ShmemCall::family,                                                              \
        way##_of(kDefaultContext, dest, source, count, bytes, pe, pending),                        \
        [](const Transfer& t) {                                                                    \
          SHMEM_REAL(shmem_##suffix)                                                               \
          (static_cast<type*>(t.dest()), static_cast<const type*>(t.source()), t.count, t.pe);     \
        });                                                                                        \
  }                                                                                                \
  SHMEM_ENTRY void shmem_ctx_##suffix(Ctx context, type* dest, const type* source,                 \
                                      std::size_t count, int pe) {                                 \
    run(CALL_SITE, ShmemCall::family, way##_of(context, dest, source, count, bytes, pe, pending),  \
        [](const Transfer& t) {                                                                    \
          SHMEM_REAL(shmem_ctx_##suffix)                                                           \
          (t.context, static_cast<type*>(t.dest()), static_cast<const type*>(t.source()), t.count, \
           t.pe);                                                                                  \
        });                                                                                        \
  }
#define STRIDED(suffix, family, way, type, bytes)                                               \
  SHMEM_ENTRY void shmem_##suffix(type* dest, const type* source, std::ptrdiff_t dest_stride,   \
                                  std::ptrdiff_t source_stride, std::size_t count, int pe) {    \
    run(CALL_SITE, ShmemCall::family,                                                           \
        way##_of(kDefaultContext, dest, source, count, bytes, pe, false, dest_stride,           \
                 source_stride),                                                                \
        [](const Transfer& t) {                                                                 \
          SHMEM_REAL(shmem_##suffix)                                                            \
          (static_cast<type*>(t.dest()), static_cast<const type*>(t.source()), t.dest_stride(), \
           t.source_stride(), t.count, t.pe);                                                   \
        });                                                                                     \
  }                                                                                             \
  SHMEM_ENTRY void shmem_ctx_##suffix(Ctx context, type* dest, const type* source,              \
                                      std::ptrdiff_t dest_stride, std::ptrdiff_t source_stride, \
                                      std::size_t count, int pe) {                              \
    run(CALL_SITE, ShmemCall::family,                                                           \
        way##_of(context, dest, source, count, bytes, pe, false, dest_stride, source_stride),   \
        [](const Transfer& t) {                                                                 \
          SHMEM_REAL(shmem_ctx_##suffix)                                                        \
          (t.context, static_cast<type*>(t.dest()), static_cast<const type*>(t.source()),       \
           t.dest_stride(), t.source_stride(), t.count, t.pe);                                  \
        });                                                                                     \
  }
#define VALUE(name, type)                                                                        \
  SHMEM_ENTRY void shmem_##name##_p(type* dest, type value, int pe) {                            \
    run(CALL_SITE, ShmemCall::shmem_p,                                                           \
        value_of(Way::Put, kDefaultContext, dest, &value, sizeof(type), pe),                     \
        [](const Transfer& t) {                                                                  \
          SHMEM_REAL(shmem_##name##_p)                                                           \
          (static_cast<type*>(t.dest()), *static_cast<const type*>(t.value), t.pe);              \
        });                                                                                      \
  }                                                                                              \
  SHMEM_ENTRY void shmem_ctx_##name##_p(Ctx context, type* dest, type value, int pe) {           \
    run(CALL_SITE, ShmemCall::shmem_p,                                                           \
        value_of(Way::Put, context, dest, &value, sizeof(type), pe), [](const Transfer& t) {     \
          SHMEM_REAL(shmem_ctx_##name##_p)                                                       \
          (t.context, static_cast<type*>(t.dest()), *static_cast<const type*>(t.value), t.pe);   \
        });                                                                                      \
  }                                                                                              \
  SHMEM_ENTRY type shmem_##name##_g(const type* source, int pe) {                                \
    type value{};                                                                                \
    get_value(CALL_SITE, value_of(Way::Get, kDefaultContext, source, nullptr, sizeof(type), pe), \
              &value, [&] { value = SHMEM_REAL(shmem_##name##_g)(source, pe); });                \
    return value;                                                                                \
  }                                                                                              \
  SHMEM_ENTRY type shmem_ctx_##name##_g(Ctx context, const type* source, int pe) {               \
    type value{};                                                                                \
    get_value(CALL_SITE, value_of(Way::Get, context, source, nullptr, sizeof(type), pe), &value, \
              [&] { value = SHMEM_REAL(shmem_ctx_##name##_g)(context, source, pe); });           \
    return value;                                                                                \
  }

namespace {

Transfer Put_of(Ctx context, const void* dest, const void* source, std::size_t count,
                std::size_t bytes, int pe, bool pending, std::ptrdiff_t dest_stride = 1,
                std::ptrdiff_t source_stride = 1) {
  return {Way::Put, context, dest, source, count, bytes, pe, pending, dest_stride, source_stride};
}
Transfer Get_of(Ctx context, const void* dest, const void* source, std::size_t count,
                std::size_t bytes, int pe, bool pending, std::ptrdiff_t dest_stride = 1,
                std::ptrdiff_t source_stride = 1) {
  return {Way::Get, context, source, dest, count, bytes, pe, pending, source_stride, dest_stride};
}
Transfer value_of(Way way, Ctx context, const void* remote, const void* value, std::size_t bytes,
                  int pe) {
  return {.way = way,
          .context = context,
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

struct SignaledPut : Transfer {
  const void* word;
  std::uint64_t signal;
  int op;  // SHMEM_SIGNAL_SET is 0, SHMEM_SIGNAL_ADD 1
};

// The signal word may be in another region than the data.
void add_signal(Context& c, const SignaledPut& put) {
  const SymmetricMemory::Place word = SymmetricMemory::get().find(put.word);
  if (word.region == WinId(0)) return;
  FieldSet& fields = c.event.fields;
  fields.set(Field::signal_win, word.region);
  c.event.buffers.push_back(
      {BufferUse::TargetUpdate, word.displacement, 1, element_type<std::uint64_t>()});
  fields.set(Field::atomic, next_atomic());
  fields.set(Field::operand, static_cast<std::int64_t>(put.signal));
  fields.set(Field::op,
             mpi::Objects::get().named_op(put.op == 0 ? "SHMEM_SIGNAL_SET" : "SHMEM_SIGNAL_ADD"));
}

void log_write(const Interception& call, const SignaledPut& put) {
  if (put.op == 0) explored::write(call, put.word, put.pe, sizeof put.signal, &put.signal);
}

void run_signaled(CallSite call_site, Call family, const SignaledPut& put,
                  Issue<SignaledPut> issue) {
  operate(call_site, family, put, issue, [&](Context& c) {
    describe(c, put);
    add_signal(c, put);
  });
}

}  // namespace

#define SIGNALLED(suffix, family, type, bytes, pending)                                            \
  SHMEM_ENTRY void shmem_##suffix(type* dest, const type* source, std::size_t count,               \
                                  std::uint64_t* word, std::uint64_t value, int op, int pe) {      \
    run_signaled(                                                                                  \
        CALL_SITE, ShmemCall::family,                                                              \
        {Put_of(kDefaultContext, dest, source, count, bytes, pe, pending), word, value, op},       \
        [](const SignaledPut& t) {                                                                 \
          SHMEM_REAL(shmem_##suffix)                                                               \
          (static_cast<type*>(t.dest()), static_cast<const type*>(t.source()), t.count,            \
           static_cast<std::uint64_t*>(const_cast<void*>(t.word)), t.signal, t.op, t.pe);          \
        });                                                                                        \
  }                                                                                                \
  SHMEM_ENTRY void shmem_ctx_##suffix(Ctx context, type* dest, const type* source,                 \
                                      std::size_t count, std::uint64_t* word, std::uint64_t value, \
                                      int op, int pe) {                                            \
    run_signaled(CALL_SITE, ShmemCall::family,                                                     \
                 {Put_of(context, dest, source, count, bytes, pe, pending), word, value, op},      \
                 [](const SignaledPut& t) {                                                        \
                   SHMEM_REAL(shmem_ctx_##suffix)                                                  \
                   (t.context, static_cast<type*>(t.dest()), static_cast<const type*>(t.source()), \
                    t.count, static_cast<std::uint64_t*>(const_cast<void*>(t.word)), t.signal,     \
                    t.op, t.pe);                                                                   \
                 });                                                                               \
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

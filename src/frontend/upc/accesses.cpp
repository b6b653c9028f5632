// Accesses that the compiler passes to the runtime, and copies.
#include "frontend/upc/interception.h"
#include "runtime/reach.h"

namespace photofinish::upc {
namespace {

// A copy between shared memory, in two events: first it reads, then it writes.
template <class Made>
void run_copy(CallSite call_site, Call reads, Call writes, Made made, BufferUse read,
              const Position& from, BufferUse written, const Position& to, std::uint64_t bytes) {
  Interception copy(call_site);
  const auto describe_write = [&](Context& c) { add_target(c, written, to, bytes); };
  copy.announce(writes, describe_write);
  copy.returning(reads, made, [&](Context& c) { add_target(c, read, from, bytes); });
  copy.also(writes, describe_write);
}

template <class Made>
void run_copy(CallSite call_site, Call call, const Position& to, const Position& from,
              std::uint64_t bytes, Made made) {
  run_copy(call_site, call, call, made, BufferUse::TargetRead, from, BufferUse::TargetWrite, to,
           bytes);
}

template <class Made>
void run_access(CallSite call_site, Call call, BufferUse use, const Position& at,
                std::uint64_t bytes, Made made) {
  Interception access(call_site);
  access.returning(call, made, [&](Context& c) { add_target(c, use, at, bytes); });
}

// The numbers by which the owner orders strict accesses.
void add_strict(Context& c, const Position& at, std::uint64_t bytes) {
  add_target(c, BufferUse::TargetUpdate, at, bytes);
  if (bytes <= sizeof(std::uint64_t)) c.event.fields.set(Field::atomic, next_atomic());
}

void add_strict_read(Context& c, const Position& from, const void* to, std::uint64_t bytes) {
  add_strict(c, from, bytes);
  if (bytes <= sizeof(std::uint64_t))
    c.event.numbers = {c.event.fields[Field::atomic],
                       static_cast<std::int64_t>(bits_of(to, bytes))};
}

// A program that waits for a flag reads one value again and again. Only the first of these reads is
// an event: the others tell nothing new about the order, and race with what it races with.
bool is_repeated(CallSite call_site, const Position& from, std::uint64_t value) {
  struct Read {
    std::uint64_t pc, thread, offset, value, events;
    bool operator==(const Read&) const = default;
  };
  static Read last{};
  const Read read{call_site.pc, from.thread, from.offset, value, Interception::events()};
  if (read == last) return true;
  last = read;
  ++last.events;  // with the event of this read
  return false;
}

void add_strict_write(Context& c, const Position& to, const void* from, std::uint64_t bytes) {
  add_strict(c, to, bytes);
  if (bytes <= sizeof(std::uint64_t))
    c.event.fields.set(Field::operand, static_cast<std::int64_t>(bits_of(from, bytes)));
}

}  // namespace

// --- accesses

UPC_ENTRY void __upc_get(void* to, std::uint64_t thread, std::uint64_t offset,
                         std::uint64_t bytes) {
  run_access(CALL_SITE, UpcCall::shared_read, BufferUse::TargetRead, {thread, offset}, bytes,
             [&] { UPC_REAL(__upc_get)(to, thread, offset, bytes); });
}

UPC_ENTRY void __upc_put(std::uint64_t thread, std::uint64_t offset, const void* from,
                         std::uint64_t bytes) {
  run_access(CALL_SITE, UpcCall::shared_write, BufferUse::TargetWrite, {thread, offset}, bytes,
             [&] { UPC_REAL(__upc_put)(thread, offset, from, bytes); });
}

UPC_ENTRY void __upc_fill(std::uint64_t thread, std::uint64_t offset, std::uint64_t byte,
                          std::uint64_t bytes) {
  run_access(CALL_SITE, UpcCall::shared_write, BufferUse::TargetWrite, {thread, offset}, bytes,
             [&] { UPC_REAL(__upc_fill)(thread, offset, byte, bytes); });
}

UPC_ENTRY void __upc_move(std::uint64_t to_thread, std::uint64_t to, std::uint64_t from_thread,
                          std::uint64_t from, std::uint64_t bytes) {
  run_copy(
      CALL_SITE, UpcCall::shared_read, UpcCall::shared_write,
      [&] { UPC_REAL(__upc_move)(to_thread, to, from_thread, from, bytes); }, BufferUse::TargetRead,
      {from_thread, from}, BufferUse::TargetWrite, {to_thread, to}, bytes);
}

UPC_ENTRY void __upc_strict_get(void* to, std::uint64_t thread, std::uint64_t offset,
                                std::uint64_t bytes) {
  Interception access(CALL_SITE);
  const Position from{thread, offset};
  access.querying(
      UpcCall::strict_read, [&] { UPC_REAL(__upc_strict_get)(to, thread, offset, bytes); },
      [&] {
        return bytes > sizeof(std::uint64_t) ||
               !is_repeated(access.call_site(), from, bits_of(to, bytes));
      },
      [&](Context& c) { add_strict_read(c, from, to, bytes); });
}

UPC_ENTRY void __upc_strict_put(std::uint64_t thread, std::uint64_t offset, const void* from,
                                std::uint64_t bytes) {
  Interception access(CALL_SITE);
  const Position to{thread, offset};
  access.returning(
      UpcCall::strict_write, [&] { UPC_REAL(__upc_strict_put)(thread, offset, from, bytes); },
      [&](Context& c) { add_strict_write(c, to, from, bytes); });
}

// Copies and fills of structs that are strict: without values.
UPC_ENTRY void __upc_strict_move(std::uint64_t to_thread, std::uint64_t to,
                                 std::uint64_t from_thread, std::uint64_t from,
                                 std::uint64_t bytes) {
  run_copy(
      CALL_SITE, UpcCall::strict_read, UpcCall::strict_write,
      [&] { UPC_REAL(__upc_strict_move)(to_thread, to, from_thread, from, bytes); },
      BufferUse::TargetUpdate, {from_thread, from}, BufferUse::TargetUpdate, {to_thread, to},
      bytes);
}

UPC_ENTRY void __upc_strict_fill(std::uint64_t thread, std::uint64_t offset, std::uint64_t byte,
                                 std::uint64_t bytes) {
  run_access(CALL_SITE, UpcCall::strict_write, BufferUse::TargetUpdate, {thread, offset}, bytes,
             [&] { UPC_REAL(__upc_strict_fill)(thread, offset, byte, bytes); });
}

// --- copies

UPC_ENTRY void upc_memcpy(Generic to, Generic from, std::size_t bytes) {
  run_copy(CALL_SITE, UpcCall::upc_memcpy, position_of(to), position_of(from), bytes,
           [&] { UPC_REAL(upc_memcpy)(to, from, bytes); });
}

UPC_ENTRY void upc_memget(void* to, Generic from, std::size_t bytes) {
  Interception call(CALL_SITE);
  call.returning(
      UpcCall::upc_memget, [&] { UPC_REAL(upc_memget)(to, from, bytes); },
      [&](Context& c) {
        add_buffer(c, BufferUse::Write, to, bytes);
        add_target(c, BufferUse::TargetRead, position_of(from), bytes);
      });
}

UPC_ENTRY void upc_memput(Generic to, const void* from, std::size_t bytes) {
  Interception call(CALL_SITE);
  call.returning(
      UpcCall::upc_memput, [&] { UPC_REAL(upc_memput)(to, from, bytes); },
      [&](Context& c) {
        add_buffer(c, BufferUse::Read, from, bytes);
        add_target(c, BufferUse::TargetWrite, position_of(to), bytes);
      });
}

UPC_ENTRY void upc_memset(Generic to, int byte, std::size_t bytes) {
  run_access(CALL_SITE, UpcCall::upc_memset, BufferUse::TargetWrite, position_of(to), bytes,
             [&] { UPC_REAL(upc_memset)(to, byte, bytes); });
}

// --- non-blocking copies

namespace {

using steered::kImplicit;

// Reach keeps pending operations by window; handles are none of them.
std::int64_t reach_key(std::int64_t handle) { return -1 - handle; }

// `handle`: 0 if the transfer is complete.
void leave_pending(Context& c, std::int64_t handle) {
  if (handle == 0) return;
  c.event.fields.set(Field::context, handle);
  Reach* const reach = Reach::get();
  if (reach == nullptr) return;
  for (const Buffer& buffer : c.event.buffers)
    if (buffer.access <= BufferUse::ReadWrite)
      reach->begin_operation(reach_key(handle), c.event.fields[Field::target], buffer,
                             Recorder::get()->writer().known());
}

bool is_implicit(Call call) {
  return value_of(call) >= value_of(UpcCall::upc_memcpy_nbi) &&
         value_of(call) <= value_of(UpcCall::upc_memset_nbi);
}

// The transfer of a call: its shared side, and its private side, if it has one.
struct Transfer {
  BufferUse use;
  Position at;
  std::uint64_t bytes;
  BufferUse own_use = BufferUse::Read;
  const void* own = nullptr;
};

void describe(Context& c, const Transfer& transfer, std::uint64_t handle) {
  if (transfer.own != nullptr) add_buffer(c, transfer.own_use, transfer.own, transfer.bytes);
  add_target(c, transfer.use, transfer.at, transfer.bytes);
  leave_pending(c, static_cast<std::int64_t>(handle));
}

// `made` returns the handle. It has copies of its arguments: a confirming run may defer it.
template <class Made>
std::uint64_t run_transfer(CallSite call_site, Call call, const Transfer& first, Made made,
                           const Transfer* second = nullptr) {
  Interception transfer(call_site);
  const auto describe_second = [&](std::uint64_t handle) {
    return [&, handle](Context& c) { describe(c, *second, handle); };
  };
  if (second != nullptr) transfer.announce(call, describe_second(0));
  const std::uint64_t handle = transfer.transferring(
      call, is_implicit(call), made, [made] { steered::complete(made()); },
      [&](Context& c, std::uint64_t of) { describe(c, first, of); });
  if (second != nullptr) transfer.also(call, describe_second(handle));
  return handle;
}

template <class Made>
void run_sync(CallSite call_site, Call call, std::int64_t handle, Made made) {
  Interception sync(call_site);
  sync.waiting(
      call, [&](Context& c) { c.event.fields.set(Field::context, handle); }, made,
      [&](Context&) {
        if (Reach* const reach = Reach::get()) reach->end_operations(reach_key(handle));
      });
}

}  // namespace

UPC_ENTRY std::uint64_t upc_memget_nb(void* to, Generic from, std::size_t bytes) {
  return run_transfer(CALL_SITE, UpcCall::upc_memget_nb,
                      {BufferUse::TargetRead, position_of(from), bytes, BufferUse::Write, to},
                      [=] { return UPC_REAL(upc_memget_nb)(to, from, bytes); });
}
UPC_ENTRY std::uint64_t upc_memput_nb(Generic to, const void* from, std::size_t bytes) {
  return run_transfer(CALL_SITE, UpcCall::upc_memput_nb,
                      {BufferUse::TargetWrite, position_of(to), bytes, BufferUse::Read, from},
                      [=] { return UPC_REAL(upc_memput_nb)(to, from, bytes); });
}
UPC_ENTRY std::uint64_t upc_memcpy_nb(Generic to, Generic from, std::size_t bytes) {
  const Transfer write{BufferUse::TargetWrite, position_of(to), bytes};
  return run_transfer(
      CALL_SITE, UpcCall::upc_memcpy_nb, {BufferUse::TargetRead, position_of(from), bytes},
      [=] { return UPC_REAL(upc_memcpy_nb)(to, from, bytes); }, &write);
}
UPC_ENTRY std::uint64_t upc_memset_nb(Generic to, int byte, std::size_t bytes) {
  return run_transfer(CALL_SITE, UpcCall::upc_memset_nb,
                      {BufferUse::TargetWrite, position_of(to), bytes},
                      [=] { return UPC_REAL(upc_memset_nb)(to, byte, bytes); });
}

UPC_ENTRY void upc_memget_nbi(void* to, Generic from, std::size_t bytes) {
  run_transfer(CALL_SITE, UpcCall::upc_memget_nbi,
               {BufferUse::TargetRead, position_of(from), bytes, BufferUse::Write, to}, [=] {
                 UPC_REAL(upc_memget_nbi)(to, from, bytes);
                 return kImplicit;
               });
}
UPC_ENTRY void upc_memput_nbi(Generic to, const void* from, std::size_t bytes) {
  run_transfer(CALL_SITE, UpcCall::upc_memput_nbi,
               {BufferUse::TargetWrite, position_of(to), bytes, BufferUse::Read, from}, [=] {
                 UPC_REAL(upc_memput_nbi)(to, from, bytes);
                 return kImplicit;
               });
}
UPC_ENTRY void upc_memcpy_nbi(Generic to, Generic from, std::size_t bytes) {
  const Transfer write{BufferUse::TargetWrite, position_of(to), bytes};
  run_transfer(
      CALL_SITE, UpcCall::upc_memcpy_nbi, {BufferUse::TargetRead, position_of(from), bytes},
      [=] {
        UPC_REAL(upc_memcpy_nbi)(to, from, bytes);
        return kImplicit;
      },
      &write);
}
UPC_ENTRY void upc_memset_nbi(Generic to, int byte, std::size_t bytes) {
  run_transfer(CALL_SITE, UpcCall::upc_memset_nbi, {BufferUse::TargetWrite, position_of(to), bytes},
               [=] {
                 UPC_REAL(upc_memset_nbi)(to, byte, bytes);
                 return kImplicit;
               });
}

UPC_ENTRY void upc_sync(std::uint64_t handle) {
  if (handle == 0) return;
  run_sync(CALL_SITE, UpcCall::upc_sync, static_cast<std::int64_t>(handle), [&] {
    if (!steered::is_of_deferred(handle)) UPC_REAL(upc_sync)(handle);
  });
}
// The runtime's attempts always succeed.
UPC_ENTRY int upc_sync_attempt(std::uint64_t handle) {
  if (handle != 0)
    run_sync(CALL_SITE, UpcCall::upc_sync, static_cast<std::int64_t>(handle), [&] {
      if (!steered::is_of_deferred(handle)) UPC_REAL(upc_sync_attempt)(handle);
    });
  return 1;
}
UPC_ENTRY void upc_synci() {
  run_sync(CALL_SITE, UpcCall::upc_synci, kImplicit, [] { UPC_REAL(upc_synci)(); });
}
UPC_ENTRY int upc_synci_attempt() {
  run_sync(CALL_SITE, UpcCall::upc_synci, kImplicit, [] { UPC_REAL(upc_synci_attempt)(); });
  return 1;
}

}  // namespace photofinish::upc

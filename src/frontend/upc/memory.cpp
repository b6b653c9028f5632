// Memory that is allocated at run time, with locks and semaphores.
#include "frontend/upc/interception.h"

namespace photofinish::upc {
namespace {

// The block, as far as it is in this thread's segment; and the heap that it is from.
void add_block(Context& c, const Position& at, std::uint64_t bytes) {
  name_object(c, at);
  if (at.is_null()) return;
  FieldSet& fields = c.event.fields;
  fields.set(Field::address, static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(
                                 SharedMemory::get().local(at.offset))));
  fields.set(Field::size, static_cast<std::int64_t>(bytes));
  fields.set(Field::value, runtime_variable<std::int64_t>("__upc_block_turn"));
}

std::uint64_t bytes_per_thread(std::size_t blocks, std::size_t bytes) {
  const std::uint64_t threads = SharedMemory::get().threads();
  return (blocks + threads - 1) / threads * bytes;
}

// `made` returns a pointer, `position` its position.
template <class Pointer, class Made, class Where>
Pointer allocate(CallSite call_site, Call call, bool collective, std::uint64_t bytes, Made made,
                 Where position) {
  Interception allocation(call_site);
  Pointer pointer = 0;
  const auto describe = [&](Context& c) { add_block(c, position(pointer), bytes); };
  if (collective)
    allocation.waiting(call, kNothing, [&] { pointer = made(); }, describe);
  else
    allocation.returning(call, [&] { pointer = made(); }, describe);
  return pointer;
}

Position generic_position(Generic pointer) { return position_of(pointer); }

template <class Made>
void release(CallSite call_site, Call call, const Position& at, Made made) {
  Interception freed(call_site);
  freed.waiting(call, kNothing, made, [&](Context& c) { add_block(c, at, 0); });
}

constexpr std::uint64_t kLockBytes = 8, kSemaphoreBytes = 24;

}  // namespace

UPC_ENTRY Generic upc_alloc(std::size_t bytes) {
  return allocate<Generic>(
      CALL_SITE, UpcCall::upc_alloc, false, bytes, [&] { return UPC_REAL(upc_alloc)(bytes); },
      generic_position);
}
UPC_ENTRY Generic upc_global_alloc(std::size_t blocks, std::size_t bytes) {
  return allocate<Generic>(
      CALL_SITE, UpcCall::upc_global_alloc, false, bytes_per_thread(blocks, bytes),
      [&] { return UPC_REAL(upc_global_alloc)(blocks, bytes); }, generic_position);
}
UPC_ENTRY Generic upc_all_alloc(std::size_t blocks, std::size_t bytes) {
  return allocate<Generic>(
      CALL_SITE, UpcCall::upc_all_alloc, true, bytes_per_thread(blocks, bytes),
      [&] { return UPC_REAL(upc_all_alloc)(blocks, bytes); }, generic_position);
}
UPC_ENTRY void upc_free(Generic pointer) {
  release(CALL_SITE, UpcCall::upc_free, position_of(pointer), [&] { UPC_REAL(upc_free)(pointer); });
}
UPC_ENTRY void upc_all_free(Generic pointer) {
  release(CALL_SITE, UpcCall::upc_all_free, position_of(pointer),
          [&] { UPC_REAL(upc_all_free)(pointer); });
}

UPC_ENTRY Typed upc_global_lock_alloc() {
  return allocate<Typed>(
      CALL_SITE, UpcCall::upc_global_lock_alloc, false, kLockBytes,
      [] { return UPC_REAL(upc_global_lock_alloc)(); }, position_of_indefinite);
}
UPC_ENTRY Typed upc_all_lock_alloc() {
  return allocate<Typed>(
      CALL_SITE, UpcCall::upc_all_lock_alloc, true, kLockBytes,
      [] { return UPC_REAL(upc_all_lock_alloc)(); }, position_of_indefinite);
}
UPC_ENTRY void upc_lock_free(Typed lock) {
  release(CALL_SITE, UpcCall::upc_lock_free, position_of_indefinite(lock),
          [&] { UPC_REAL(upc_lock_free)(lock); });
}
UPC_ENTRY void upc_all_lock_free(Typed lock) {
  release(CALL_SITE, UpcCall::upc_all_lock_free, position_of_indefinite(lock),
          [&] { UPC_REAL(upc_all_lock_free)(lock); });
}

UPC_ENTRY Typed bupc_sem_alloc(int flags) {
  return allocate<Typed>(
      CALL_SITE, UpcCall::bupc_sem_alloc, false, kSemaphoreBytes,
      [&] { return UPC_REAL(bupc_sem_alloc)(flags); }, position_of_indefinite);
}
UPC_ENTRY void bupc_sem_free(Typed semaphore) {
  release(CALL_SITE, UpcCall::bupc_sem_free, position_of_indefinite(semaphore),
          [&] { UPC_REAL(bupc_sem_free)(semaphore); });
}

}  // namespace photofinish::upc

// upc_lock_t is a word in shared memory: 0, or the number of the thread that holds it plus 1.
#include <string>

#include "upc_runtime/api.h"
#include "upc_runtime/heap.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {
namespace {

Position new_lock() {
  const Position at = allocate_local(sizeof(std::uint64_t));
  const std::uint64_t zero = 0;
  if (!at.is_null()) atomic_write(at, &zero, sizeof zero);
  return at;
}

bool try_lock(Typed lock, const char* function) {
  if (lock == 0) die(std::string(function) + ": the lock is a null pointer");
  const std::uint64_t old = compare_and_swap(position_of_indefinite(lock), 0, my_thread() + 1, 8);
  if (old == my_thread() + 1) die(std::string(function) + ": this thread holds the lock already");
  if (old == 0) fence();
  return old == 0;
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API Typed upc_global_lock_alloc() { return typed_pointer(new_lock(), 0); }

UPC_API Typed upc_all_lock_alloc() {
  return broadcast_from_zero(my_thread() == 0 ? typed_pointer(new_lock(), 0) : 0);
}

UPC_API void upc_lock_free(Typed lock) { release(position_of_indefinite(lock)); }

UPC_API void upc_all_lock_free(Typed lock) {
  fence();
  MPI_Barrier(communicator());
  if (my_thread() == 0) upc_lock_free(lock);
}

UPC_API void upc_lock(Typed lock) {
  while (!try_lock(lock, "upc_lock")) relax();
}

UPC_API int upc_lock_attempt(Typed lock) { return try_lock(lock, "upc_lock_attempt") ? 1 : 0; }

UPC_API void upc_unlock(Typed lock) {
  if (lock == 0) die("upc_unlock: the lock is a null pointer");
  const Position at = position_of_indefinite(lock);
  complete_all();
  fence();
  if (compare_and_swap(at, my_thread() + 1, 0, 8) != my_thread() + 1)
    die("upc_unlock: this thread does not hold the lock");
}

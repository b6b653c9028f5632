// upc_lock_t is a word in shared memory: the number of the thread that holds it plus 1, or 0, and
// the lock's turn, which each acquisition increments. The tool orders the turns of a lock.
//
//   upc_lock on thread 2:   turn 7, holder 0  →  turn 8, holder 3
//   upc_unlock:             turn 8, holder 3  →  turn 8, holder 0
#include <string>
#include <unordered_map>

#include "upc_runtime/api.h"
#include "upc_runtime/heap.h"
#include "upc_runtime/segment.h"

extern "C" {
// Of the last acquisition or release by this thread.
__attribute__((visibility("default"))) std::uint64_t __upc_lock_turn = 0;
}

namespace photofinish::upc {
namespace {

constexpr unsigned kHolderBits = 24;
constexpr std::uint64_t kHolderMask = (std::uint64_t{1} << kHolderBits) - 1;

// The last known turn of each lock: that of a lock that this thread holds, or a guess that saves a
// transfer.
std::unordered_map<Typed, std::uint64_t> turns;

std::uint64_t lock_word(std::uint64_t turn, std::uint64_t holder) {
  return turn << kHolderBits | holder;
}

// The memory may have been a lock before: its turns go on, so that each turn is unique.
Position new_lock() {
  const Position at = allocate_local(sizeof(std::uint64_t));
  if (at.is_null()) return at;
  std::uint64_t word = 0;
  atomic_read(&word, at, sizeof word);
  word &= ~kHolderMask;
  atomic_write(at, &word, sizeof word);
  return at;
}

bool try_lock(Typed lock, const char* function) {
  if (lock == 0) die(std::string(function) + ": the lock is a null pointer");
  const Position at = position_of_indefinite(lock);
  std::uint64_t& turn = turns[lock];
  for (;;) {
    const std::uint64_t free = lock_word(turn, 0);
    const std::uint64_t old = compare_and_swap(at, free, lock_word(turn + 1, my_thread() + 1), 8);
    if (old == free) break;
    if ((old & kHolderMask) == my_thread() + 1)
      die(std::string(function) + ": this thread holds the lock already");
    turn = old >> kHolderBits;
    if ((old & kHolderMask) != 0) return false;
  }
  __upc_lock_turn = ++turn;
  fence();
  return true;
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
  const std::uint64_t turn = turns[lock], held = lock_word(turn, my_thread() + 1);
  if (compare_and_swap(at, held, lock_word(turn, 0), 8) != held)
    die("upc_unlock: this thread does not hold the lock");
  __upc_lock_turn = turn;
}

// Accesses to memory of other threads, and copies.
#include <algorithm>
#include <cstring>
#include <vector>

#include "upc_runtime/api.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {
namespace {

constexpr std::uint64_t kPiece = 1 << 20;

void move(const Position& to, const Position& from, std::uint64_t bytes) {
  if (is_mine(from)) {
    put(to, local(from.offset), bytes);
  } else if (is_mine(to)) {
    get(local(to.offset), from, bytes);
  } else {
    std::vector<char> piece(std::min(kPiece, bytes));
    for (std::uint64_t done = 0; done < bytes; done += kPiece) {
      const std::uint64_t size = std::min(kPiece, bytes - done);
      get(piece.data(), {from.thread, from.offset + done}, size);
      put({to.thread, to.offset + done}, piece.data(), size);
    }
  }
}

void fill(const Position& to, int byte, std::uint64_t bytes) {
  if (is_mine(to)) {
    std::memset(local(to.offset), byte, bytes);
    return;
  }
  const std::vector<char> piece(std::min(kPiece, bytes), static_cast<char>(byte));
  for (std::uint64_t done = 0; done < bytes; done += kPiece)
    start_put({to.thread, to.offset + done}, piece.data(), std::min(kPiece, bytes - done));
  complete(to.thread);
}

// A handle has the thread whose transfers it completes: MPI completes all to one target at once.
// The other bits make it unique, for the tool. 0: complete.
constexpr unsigned kThreadBits = 24;

std::uint64_t handle_of(const Position& at) {
  static std::uint64_t count = 0;
  return ++count << kThreadBits | at.thread;
}
std::uint64_t thread_of(std::uint64_t handle) {
  return handle & ((std::uint64_t{1} << kThreadBits) - 1);
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

// --- what the pass calls for accesses

UPC_API void __upc_get(void* to, std::uint64_t thread, std::uint64_t offset, std::uint64_t bytes) {
  get(to, {thread, offset}, bytes);
}
UPC_API void __upc_put(std::uint64_t thread, std::uint64_t offset, const void* from,
                       std::uint64_t bytes) {
  put({thread, offset}, from, bytes);
}
UPC_API void __upc_fill(std::uint64_t thread, std::uint64_t offset, std::uint64_t byte,
                        std::uint64_t bytes) {
  fill({thread, offset}, static_cast<int>(byte), bytes);
}
UPC_API void __upc_move(std::uint64_t to_thread, std::uint64_t to, std::uint64_t from_thread,
                        std::uint64_t from, std::uint64_t bytes) {
  move({to_thread, to}, {from_thread, from}, bytes);
}

UPC_API void __upc_strict_get(void* to, std::uint64_t thread, std::uint64_t offset,
                              std::uint64_t bytes) {
  // Programs wait for flags with strict reads.
  static unsigned count = 0;
  if (++count % 16 == 0) relax();
  atomic_read(to, {thread, offset}, bytes);
}
UPC_API void __upc_strict_put(std::uint64_t thread, std::uint64_t offset, const void* from,
                              std::uint64_t bytes) {
  atomic_write({thread, offset}, from, bytes);
}

UPC_API void __upc_strict_move(std::uint64_t to_thread, std::uint64_t to, std::uint64_t from_thread,
                               std::uint64_t from, std::uint64_t bytes) {
  fence();
  move({to_thread, to}, {from_thread, from}, bytes);
  fence();
}
UPC_API void __upc_strict_fill(std::uint64_t thread, std::uint64_t offset, std::uint64_t byte,
                               std::uint64_t bytes) {
  fence();
  fill({thread, offset}, static_cast<int>(byte), bytes);
  fence();
}

// --- copies

UPC_API void upc_memcpy(Generic to, Generic from, std::size_t bytes) {
  move(position_of(to), position_of(from), bytes);
}
UPC_API void upc_memget(void* to, Generic from, std::size_t bytes) {
  get(to, position_of(from), bytes);
}
UPC_API void upc_memput(Generic to, const void* from, std::size_t bytes) {
  put(position_of(to), from, bytes);
}
UPC_API void upc_memset(Generic to, int byte, std::size_t bytes) {
  fill(position_of(to), byte, bytes);
}

// --- non-blocking copies

UPC_API std::uint64_t upc_memget_nb(void* to, Generic from, std::size_t bytes) {
  start_get(to, position_of(from), bytes);
  return handle_of(position_of(from));
}
UPC_API std::uint64_t upc_memput_nb(Generic to, const void* from, std::size_t bytes) {
  start_put(position_of(to), from, bytes);
  return handle_of(position_of(to));
}
UPC_API std::uint64_t upc_memcpy_nb(Generic to, Generic from, std::size_t bytes) {
  const Position target = position_of(to), source = position_of(from);
  if (is_mine(source)) return upc_memput_nb(to, local(source.offset), bytes);
  if (is_mine(target)) return upc_memget_nb(local(target.offset), from, bytes);
  move(target, source, bytes);
  return 0;
}
UPC_API std::uint64_t upc_memset_nb(Generic to, int byte, std::size_t bytes) {
  fill(position_of(to), byte, bytes);
  return 0;
}
UPC_API void upc_sync(std::uint64_t handle) {
  if (handle != 0) complete(thread_of(handle));
}
UPC_API int upc_sync_attempt(std::uint64_t handle) {
  upc_sync(handle);
  return 1;
}
UPC_API void upc_memget_nbi(void* to, Generic from, std::size_t bytes) {
  upc_memget_nb(to, from, bytes);
}
UPC_API void upc_memput_nbi(Generic to, const void* from, std::size_t bytes) {
  upc_memput_nb(to, from, bytes);
}
UPC_API void upc_memcpy_nbi(Generic to, Generic from, std::size_t bytes) {
  upc_memcpy_nb(to, from, bytes);
}
UPC_API void upc_memset_nbi(Generic to, int byte, std::size_t bytes) {
  upc_memset_nb(to, byte, bytes);
}
UPC_API void upc_synci() { complete_all(); }
UPC_API int upc_synci_attempt() {
  complete_all();
  return 1;
}

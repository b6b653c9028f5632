#include "upc_runtime/segment.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace photofinish::upc {

extern "C" {
int __upc_threads = 1;
int __upc_mythread = 0;
char* __upc_segment = nullptr;
}

namespace {

constexpr std::uint64_t kLargestTransfer = std::uint64_t{1} << 30;

MPI_Win window = MPI_WIN_NULL;
MPI_Comm own_communicator = MPI_COMM_NULL;

int rank_of(const Position& at) { return static_cast<int>(at.thread); }
MPI_Aint displacement(const Position& at) { return static_cast<MPI_Aint>(at.offset); }

MPI_Datatype unsigned_type(std::uint64_t bytes) {
  switch (bytes) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    case 8:
      return MPI_UINT64_T;
    default:
      return MPI_DATATYPE_NULL;
  }
}

bool is_on_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(own_communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int size = 0;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size == __upc_threads;
}

bool is_word(const Position& at, std::uint64_t bytes) {
  return unsigned_type(bytes) != MPI_DATATYPE_NULL && at.offset % bytes == 0;
}

}  // namespace

void die(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "upc: thread %d: %s\n", __upc_mythread, message.c_str());
  abort_all(1);
}

void abort_all(int status) {
  std::fflush(nullptr);
  // MPICH's launcher drops output that it has not read when a process aborts.
  usleep(100'000);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

void open_segment(std::uint64_t bytes) {
  if (bytes >= (kLinearMask >> 1) / threads())
    die("the shared memory of all threads would exceed 8 TiB: reduce UPC_SHARED_HEAP_SIZE");
  MPI_Comm_dup(MPI_COMM_WORLD, &own_communicator);
  const auto size = static_cast<MPI_Aint>(bytes);
  // On one node, memory that all map: fast, and Open MPI 4.1 crashes in atomics on a thread's own
  // memory of other windows.
  if (is_on_one_node())
    MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, own_communicator, &__upc_segment, &window);
  else
    MPI_Win_allocate(size, 1, MPI_INFO_NULL, own_communicator, &__upc_segment, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

void close_segment() {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&own_communicator);
}

MPI_Comm communicator() { return own_communicator; }

std::uint64_t broadcast_from_zero(std::uint64_t value) {
  MPI_Bcast(&value, 1, MPI_UINT64_T, 0, own_communicator);
  return value;
}

void start_get(void* to, const Position& from, std::uint64_t bytes) {
  if (is_mine(from)) {
    std::memmove(to, local(from.offset), bytes);
    return;
  }
  for (std::uint64_t done = 0; done < bytes; done += kLargestTransfer) {
    const int count = static_cast<int>(std::min(kLargestTransfer, bytes - done));
    MPI_Get(static_cast<char*>(to) + done, count, MPI_BYTE, rank_of(from),
            displacement(from) + static_cast<MPI_Aint>(done), count, MPI_BYTE, window);
  }
}

void start_put(const Position& to, const void* from, std::uint64_t bytes) {
  if (is_mine(to)) {
    std::memmove(local(to.offset), from, bytes);
    return;
  }
  for (std::uint64_t done = 0; done < bytes; done += kLargestTransfer) {
    const int count = static_cast<int>(std::min(kLargestTransfer, bytes - done));
    MPI_Put(static_cast<const char*>(from) + done, count, MPI_BYTE, rank_of(to),
            displacement(to) + static_cast<MPI_Aint>(done), count, MPI_BYTE, window);
  }
}

void complete(std::uint64_t thread) {
  if (thread != my_thread()) MPI_Win_flush(static_cast<int>(thread), window);
}

void complete_all() { MPI_Win_flush_all(window); }

void get(void* to, const Position& from, std::uint64_t bytes) {
  start_get(to, from, bytes);
  complete(from.thread);
}

void put(const Position& to, const void* from, std::uint64_t bytes) {
  start_put(to, from, bytes);
  complete(to.thread);
}

void fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  MPI_Win_sync(window);
}

void atomic_read(void* to, const Position& from, std::uint64_t bytes) {
  fence();
  if (is_word(from, bytes)) {
    MPI_Fetch_and_op(to, to, unsigned_type(bytes), rank_of(from), displacement(from), MPI_NO_OP,
                     window);
    MPI_Win_flush(rank_of(from), window);
  } else {
    get(to, from, bytes);
  }
  fence();
}

void atomic_write(const Position& to, const void* from, std::uint64_t bytes) {
  fence();
  if (is_word(to, bytes)) {
    const MPI_Datatype type = unsigned_type(bytes);
    MPI_Accumulate(from, 1, type, rank_of(to), displacement(to), 1, type, MPI_REPLACE, window);
    MPI_Win_flush(rank_of(to), window);
  } else {
    put(to, from, bytes);
  }
  fence();
}

std::uint64_t compare_and_swap(const Position& at, std::uint64_t expected, std::uint64_t desired,
                               std::uint64_t bytes) {
  std::uint64_t old = 0;
  MPI_Compare_and_swap(&desired, &expected, &old, unsigned_type(bytes), rank_of(at),
                       displacement(at), window);
  MPI_Win_flush(rank_of(at), window);
  return old;
}

std::uint64_t fetch_and_add(const Position& at, std::uint64_t value) {
  std::uint64_t old = 0;
  MPI_Fetch_and_op(&value, &old, MPI_UINT64_T, rank_of(at), displacement(at), MPI_SUM, window);
  MPI_Win_flush(rank_of(at), window);
  return old;
}

void relax() {
  int arrived = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_communicator, &arrived, MPI_STATUS_IGNORE);
  sched_yield();
}

}  // namespace photofinish::upc

// The shared memory of all threads: one MPI window with a segment for each. All transfers are
// complete when they return.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "upc_runtime/pointers.h"

namespace photofinish::upc {

extern "C" {
extern __attribute__((visibility("default"))) int __upc_threads;
extern __attribute__((visibility("default"))) int __upc_mythread;
extern __attribute__((visibility("default"))) char* __upc_segment;
}

// A thread's number, unsigned as in pointers.
inline std::uint64_t threads() { return static_cast<std::uint64_t>(__upc_threads); }
inline std::uint64_t my_thread() { return static_cast<std::uint64_t>(__upc_mythread); }
inline bool is_mine(const Position& at) { return at.thread == my_thread(); }
inline char* local(std::uint64_t offset) { return __upc_segment + offset; }

// Prints the error and ends all threads.
[[noreturn]] void die(const std::string& message);
// Ends all threads. What they have written is not lost.
[[noreturn]] void abort_all(int status);

void open_segment(std::uint64_t bytes);
void close_segment();

// Start a transfer; `complete` ends those to the thread.
void start_get(void* to, const Position& from, std::uint64_t bytes);
void start_put(const Position& to, const void* from, std::uint64_t bytes);
void complete(std::uint64_t thread);
void complete_all();

void get(void* to, const Position& from, std::uint64_t bytes);
void put(const Position& to, const void* from, std::uint64_t bytes);

// Memory of this thread and of others agree: what this thread did before is visible, and it sees
// what others did.
void fence();

// Atomic operations on aligned words of 4 or 8 bytes (read and write: 1, 2, 4 or 8).
void atomic_read(void* to, const Position& from, std::uint64_t bytes);
void atomic_write(const Position& to, const void* from, std::uint64_t bytes);
// Returns the old value.
std::uint64_t compare_and_swap(const Position& at, std::uint64_t expected, std::uint64_t desired,
                               std::uint64_t bytes);
std::uint64_t fetch_and_add(const Position& at, std::uint64_t value);

// Call it in loops that wait for other threads: lets MPI and other processes make progress.
void relax();

// A communicator of the runtime's own.
MPI_Comm communicator();
std::uint64_t broadcast_from_zero(std::uint64_t value);

}  // namespace photofinish::upc

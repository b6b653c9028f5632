// Collectives that move data. Modes without NOSYNC synchronize all threads: stronger than MYSYNC
// asks for.
#include "upc_runtime/collectives.h"

#include "upc_runtime/api.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {

void enter_collective(int mode) {
  if ((mode & kInNoSync) != 0) return;
  complete_all();
  fence();
  MPI_Barrier(communicator());
  fence();
}

void leave_collective(int mode) {
  complete_all();
  fence();
  if ((mode & kOutNoSync) != 0) return;
  MPI_Barrier(communicator());
  fence();
}

}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API void upc_all_broadcast(Generic to, Generic from, std::size_t bytes, int mode) {
  enter_collective(mode);
  get(local(position_of(to).offset), position_of(from), bytes);
  leave_collective(mode);
}

UPC_API void upc_all_scatter(Generic to, Generic from, std::size_t bytes, int mode) {
  enter_collective(mode);
  const Position source = position_of(from);
  get(local(position_of(to).offset), {source.thread, source.offset + my_thread() * bytes}, bytes);
  leave_collective(mode);
}

UPC_API void upc_all_gather(Generic to, Generic from, std::size_t bytes, int mode) {
  enter_collective(mode);
  const Position target = position_of(to);
  put({target.thread, target.offset + my_thread() * bytes}, local(position_of(from).offset), bytes);
  leave_collective(mode);
}

UPC_API void upc_all_gather_all(Generic to, Generic from, std::size_t bytes, int mode) {
  enter_collective(mode);
  char* target = local(position_of(to).offset);
  for (std::uint64_t thread = 0; thread < threads(); ++thread)
    start_get(target + thread * bytes, {thread, position_of(from).offset}, bytes);
  leave_collective(mode);
}

UPC_API void upc_all_exchange(Generic to, Generic from, std::size_t bytes, int mode) {
  enter_collective(mode);
  char* target = local(position_of(to).offset);
  for (std::uint64_t thread = 0; thread < threads(); ++thread)
    start_get(target + thread * bytes, {thread, position_of(from).offset + my_thread() * bytes},
              bytes);
  leave_collective(mode);
}

// The block of thread i goes to thread permutation[i].
UPC_API void upc_all_permute(Generic to, Generic from, Typed permutation, std::size_t bytes,
                             int mode) {
  enter_collective(mode);
  int thread = 0;
  get(&thread, position_of(permutation + my_thread() * sizeof thread, sizeof thread),
      sizeof thread);
  put({static_cast<std::uint64_t>(thread), position_of(to).offset}, local(position_of(from).offset),
      bytes);
  leave_collective(mode);
}

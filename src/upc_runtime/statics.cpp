#include "upc_runtime/statics.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "upc_runtime/api.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {
namespace {

struct File {
  const Static* table;
  std::uint64_t count;
  void (*initialize)();
  int threads;
};

// Filled by constructors, before main. The order of files is that of the link, in all threads.
std::vector<File>& files() {
  static std::vector<File> list;
  return list;
}

template <class Action>
void each_static(Action action) {
  for (const File& file : files())
    for (std::uint64_t i = 0; i < file.count; ++i) action(file.table[i]);
}

std::uint64_t total_bytes(const Static& one) {
  return one.bytes * (one.scaled != 0 ? threads() : 1);
}

std::uint64_t bytes_per_thread(const Static& one) {
  const std::uint64_t bytes = total_bytes(one);
  if (one.block == 0) return bytes;
  const std::uint64_t row = one.block * threads();
  return (bytes + row - 1) / row * one.block;
}

}  // namespace

std::uint64_t place_statics(std::uint64_t offset) {
  each_static([&](const Static& one) {
    const std::uint64_t alignment =
        std::max<std::uint64_t>(64, std::uint64_t{1} << skew_shift(one.block));
    offset = (offset + alignment - 1) / alignment * alignment;
    *one.address = typed_pointer({.thread = 0, .offset = offset}, one.block);
    offset += bytes_per_thread(one);
  });
  return offset;
}

void initialize_statics() {
  each_static([](const Static& one) {
    const Position start = position_of(*one.address, one.block);
    if (one.block != 0 || my_thread() == 0)
      std::memset(local(start.offset), 0, bytes_per_thread(one));
    if (one.image == nullptr) return;
    const std::uint64_t piece = one.block == 0 ? one.bytes : one.block;
    for (std::uint64_t done = 0; done < one.bytes; done += piece) {
      const Position at = position_of(*one.address + done, one.block);
      const std::uint64_t bytes = std::min(piece, one.bytes - done);
      if (is_mine(at))
        std::memcpy(local(at.offset), static_cast<const char*>(one.image) + done, bytes);
    }
  });
}

void visit_statics(VisitStatic visit, void* context) {
  each_static([&](const Static& one) {
    visit(context, one, position_of(*one.address, one.block).offset, bytes_per_thread(one));
  });
}

void initialize_addresses() {
  for (const File& file : files())
    if (file.initialize != nullptr) file.initialize();
}

void check_static_threads() {
  for (const File& file : files())
    if (file.threads != 0 && file.threads != __upc_threads)
      die("the program was compiled with -fupc-threads=" + std::to_string(file.threads) +
          ", and started with " + std::to_string(__upc_threads) + " threads: start it with " +
          std::to_string(file.threads) + ", or compile it without that option");
}

}  // namespace photofinish::upc

UPC_API void __upc_register(const photofinish::upc::Static* table, std::uint64_t count,
                            void (*initialize)(), int threads) {
  photofinish::upc::files().push_back({table, count, initialize, threads});
}

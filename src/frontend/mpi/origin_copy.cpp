#include "frontend/mpi/origin_copy.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

namespace photofinish::mpi {
namespace {

constexpr std::uint64_t kMaxSpan = std::uint64_t{1} << 30;
constexpr std::uint64_t kPage = 4096;

}  // namespace

std::shared_ptr<const OriginCopy> OriginCopy::of(const void* origin, const DataMap& map,
                                                 std::int64_t count) {
  const ByteRange bounds = repeated(map, count).bounds();
  const auto span =
      static_cast<std::uint64_t>(bounds.end) - static_cast<std::uint64_t>(bounds.begin);
  if (span > kMaxSpan) return nullptr;
  const auto address = reinterpret_cast<std::uint64_t>(origin);
  const std::uint64_t first = address + static_cast<std::uint64_t>(bounds.begin);
  const std::uint64_t in_page = first % kPage;  // the same alignment as the program's
  const std::size_t size = static_cast<std::size_t>(span + in_page + 1);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // Wraps around where the type holds absolute addresses; so does the sum that MPI makes of it.
  const std::uint64_t copied =
      reinterpret_cast<std::uint64_t>(memory) + in_page - static_cast<std::uint64_t>(bounds.begin);
  for (const ByteRange& range : expand(map, count))
    std::memcpy(reinterpret_cast<void*>(copied + static_cast<std::uint64_t>(range.begin)),
                reinterpret_cast<const void*>(address + static_cast<std::uint64_t>(range.begin)),
                static_cast<std::size_t>(range.end - range.begin));
  return std::shared_ptr<const OriginCopy>(
      new OriginCopy(memory, size, reinterpret_cast<const void*>(copied)));
}

OriginCopy::~OriginCopy() { munmap(memory_, size_); }

}  // namespace photofinish::mpi

#include "frontend/mpi/origin_copy.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

namespace photofinish::mpi {
namespace {

constexpr std::uint64_t kMaxSpan = std::uint64_t{1} << 30;
constexpr std::uint64_t kPage = 4096;

std::uint64_t span_of(const ByteRange& bounds) {
  return static_cast<std::uint64_t>(bounds.end) - static_cast<std::uint64_t>(bounds.begin);
}

void copy_range(std::uint64_t to, std::uint64_t from, std::int64_t begin, std::int64_t end) {
  std::memcpy(reinterpret_cast<void*>(to + static_cast<std::uint64_t>(begin)),
              reinterpret_cast<const void*>(from + static_cast<std::uint64_t>(begin)),
              static_cast<std::size_t>(end - begin));
}

}  // namespace

std::shared_ptr<const OriginCopy> OriginCopy::of(const void* origin, const DataMap& map,
                                                 std::int64_t count) {
  const ByteRange bounds = repeated(map, count).bounds();
  const std::uint64_t span = span_of(bounds);
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
    copy_range(copied, address, range.begin, range.end);
  return std::shared_ptr<const OriginCopy>(
      new OriginCopy(memory, size, reinterpret_cast<const void*>(copied)));
}

bool OriginCopy::fits(const DataMap& map, std::int64_t count) {
  return span_of(repeated(map, count).bounds()) <= kMaxSpan;
}

void OriginCopy::write_back(void* buffer, const DataMap& map, std::int64_t count,
                            std::int64_t bytes) const {
  const auto to = reinterpret_cast<std::uint64_t>(buffer),
             from = reinterpret_cast<std::uint64_t>(origin_);
  const bool whole = bytes < 0 || map.size <= 0 || bytes >= map.size * count;
  if (!whole && map.contiguous()) {
    const std::int64_t begin = map.footprint.front().offset;
    return copy_range(to, from, begin, begin + bytes);
  }
  const std::int64_t elements = whole ? count : (bytes + map.size - 1) / map.size;
  for (const ByteRange& range : expand(map, elements)) copy_range(to, from, range.begin, range.end);
}

OriginCopy::~OriginCopy() { munmap(memory_, size_); }

}  // namespace photofinish::mpi

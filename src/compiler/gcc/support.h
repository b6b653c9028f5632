// What code of GCC needs at run time, whether the plugin (support.cpp) or -fsanitize=thread
// (hooks/) inserts the calls: the state of runtime_abi.h, and how many bytes a library call
// accesses.
//
// It is compiled to assembler text. All of it is hidden, and the linker keeps one copy.
#pragma once

#include "compiler/gcc/extent.h"
#include "photofinish/runtime_abi.h"

#define SHARED inline __attribute__((used, visibility("hidden")))
#define FUNCTION extern "C" SHARED __attribute__((noinline))

SHARED photofinish_state state __asm__(PHOTOFINISH_STATE) __attribute__((aligned(64)));
SHARED __thread std::uint64_t distance __asm__(PHOTOFINISH_DISTANCE)
    __attribute__((tls_model("initial-exec")));

namespace {

using photofinish::gcc::Extent;

struct Piece {
  std::uint64_t bytes, rows;
  std::int64_t stride;
  std::uint64_t planes;
  std::int64_t plane_stride;
};

[[gnu::always_inline]] inline std::uint64_t common(const char* a, const char* b,
                                                   std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i)
    if (a[i] != b[i] || a[i] == 0) return i + 1;
  return limit;
}

[[gnu::always_inline]] inline bool is_marked(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t first = low >> PHOTOFINISH_PAGE_BITS,
                      last = (high - 1) >> PHOTOFINISH_PAGE_BITS;
  if (last - first > 4096) return true;
  for (std::uint64_t page = first; page <= last; ++page)
    if (state.gate[page % PHOTOFINISH_GATE_SIZE] != 0) return true;
  return false;
}

[[gnu::always_inline]] inline std::uint64_t bytes_of(std::uint64_t kind, const char* address,
                                                     std::uint64_t a, std::uint64_t b,
                                                     std::uint64_t c) {
  using namespace photofinish::gcc;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const auto text = [](std::uint64_t value) { return reinterpret_cast<const char*>(value); };
  const bool has_b = (kind & kHasB) != 0, has_c = (kind & kHasC) != 0;
  const auto number = static_cast<std::int64_t>(a);
  switch (kind & 0xff) {
    case Extent::Bytes:
      return has_b ? a * b : a;
    case Extent::String:
      return common(text(a), text(b), has_c ? c : kAll);
    case Extent::Returned:
      return number <= 0 ? 0 : has_b ? a * b : a;
    case Extent::Found:
      return a != 0 ? a - b + 1 : has_c ? c : common(text(b), text(b), kAll);
    case Extent::ReturnedString:
      return a != 0 ? common(text(a), text(a), kAll) : 0;
    case Extent::Printed:
      return number < 0 ? 0 : has_b && a + 1 > b ? b : a + 1;
    case Extent::Assigned:
      if (number <= static_cast<std::int64_t>(b)) return 0;
      return has_c ? c : common(address, address, kAll);
    default:
      return 0;
  }
}

// gfortran's descriptor: address, offset, {element length, version, rank, type, attribute}, span,
// and per dimension stride in elements, lower bound and upper bound.
struct Descriptor {
  const char* address;
  std::int64_t offset;
  std::uint64_t element;
  std::int32_t version;
  std::int8_t rank, type;
  std::int16_t attribute;
  std::int64_t span;
  struct {
    std::int64_t stride, lower, upper;
  } dimensions[15];
};

// Adjacent dimensions without gaps are merged. Two dimensions are reported; of further ones only
// the first element.
[[gnu::always_inline]] inline Piece piece_of(const Descriptor& array) {
  const std::int64_t unit = array.span != 0 ? array.span : static_cast<std::int64_t>(array.element);
  Piece piece{array.element, 1, 0, 1, 0};
  const auto extent = [&](int d) {
    const auto& one = array.dimensions[d];
    return one.upper < one.lower ? 0 : static_cast<std::uint64_t>(one.upper - one.lower + 1);
  };
  int d = 0;
  for (; d < array.rank; ++d) {
    if (array.dimensions[d].stride * unit != static_cast<std::int64_t>(piece.bytes) &&
        extent(d) != 1)
      break;
    piece.bytes *= extent(d);
  }
  if (d < array.rank) piece.rows = extent(d), piece.stride = array.dimensions[d].stride * unit;
  if (d + 1 < array.rank)
    piece.planes = extent(d + 1), piece.plane_stride = array.dimensions[d + 1].stride * unit;
  return piece;
}

}  // namespace

// Where the calling thread keeps the distance to its own sites.
extern "C" std::uint64_t* distance_of() __asm__(PHOTOFINISH_DISTANCE "_of");
FUNCTION std::uint64_t* distance_of() { return &distance; }

// Sets the bit of the access if the site, that of the calling thread, has bits for its address.
[[gnu::always_inline]] inline bool sets_bit(photofinish_site& site, const void* address,
                                            std::uint64_t bytes) {
  if ((bytes & PHOTOFINISH_RELEASES) != 0 ||
      site.thread != reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()))
    return false;
  const std::uint64_t from = reinterpret_cast<std::uint64_t>(address) - site.base;
  const unsigned unit = PHOTOFINISH_UNIT(bytes);
  // The rotation maps an address between two units to a value beyond all units.
  const std::uint64_t at = from >> unit | from << (-unit & 63);
  if (at >= site.units ||
      reinterpret_cast<std::uint8_t*>(
          site.bits)[-1 - static_cast<std::int64_t>(at >> PHOTOFINISH_GROUP_BITS)] == 0)
    return false;
  site.bits[at >> 6] |= std::uint64_t{1} << (at & 63);
  return true;
}

[[gnu::always_inline]] inline photofinish_site* of_this_thread(photofinish_site* site) {
  return reinterpret_cast<photofinish_site*>(reinterpret_cast<char*>(site) + distance);
}

// The functions that instrumented code of GCC calls. This file is compiled to assembler text, which
// the plugin appends to each object: C, C++ and Fortran programs contain it, hidden, and the linker
// keeps one copy. It also defines the state of runtime_abi.h.
//
// The functions that end in a call of the library do so by a jump: the library finds the access
// site by its return address. So they have the parameters of the hook that they call.
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

// An access to a marked page. `bytes` as in the `access` hook. Sets the site's bit if it has bits.
FUNCTION void __photofinish_gcc_access_1(photofinish_site* shared_site, const void* address,
                                         std::uint64_t bytes) {
  auto* const site =
      reinterpret_cast<photofinish_site*>(reinterpret_cast<char*>(shared_site) + distance);
  if ((bytes & PHOTOFINISH_RELEASES) == 0 &&
      site->thread == reinterpret_cast<std::uint64_t>(__builtin_thread_pointer())) {
    const std::uint64_t from = reinterpret_cast<std::uint64_t>(address) - site->base;
    const unsigned unit = PHOTOFINISH_UNIT(bytes);
    // The rotation maps an address between two units to a value beyond all units.
    const std::uint64_t at = from >> unit | from << (-unit & 63);
    if (at < site->units &&
        reinterpret_cast<std::uint8_t*>(
            site->bits)[-1 - static_cast<std::int64_t>(at >> PHOTOFINISH_GROUP_BITS)] != 0) {
      site->bits[at >> 6] |= std::uint64_t{1} << (at & 63);
      return;
    }
  }
  state.access(site, address, bytes, __builtin_return_address(0));
}

// A range that overlaps [low, high) of the reachable memory.
FUNCTION void __photofinish_gcc_range_1(photofinish_site* site, const void* address,
                                        std::uint64_t bytes, std::uint64_t rows,
                                        std::int64_t stride, std::uint64_t planes,
                                        std::int64_t plane_stride) {
  if (rows == 0 || planes == 0 || PHOTOFINISH_BYTES(bytes) == 0) return;
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const auto span = static_cast<std::uint64_t>(stride) * (rows - 1),
             plane_span = static_cast<std::uint64_t>(plane_stride) * (planes - 1);
  const std::uint64_t low = begin + (stride < 0 ? span : 0) + (plane_stride < 0 ? plane_span : 0),
                      high = begin + PHOTOFINISH_BYTES(bytes) + (stride < 0 ? 0 : span) +
                             (plane_stride < 0 ? 0 : plane_span);
  if (!is_marked(low, high)) return;
  return state.range(site, address, bytes, rows, stride, planes, plane_stride);
}

// The block at `address` is freed.
FUNCTION void __photofinish_gcc_free_1(photofinish_site* site, const void* address,
                                       std::uint64_t bytes, std::uint64_t rows, std::int64_t stride,
                                       std::uint64_t planes, std::int64_t plane_stride) {
  if (state.high == 0 || address == nullptr) return;
  return state.range(site, address, bytes, rows, stride, planes, plane_stride);
}

// A library call accesses memory at `address`: `how` has the flags of the hook's bytes and, below
// them, an Extent::Kind with flags.
FUNCTION void __photofinish_gcc_call_1(photofinish_site* site, const void* address,
                                       std::uint64_t how, std::uint64_t a, std::int64_t b,
                                       std::uint64_t c, std::int64_t) {
  if (state.high == 0 || reinterpret_cast<std::uint64_t>(address) >= state.high) return;
  const std::uint64_t flags = how & (PHOTOFINISH_WRITES | PHOTOFINISH_RELEASES);
  const auto* begin = static_cast<const char*>(address);
  if ((how & photofinish::gcc::kBehindString) != 0)
    begin += common(begin, begin, ~std::uint64_t{0}) - 1;
  const std::uint64_t bytes = bytes_of(how, begin, a, static_cast<std::uint64_t>(b), c);
  if (bytes == 0) return;
  return state.range(site, begin, bytes | flags, 1, 0, 1, 0);
}

// The same for the array of a descriptor of gfortran.
FUNCTION void __photofinish_gcc_array_1(photofinish_site* site, const void* address,
                                        std::uint64_t how, std::uint64_t, std::int64_t,
                                        std::uint64_t, std::int64_t) {
  if (state.high == 0 || address == nullptr) return;
  const auto& array = *static_cast<const Descriptor*>(address);
  if (array.address == nullptr) return;
  const Piece piece = piece_of(array);
  const std::uint64_t flags = how & (PHOTOFINISH_WRITES | PHOTOFINISH_RELEASES);
  return state.range(site, array.address, piece.bytes | flags, piece.rows, piece.stride,
                     piece.planes, piece.plane_stride);
}

// Atomic operations: `how` as in the `synchronize` hook. `atomic` is 2 if the operation begins, and
// 1 if it has ended.
FUNCTION void __photofinish_gcc_synchronize_1(const void* address, std::uint64_t how,
                                              std::uint64_t atomic) {
  if (atomic == 1 && state.atomic != nullptr) state.atomic(0);
  if (how != 0 && state.synchronize != nullptr) state.synchronize(address, how);
  if (atomic == 2 && state.atomic != nullptr) state.atomic(1);
}

FUNCTION void __photofinish_gcc_region_1(std::uint64_t kind) {
  if (state.region != nullptr) state.region(kind);
}

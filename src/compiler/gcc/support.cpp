// The functions that instrumented code of GCC calls. This file is compiled to assembler text, which
// the plugin appends to each object: C, C++ and Fortran programs contain it, hidden, and the linker
// keeps one copy.
//
// The functions that end in a call of the library do so by a jump: the library finds the access
// site by its return address. So they have the parameters of the hook that they call.
#include "compiler/gcc/support.h"

// An access to a marked page. `bytes` as in the `access` hook. Sets the site's bit if it has bits.
FUNCTION void __photofinish_gcc_access_1(photofinish_site* shared_site, const void* address,
                                         std::uint64_t bytes) {
  auto* const site = of_this_thread(shared_site);
  if (sets_bit(*site, address, bytes)) return;
  state.access(site, address, bytes, __builtin_return_address(0));
}

// The same for a site of the calling thread that has no bit for the access.
FUNCTION void __photofinish_gcc_report_1(photofinish_site* site, const void* address,
                                         std::uint64_t bytes) {
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

// A loop is about to read a row of indices. Whether the calls of `gather` replace its hooks.
FUNCTION std::uint64_t __photofinish_gcc_indices_1(photofinish_index* index, const void* first,
                                                   std::uint64_t times) {
  if (times < PHOTOFINISH_FEW_INDICES || state.high == 0) return 0;
  return state.indices(index, first, times);
}

FUNCTION void __photofinish_gcc_gather_1(photofinish_site* site, const void* base,
                                         std::uint64_t bytes, std::uint64_t scale,
                                         photofinish_index* index, std::uint64_t slots,
                                         std::uint64_t answer) {
  if (answer == 0) return;
  return state.gather(site, base, bytes, scale, index, slots);
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

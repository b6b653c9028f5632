#include "upc_runtime/pointers.h"

#include <string>

#include "upc_runtime/api.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {

Generic generic_pointer(const Position& at) {
  if (at.is_null()) return 0;
  return (static_cast<Generic>(at.thread) << kThreadShift) |
         (static_cast<Generic>(at.phase) << kPhaseShift) | at.offset;
}

Position position_of(Typed pointer, std::uint64_t block) {
  return position_of(pointer, block, threads());
}

Typed typed_pointer(const Position& at, std::uint64_t block) {
  if (at.is_null()) return 0;
  if (block == 0) return (at.thread << kLinearBits) | at.offset;
  const std::uint64_t phase = at.phase % block;
  const std::uint64_t start = at.offset - phase;
  const std::uint64_t skew = start % block, shift = skew_shift(block);
  if ((skew >> shift) << shift != skew)
    die("cannot convert to a pointer with blocks of " + std::to_string(block) +
        " bytes: such blocks start at multiples of " + std::to_string(std::uint64_t{1} << shift) +
        " bytes, and this one would start at " + std::to_string(start));
  return ((skew >> shift) << kLinearBits) |
         ((start / block * threads() + at.thread) * block + phase);
}

}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API std::uint64_t __upc_from_generic(std::uint64_t low, std::uint64_t high,
                                         std::uint64_t block) {
  return typed_pointer(position_of((static_cast<Generic>(high) << 64) | low), block);
}

// The result has phase 0, except for the null pointer.
UPC_API std::uint64_t __upc_change_block(std::uint64_t pointer, std::uint64_t from,
                                         std::uint64_t to) {
  if (pointer == 0) return 0;
  Position at = position_of(pointer, from);
  at.phase = 0;
  return typed_pointer(at, to);
}

UPC_API std::size_t upc_threadof(Generic pointer) { return position_of(pointer).thread; }
UPC_API std::size_t upc_addrfield(Generic pointer) { return position_of(pointer).offset; }
UPC_API std::size_t __upc_phase_bytes(Generic pointer) { return position_of(pointer).phase; }

UPC_API Generic upc_resetphase(Generic pointer) {
  Position at = position_of(pointer);
  at.phase = 0;
  return generic_pointer(at);
}

UPC_API std::size_t upc_affinitysize(std::size_t bytes, std::size_t block, std::size_t thread) {
  if (block == 0 || bytes == 0) return thread == 0 ? bytes : 0;
  const std::size_t whole = bytes / block, rest = bytes % block;
  const std::size_t rows = whole / threads(), last = whole % threads();
  if (thread < last) return (rows + 1) * block;
  return rows * block + (thread == last ? rest : 0);
}

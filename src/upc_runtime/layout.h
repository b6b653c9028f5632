// How a pointer to shared memory is stored. The rewriter, the lowering pass and the runtime share
// this file.
//
// Each thread has a segment. An object has the same offset in all segments. A block of b bytes lies
// in one segment.
//
// Typed pointer, 64 bits, for blocks of b bytes:
//   low 44 bits   linear address: (row · THREADS + thread) · b + phase. It grows by sizeof(T) from
//   element to element,
//                 so that pointer arithmetic, comparison and difference are those of C.
//   high 20 bits  skew: (offset of the block modulo b) / unit(b), since blocks start anywhere in a
//   segment
// Typed pointer with an indefinite block (`shared []`): low 44 bits offset, high 20 bits thread.
//
// Example, THREADS = 2, b = 8, an int array at offset 4096 (skew 0): element 5 is at linear address
// 8192 + 20, block 1026, so thread 0, row 513, phase 4, offset 513 · 8 + 4 = 4108.
//
// Generic pointer (`shared void *`), 120 bits: 56 bits offset, 40 bits phase in bytes, 24 bits
// thread. The null pointer has all bits zero. No object has offset 0.
//
// An address space number of clang stands for a number of block bytes.
#pragma once

#include <cstdint>

namespace photofinish::upc {

constexpr unsigned kLinearBits = 44;
constexpr std::uint64_t kLinearMask = (std::uint64_t{1} << kLinearBits) - 1;
constexpr unsigned kSkewBits = 64 - kLinearBits;

constexpr unsigned kGenericBits = 120;
constexpr unsigned kPhaseShift = 56;
constexpr unsigned kThreadShift = 96;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kPhaseShift) - 1;
constexpr std::uint64_t kPhaseMask = (std::uint64_t{1} << (kThreadShift - kPhaseShift)) - 1;

// Address spaces: block bytes below 2 MiB as they are (0: indefinite), then mantissa and exponent,
// then layouts of types that are incomplete where they are used first.
constexpr unsigned kFirstSpace = 0x1000;
constexpr unsigned kDirectBits = 21;
constexpr unsigned kMantissaBits = 17;
constexpr unsigned kMinExponent = 5;
constexpr unsigned kMaxExponent = 36;
constexpr unsigned kFirstLarge = kFirstSpace + (1u << kDirectBits);
constexpr unsigned kFirstIncomplete = kFirstLarge + (1u << (kMantissaBits + 5));
constexpr unsigned kLastSpace = 8388586;

constexpr bool is_shared_space(unsigned space) { return space >= kFirstSpace; }
constexpr bool is_incomplete_space(unsigned space) { return space >= kFirstIncomplete; }

// Not for spaces of incomplete types.
constexpr std::uint64_t block_bytes_of(unsigned space) {
  if (space < kFirstLarge) return space - kFirstSpace;
  const unsigned code = space - kFirstLarge;
  const std::uint64_t mantissa = code & ((1u << kMantissaBits) - 1);
  return mantissa << (kMinExponent + (code >> kMantissaBits));
}

// The granularity of the skew: 1 for blocks below 1 MiB. Larger blocks start at multiples of it.
constexpr unsigned skew_shift(std::uint64_t block) {
  unsigned shift = 0;
  while ((block >> shift) >= (std::uint64_t{1} << kSkewBits)) ++shift;
  return shift;
}

}  // namespace photofinish::upc

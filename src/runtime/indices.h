// The footprint of a loop that accesses memory through indices, a[index[i]], as few ranges relative
// to `a`.
//
// Rule: programs reuse indices, so an index array is identified by a digest, and its footprint is
// cached. Reading the indices is cheap compared with the loop; computing the footprint is not. If
// an array never repeats, read() declines for a while, and the program calls the hook for each
// access. Misses: changed indices with the same digest. A change affects at least one of four
// 32-bit checksums, usually all of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "photofinish/runtime_abi.h"
#include "runtime/digest.h"

namespace photofinish {

struct Pattern {
  // For each index in these slots of a step: `bytes` bytes at scale * index.
  struct Key {
    std::uint64_t slots = 0, scale = 0, bytes = 0;
    bool operator==(const Key&) const = default;
  };
  struct Row {
    std::uint64_t begin = 0, bytes = 0, rows = 1, stride = 0;
  };
  Key key;
  std::vector<Row> rows;  // in ascending order
  // Bounds of all rows. Indices may be negative; all numbers are modulo 2^64.
  std::uint64_t low = 0, high = 0;
};

class Indices {
 public:
  explicit Indices(const photofinish_index& index);

  // The loop is about to read the indices there, `times` times. False: call the hook for each
  // access.
  bool read(const void* first, std::uint64_t times);
  // The footprint for the indices that read() read last. The index array must not change until the
  // next read().
  const std::shared_ptr<const Pattern>& pattern(const Pattern::Key& key);

 private:
  struct Seen {
    Digest digest{};
    std::uint64_t times = 0;
    std::vector<std::shared_ptr<const Pattern>> patterns;
  };
  Digest digest() const;
  std::shared_ptr<const Pattern> find(const Pattern::Key& key) const;
  template <class Each>
  void each_index(std::uint64_t slots, Each each) const;

  const std::uint32_t step_, bytes_;
  const bool is_signed_;
  const std::uint64_t slots_;
  const std::uint8_t* first_ = nullptr;
  std::uint64_t times_ = 0;
  std::array<Seen, 4> seen_;
  std::size_t now_ = 0;
  std::uint32_t misses_ = 0, refuse_ = 0;
};

}  // namespace photofinish

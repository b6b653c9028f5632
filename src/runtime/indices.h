// What a loop touches through a row of indices, a[index[i]], as few ranges behind the begin of `a`.
//
// Rule: programs use the same indices again and again, so a row of them is known by a digest of
// all, and what was found for it is kept. Reading is a small part of what the loop itself does;
// finding ranges is not. If a row is never the same as before, it is not worth it: then the program
// is to ask for each access, for a while.
// Misses: other indices with the same digest, by chance. A change is in one of four checks of 32
// bits at least, and as a rule in all of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "photofinish/runtime_abi.h"
#include "runtime/digest.h"

namespace photofinish {

struct Pattern {
  // Of the indices in these slots of a step: so many bytes at scale * index.
  struct Key {
    std::uint64_t slots = 0, scale = 0, bytes = 0;
    bool operator==(const Key&) const = default;
  };
  struct Row {
    std::uint64_t begin = 0, bytes = 0, rows = 1, stride = 0;
  };
  Key key;
  std::vector<Row> rows;  // in order
  std::uint64_t low = 0,
                high = 0;  // of all of them: indices may be negative, all numbers are modulo 2^64
};

class Indices {
 public:
  explicit Indices(const photofinish_index& index);

  // The loop is going to read them there, so many times; false: ask for each access.
  bool read(const void* first, std::uint64_t times);
  // Of what was read last; until it is read again nothing in memory changes.
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

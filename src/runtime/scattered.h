// The irregular accesses of one site within a memory range, as a bitmap with one bit per unit.
//
// Rule: a set bit is an access of `bytes` bytes at its unit; or, if `bytes` is the unit, a part of
// one. Addresses that are not multiples of the unit, or out of range, are not supported. The output
// is sorted and joined. Invariant: a group of units with set bits is in `groups_`, and its byte,
// before the bits, is set. So the program may set more bits of such a group itself (runtime_abi.h),
// and take() need not scan the whole range.
#pragma once

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "photofinish/runtime_abi.h"

namespace photofinish {

class Scattered {
 public:
  // Covers at least [begin, end).
  Scattered(std::uint64_t begin, std::uint64_t end, unsigned unit, std::uint64_t bytes);

  std::uint64_t begin() const { return base_; }
  std::uint64_t end() const { return base_ + (units_ << unit_); }
  std::uint64_t units() const { return units_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t* bits() const { return bits_; }
  bool works() const { return memory_ != nullptr; }  // false: out of memory

  bool covers(std::uint64_t begin, std::uint64_t end) const {
    return base_ <= begin && end <= this->end();
  }
  bool fits(std::uint64_t numbers) const {
    return (numbers & ((std::uint64_t{1} << unit_) - 1)) == 0;
  }

  void add(std::uint64_t begin) {
    const std::uint64_t at = (begin - base_) >> unit_;
    set(at / 64, std::uint64_t{1} << at % 64);
  }
  void add_range(std::uint64_t begin, std::uint64_t end);

  // Visits the ranges [begin, end) in order, and clears them.
  template <class Each>
  void take(Each each) {
    sort_groups();
    std::uint64_t begin = 0, end = 0;
    for (const std::uint32_t group : groups_) {
      group_byte(group) = 0;
      for (std::uint64_t word = std::uint64_t{group} * kGroupWords;
           word < (std::uint64_t{group} + 1) * kGroupWords; ++word) {
        for (std::uint64_t left = std::exchange(bits_[word], 0); left != 0;) {
          const int first = std::countr_zero(left), length = std::countr_one(left >> first);
          const std::uint64_t from = base_ + ((word * 64 + static_cast<unsigned>(first)) << unit_);
          const std::uint64_t to =
              from + (static_cast<std::uint64_t>(length - 1) << unit_) + bytes_;
          if (from > end || end == 0) {
            if (end != 0) each(begin, end);
            begin = from;
          }
          end = to;
          left = first + length == 64 ? 0 : left & ~std::uint64_t{0} << (first + length);
        }
      }
    }
    if (end != 0) each(begin, end);
    groups_.clear();
  }

 private:
  static constexpr std::uint64_t kGroupWords = PHOTOFINISH_GROUP / 64;

  void set(std::uint64_t word, std::uint64_t bits) {
    if (group_byte(word / kGroupWords) == 0) {
      group_byte(word / kGroupWords) = 1;
      groups_.push_back(static_cast<std::uint32_t>(word / kGroupWords));
    }
    bits_[word] |= bits;
  }
  std::uint8_t& group_byte(std::uint64_t group) {
    return reinterpret_cast<std::uint8_t*>(bits_)[~static_cast<std::int64_t>(group)];
  }
  void sort_groups();

  struct Unmap {
    std::size_t bytes;
    void operator()(std::uint64_t* bits) const { munmap(bits, bytes); }
  };
  std::uint64_t base_, units_;
  unsigned unit_;  // log2 of the unit
  std::uint64_t bytes_;
  // Group bytes, then bits. Only used pages take memory.
  std::unique_ptr<std::uint64_t[], Unmap> memory_;
  std::uint64_t* bits_ = nullptr;
  std::vector<std::uint32_t> groups_;
};

}  // namespace photofinish

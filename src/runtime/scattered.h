// What one place of the program touches here and there, within some memory: a bit for each unit of it.
//
// Rule: a set bit is an access of `bytes` that begins at its unit, or, if that is how much a unit has, a part of one. Addresses that are no multiple of
// the unit, or outside, are not for here. What comes out is in order, and joined.
// Invariant: a word that is not zero has its bit in `used_`, and each word of those that is not zero is in `groups_`; so the program itself may set
// further bits of such a word (runtime_abi.h), and what takes them out need not look at all of the memory.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish {

class Scattered {
 public:
  // For [begin, end), or a little more.
  Scattered(std::uint64_t begin, std::uint64_t end, unsigned unit, std::uint64_t bytes);

  std::uint64_t begin() const { return base_; }
  std::uint64_t end() const { return base_ + (units_ << unit_); }
  std::uint64_t units() const { return units_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t* bits() const { return bits_.get(); }
  bool works() const { return bits_ != nullptr && used_ != nullptr; }  // there was memory for it

  bool covers(std::uint64_t begin, std::uint64_t end) const { return base_ <= begin && end <= this->end(); }
  bool fits(std::uint64_t numbers) const { return (numbers & ((std::uint64_t{1} << unit_) - 1)) == 0; }

  void add(std::uint64_t begin) {
    const std::uint64_t at = (begin - base_) >> unit_;
    set(at / 64, std::uint64_t{1} << at % 64);
  }
  void add_range(std::uint64_t begin, std::uint64_t end);

  // Tells of [begin, end) one after the other, and forgets them.
  template <class Each>
  void take(Each each) {
    sort_groups();
    std::uint64_t begin = 0, end = 0;
    for (const std::uint32_t group : groups_) {
      for (std::uint64_t used = std::exchange(used_[group], 0); used != 0; used &= used - 1) {
        const std::uint64_t word = std::uint64_t{group} * 64 + static_cast<unsigned>(std::countr_zero(used));
        for (std::uint64_t left = std::exchange(bits_[word], 0); left != 0;) {
          const int first = std::countr_zero(left), length = std::countr_one(left >> first);
          const std::uint64_t from = base_ + ((word * 64 + static_cast<unsigned>(first)) << unit_);
          const std::uint64_t to = from + (static_cast<std::uint64_t>(length - 1) << unit_) + bytes_;
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
  void set(std::uint64_t word, std::uint64_t bits) {
    if (bits_[word] == 0) {
      if (used_[word / 64] == 0) groups_.push_back(static_cast<std::uint32_t>(word / 64));
      used_[word / 64] |= std::uint64_t{1} << word % 64;
    }
    bits_[word] |= bits;
  }
  void sort_groups();

  struct Free {
    void operator()(std::uint64_t* bits) const { std::free(bits); }
  };
  std::uint64_t base_, units_;
  unsigned unit_;  // as a power of two
  std::uint64_t bytes_;
  using Words = std::unique_ptr<std::uint64_t[], Free>;
  static Words zeroes(std::uint64_t words);  // of which only those pages take memory that are used
  Words bits_, used_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace photofinish

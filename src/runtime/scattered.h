// What one place of the program touches here and there, within some memory: a bit for each unit of it.
//
// Rule: a set bit is an access of `bytes` that begins at its unit, or, if that is how much a unit has, a part of one. Addresses that are no multiple of
// the unit, or outside, are not for here. Setting a bit again costs nothing, and what comes out is in order, and joined.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
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
  const std::uint64_t* bits() const { return bits_.get(); }
  bool works() const { return bits_ != nullptr; }  // there was memory for it

  bool covers(std::uint64_t begin, std::uint64_t end) const { return base_ <= begin && end <= this->end(); }
  bool fits(std::uint64_t numbers) const { return (numbers & ((std::uint64_t{1} << unit_) - 1)) == 0; }

  void add(std::uint64_t begin) { set((begin - base_) >> unit_); }
  void add_range(std::uint64_t begin, std::uint64_t end);

  // Tells of [begin, end) one after the other, and forgets them.
  template <class Each>
  void take(Each each) {
    sort_words();
    std::uint64_t begin = 0, end = 0;
    for (const std::uint32_t word : words_) {
      std::uint64_t left = bits_[word];
      bits_[word] = 0;
      while (left != 0) {
        const int first = std::countr_zero(left), length = std::countr_one(left >> first);
        const std::uint64_t from = base_ + ((std::uint64_t{word} * 64 + static_cast<unsigned>(first)) << unit_);
        const std::uint64_t to = from + (static_cast<std::uint64_t>(length - 1) << unit_) + bytes_;
        if (from > end || end == 0) {
          if (end != 0) each(begin, end);
          begin = from;
        }
        end = to;
        if (first + length == 64) break;
        left &= ~std::uint64_t{0} << (first + length);
      }
    }
    if (end != 0) each(begin, end);
    words_.clear();
  }

 private:
  void set(std::uint64_t at) {
    std::uint64_t& word = bits_[at / 64];
    if (word == 0) words_.push_back(static_cast<std::uint32_t>(at / 64));
    word |= std::uint64_t{1} << at % 64;
  }
  void sort_words();

  struct Free {
    void operator()(std::uint64_t* bits) const { std::free(bits); }
  };
  std::uint64_t base_, units_;
  unsigned unit_;  // as a power of two
  std::uint64_t bytes_;
  std::unique_ptr<std::uint64_t[], Free> bits_;
  std::vector<std::uint32_t> words_;  // that have bits
};

}  // namespace photofinish

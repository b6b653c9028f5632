// A radix sort, lowest digit first, over the digits in which some addresses differ: three rounds
// for 64 GiB of doubles.
#include "memory/span_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

namespace photofinish {
namespace {

// Below this, a comparison sort is faster.
constexpr std::size_t kFew = 100;
// Large digits need fewer rounds, small ones fewer counters per round.
constexpr int kSmallDigit = 8, kLargeDigit = 11;
constexpr std::size_t kMany = 10'000;

struct Survey {
  bool ascending = true;
  bool descending = true;
  std::uint64_t differing = 0;  // the bits that differ between addresses
};

Survey survey(const std::vector<Span>& spans) {
  Survey result;
  std::uint64_t previous = spans.front().begin;
  for (const Span& span : spans) {
    result.ascending &= previous <= span.begin;
    result.descending &= previous >= span.begin;
    result.differing |= previous ^ span.begin;
    previous = span.begin;
  }
  return result;
}

// Copies all spans to `to`, ordered by the digit of `bits` bits above `shift`. Stable.
void distribute(const std::vector<Span>& from, std::vector<Span>& to, int shift, int bits) {
  const std::size_t digits = std::size_t{1} << bits;
  const auto digit = [&](const Span& span) { return span.begin >> shift & (digits - 1); };
  // First the number of spans with the digit, then the position of the next one.
  std::array<std::size_t, 1 << kLargeDigit> next;
  std::fill_n(next.begin(), digits, 0);
  for (const Span& span : from) ++next[digit(span)];
  std::exclusive_scan(next.begin(), next.begin() + digits, next.begin(), std::size_t{0});
  for (const Span& span : from) to[next[digit(span)]++] = span;
}

}  // namespace

void sort_by_begin(std::vector<Span>& spans, std::vector<Span>& scratch) {
  if (spans.empty()) return;
  const Survey found = survey(spans);
  if (found.ascending) return;
  if (found.descending) {
    std::ranges::reverse(spans);
    return;
  }
  if (spans.size() < kFew) {
    std::ranges::sort(spans, {}, &Span::begin);
    return;
  }
  scratch.resize(spans.size());
  const int bits = spans.size() < kMany ? kSmallDigit : kLargeDigit;
  for (std::uint64_t left = found.differing; left != 0;) {
    const int shift = std::countr_zero(left);
    distribute(spans, scratch, shift, bits);
    spans.swap(scratch);
    left = left >> shift >> bits << bits << shift;  // the bits above this digit
  }
}

}  // namespace photofinish

// Rule: two blocks share a byte if the one of `a` starts less than b.length bytes after and less
// than a.length bytes before the one of `b`. The start of a block of `a` is its offset plus some
// steps of each of its strides. With the blocks of `b` counted from the last one, the distance of
// two starts is a constant plus steps of all strides of both, all forward. So the question is
// whether some sum of steps, each size taken 0 to `most` times, falls into a window.
//
// Steps that need no choice are removed first. A size that divides another is joined with it if the
// two leave no holes (equal strides never do). A size that cannot jump over the window widens it.
// Two remaining sizes are decided by Euclid's algorithm on remainders. More are enumerated,
// starting with the size with the fewest candidates.
//
// Example: a = 4 bytes at 0, 8, 16, 24; b = 4 bytes at 4, 16, 28. The window is [-3, 3]. The starts
// 16 and 16 have distance 0: they overlap.
//
// Invariant: numbers are wide enough for sums of two int64 extents; nothing here can overflow.
#include "memory/overlap.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.h"

namespace photofinish {
namespace {

using std::int64_t;
using Wide = __int128;

struct Steps {
  int64_t size;
  Wide most;
};

// A footprint has fewer than 2^63 bytes, so at most 62 dimensions have a count above 1; one more
// for its elements.
constexpr std::size_t kMostSteps = 2 * 63;

struct Window {
  Wide low, high;  // inclusive
};

Window shifted(Window window, Wide by) { return {window.low + by, window.high + by}; }

Wide floor_divide(Wide a, Wide b) { return a / b - (a % b < 0); }
Wide ceiling_divide(Wide a, Wide b) { return a / b + (a % b > 0); }
Wide remainder(Wide a, Wide b) { return a - floor_divide(a, b) * b; }

// The smallest n >= 0 for which n * step, modulo `modulus`, lies in the window; 0 <= step <
// modulus, 0 <= low <= high.
std::optional<Wide> first_hit(Wide step, Wide modulus, Window window) {
  if (window.low == 0) return 0;
  if (step == 0) return std::nullopt;
  const Wide before_wrapping = ceiling_divide(window.low, step);
  if (before_wrapping * step <= window.high) return before_wrapping;
  // No multiple of step lies in the window. After w wraps the multiples have moved by -w * modulus:
  // the same problem again, modulo step.
  const auto wraps = first_hit(modulus % step, step,
                               {remainder(-window.high, step), remainder(-window.low, step)});
  if (!wraps) return std::nullopt;
  return ceiling_divide(modulus * *wraps + window.low, step);
}

// The range of counts of `steps` for which the others, which add 0 to `others`, can reach the
// window. May be empty.
Window tries(const Steps& steps, Wide others, Window window) {
  return {std::max<Wide>(0, ceiling_divide(window.low - others, steps.size)),
          std::min(steps.most, floor_divide(window.high, steps.size))};
}

// Between first and last, the inner steps start before the window ends and end after it starts.
// Whether they hit it or jump over it depends on the remainder only.
bool two_reach(const Steps& outer, const Steps& inner, Window window) {
  const auto [first, last] = tries(outer, inner.most * inner.size, window);
  if (first > last) return false;
  const Wide low = remainder(window.low - first * outer.size, inner.size);
  const Wide high = low + window.high - window.low;
  if (high >= inner.size) return true;
  const auto hit = first_hit(outer.size % inner.size, inner.size, {low, high});
  return hit && *hit <= last - first;
}

Wide reach(std::span<const Steps> steps) {
  Wide sum = 0;
  for (const Steps& each : steps) sum += each.most * each.size;
  return sum;
}

// Every sum is a multiple of the greatest common divisor of the sizes.
bool divisible_in(std::span<const Steps> steps, Window window) {
  int64_t divisor = 0;
  for (const Steps& each : steps) divisor = std::gcd(divisor, each.size);
  return floor_divide(window.high, divisor) >= ceiling_divide(window.low, divisor);
}

// Whether some sum of steps lies in the window. May reorder the steps.
bool reaches(std::span<Steps> steps, Window window) {
  const Wide most = reach(steps);
  if (window.high < 0 || window.low > most) return false;
  if (steps.empty()) return true;
  if (steps.size() == 1) {
    const auto [first, last] = tries(steps[0], 0, window);
    return first <= last;
  }
  if (steps.size() == 2) return two_reach(steps[1], steps[0], window);
  if (!divisible_in(steps, window)) return false;

  const auto count_of = [&](const Steps& each) {
    const auto [first, last] = tries(each, most - each.most * each.size, window);
    return last - first;
  };
  std::swap(steps.back(), *std::ranges::min_element(steps, {}, count_of));
  const Steps tried = steps.back();
  const auto [first, last] = tries(tried, most - tried.most * tried.size, window);
  for (Wide n = first; n <= last; ++n)
    if (reaches(steps.first(steps.size() - 1), shifted(window, -n * tried.size))) return true;
  return false;
}

// Joins two sizes if the larger is q times the smaller, and the smaller can be taken q - 1 times,
// so that no multiple is missing. Sizes are in ascending order, so the smaller one comes first.
std::span<Steps> joined(std::span<Steps> steps) {
  std::ranges::sort(steps, {}, &Steps::size);
  std::size_t kept = 0;
  for (const Steps each : steps) {
    const auto fits = [&](const Steps& smaller) {
      return each.size % smaller.size == 0 && each.size / smaller.size <= smaller.most + 1;
    };
    const auto smaller = std::ranges::find_if(steps.first(kept), fits);
    if (smaller != steps.begin() + kept)
      smaller->most += each.most * (each.size / smaller->size);
    else
      steps[kept++] = each;
  }
  return steps.first(kept);
}

// Removes the smallest sizes while they cannot jump over the window, and widens the window by them.
std::span<Steps> without_narrow(std::span<Steps> steps, Window& window) {
  while (!steps.empty() && steps.front().size <= window.high - window.low + 1) {
    window.low -= steps.front().most * steps.front().size;
    steps = steps.subspan(1);
  }
  return steps;
}

bool empty(const Strided& strided) {
  return strided.length <= 0 || std::ranges::any_of(strided.dimensions, [](const Dimension& each) {
           return each.count <= 0;
         });
}

int64_t last_start(const Strided& strided) {
  int64_t start = strided.offset;
  for (const Dimension& each : strided.dimensions) start += (each.count - 1) * each.stride;
  return start;
}

// Whether some block of `a` starts after some block of `b` by a distance in the window.
bool starts_in(const Strided& a, const Strided& b, Window window) {
  std::array<Steps, kMostSteps> storage;
  std::size_t size = 0;
  for (const Strided* strided : {&a, &b}) {
    for (const Dimension& each : strided->dimensions) {
      CHECK(each.stride >= 0);
      if (each.stride == 0 || each.count == 1) continue;
      CHECK(size < storage.size());
      storage[size++] = {each.stride, each.count - 1};
    }
  }
  window = shifted(window, Wide{last_start(b)} - a.offset);
  const std::span<Steps> steps = joined({storage.data(), size});
  return reaches(without_narrow(steps, window), window);
}

// The first block of `strided` that overlaps `other`. A prefix of the blocks is strided, too, and a
// longer prefix overlaps no less, so binary search finds the index.
Strided first_meeting(Strided strided, const Strided& other) {
  while (!strided.dimensions.empty()) {
    Dimension& outer = strided.dimensions.back();
    int64_t low = 0, high = outer.stride == 0 ? 0 : outer.count - 1;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      outer.count = middle + 1;
      if (overlap(strided, other))
        high = middle;
      else
        low = middle + 1;
    }
    strided.offset += low * outer.stride;
    strided.dimensions.pop_back();
  }
  return strided;
}

Strided in_elements(Strided strided, int64_t size) {
  strided.dimensions.push_back({strided.length / size, size});
  strided.length = size;
  return strided;
}

}  // namespace

bool overlap(const Strided& a, const Strided& b) {
  if (empty(a) || empty(b)) return false;
  if (a.dimensions.empty() && b.dimensions.empty())
    return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
  return starts_in(a, b, {1 - Wide{a.length}, Wide{b.length} - 1});
}

std::optional<ByteRange> common_bytes(const Strided& a, const Strided& b) {
  if (!overlap(a, b)) return std::nullopt;
  const Strided block_a = first_meeting(a, b);
  const Strided block_b = first_meeting(b, block_a);
  return ByteRange{std::max(block_a.offset, block_b.offset),
                   std::min(block_a.offset + block_a.length, block_b.offset + block_b.length)};
}

bool aligned_alike(const Strided& a, const Strided& b, int64_t size) {
  if (size <= 1 || a.length % size != 0 || b.length % size != 0 || empty(a) || empty(b))
    return true;
  const Strided elements_a = in_elements(a, size), elements_b = in_elements(b, size);
  return !starts_in(elements_a, elements_b, {1 - Wide{size}, -1}) &&
         !starts_in(elements_a, elements_b, {1, Wide{size} - 1});
}

}  // namespace photofinish

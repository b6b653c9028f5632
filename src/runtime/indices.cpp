#include "runtime/indices.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace photofinish {
namespace {

// Consecutive misses before read() declines, and how many times it declines then.
constexpr std::uint32_t kMissesMost = 8, kRefusals = 64;
// Up to this many bits per index, a bitmap is scanned instead of sorting.
constexpr std::uint64_t kSparse = 256;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15u;
  return a ^ a >> 29;
}

// Joins pieces in ascending order into rows.
class Rows {
 public:
  explicit Rows(std::vector<Pattern::Row>& rows) : rows_(rows) {}
  void add(std::uint64_t begin, std::uint64_t bytes) {
    if (!rows_.empty()) {
      Pattern::Row& last = rows_.back();
      if (last.bytes == bytes &&
          (last.rows == 1 || begin == last.begin + last.rows * last.stride)) {
        if (last.rows++ == 1) last.stride = begin - last.begin;
        return;
      }
    }
    rows_.push_back({begin, bytes, 1, 0});
  }

 private:
  std::vector<Pattern::Row>& rows_;
};

}  // namespace

Indices::Indices(const photofinish_index& index)
    : step_(index.step),
      bytes_(index.bytes & ~PHOTOFINISH_SIGNED),
      is_signed_((index.bytes & PHOTOFINISH_SIGNED) != 0),
      slots_(index.slots) {}

// Visits the indices in these slots of each step, step by step.
template <class Each>
void Indices::each_index(std::uint64_t slots, Each each) const {
  const auto read_as = [&]<class Number>(Number) {
    for (std::uint64_t left = slots; left != 0; left &= left - 1) {
      const std::uint8_t* at =
          first_ + static_cast<unsigned>(std::countr_zero(left)) * sizeof(Number);
      for (std::uint64_t i = 0; i < times_; ++i, at += step_) {
        Number number;
        std::memcpy(&number, at, sizeof number);
        each(static_cast<std::int64_t>(number));
      }
    }
  };
  switch (bytes_ * 2 + (is_signed_ ? 1 : 0)) {
    case 2:
      return read_as(std::uint8_t{});
    case 3:
      return read_as(std::int8_t{});
    case 4:
      return read_as(std::uint16_t{});
    case 5:
      return read_as(std::int16_t{});
    case 8:
      return read_as(std::uint32_t{});
    case 9:
      return read_as(std::int32_t{});
    default:
      return read_as(std::int64_t{});
  }
}

Digest Indices::digest() const {
  const auto used = static_cast<unsigned>(std::bit_width(slots_)) * bytes_;
  if (used >= step_ && std::has_single_bit(slots_ + 1))
    return digest_of(first_, (times_ - 1) * step_ + used);
  Digest digest{};
  each_index(slots_, [&](std::int64_t index) {
    digest[0] = mix(digest[0], static_cast<std::uint64_t>(index));
    digest[1] = mix(digest[1] + 1, static_cast<std::uint64_t>(index));
  });
  return digest;
}

bool Indices::read(const void* first, std::uint64_t times) {
  if (refuse_ != 0) {
    --refuse_;
    return false;
  }
  first_ = static_cast<const std::uint8_t*>(first);
  times_ = times;
  const Digest now = digest();
  const auto same = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) {
    return seen.times == times && seen.digest == now;
  });
  if (same != seen_.end()) {
    now_ = static_cast<std::size_t>(same - seen_.begin());
    misses_ = 0;
    return true;
  }
  now_ = (now_ + 1) % seen_.size();
  seen_[now_] = {now, times, {}};
  if (++misses_ <= kMissesMost) return true;
  refuse_ = kRefusals;
  return false;
}

const std::shared_ptr<const Pattern>& Indices::pattern(const Pattern::Key& key) {
  auto& patterns = seen_[now_].patterns;
  const auto known = std::find_if(patterns.begin(), patterns.end(),
                                  [&](const auto& one) { return one->key == key; });
  return known != patterns.end() ? *known : patterns.emplace_back(find(key));
}

std::shared_ptr<const Pattern> Indices::find(const Pattern::Key& key) const {
  auto pattern = std::make_shared<Pattern>();
  pattern->key = key;
  Rows rows(pattern->rows);
  // Adjacent elements are one piece if there is no gap between them.
  const auto add = [&](std::int64_t first, std::int64_t last) {
    const auto at = [&](std::int64_t index) {
      return static_cast<std::uint64_t>(index) * key.scale;
    };
    if (key.scale <= key.bytes) return rows.add(at(first), at(last) - at(first) + key.bytes);
    for (std::int64_t index = first; index <= last; ++index) rows.add(at(index), key.bytes);
  };
  std::int64_t low = INT64_MAX, high = INT64_MIN;
  std::uint64_t count = 0;
  each_index(key.slots, [&](std::int64_t index) {
    low = std::min(low, index);
    high = std::max(high, index);
    ++count;
  });
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  if (span != 0 && span / kSparse <= count) {
    std::vector<bool> touched(span);
    each_index(key.slots, [&](std::int64_t index) {
      touched[static_cast<std::uint64_t>(index - low)] = true;
    });
    for (std::uint64_t first = 0; first < span; ++first) {
      if (!touched[first]) continue;
      std::uint64_t last = first;
      while (last + 1 < span && touched[last + 1]) ++last;
      add(low + static_cast<std::int64_t>(first), low + static_cast<std::int64_t>(last));
      first = last + 1;
    }
  } else {
    std::vector<std::int64_t> sorted;
    sorted.reserve(count);
    each_index(key.slots, [&](std::int64_t index) { sorted.push_back(index); });
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t first = 0, next = 1; first < sorted.size(); first = next++) {
      while (next < sorted.size() && sorted[next] <= sorted[next - 1] + 1) ++next;
      add(sorted[first], sorted[next - 1]);
    }
  }
  pattern->low = static_cast<std::uint64_t>(low) * key.scale;
  pattern->high = static_cast<std::uint64_t>(high) * key.scale + key.bytes;
  return pattern;
}

}  // namespace photofinish

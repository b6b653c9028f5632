// The bytes of one access. Usually this is one range, which needs no allocation. Strided blocks of
// a derived datatype are shared by all accesses with the type, each with its own shift.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/data_map.h"

namespace photofinish {

using SharedFootprint = std::shared_ptr<const std::vector<Strided>>;

class Footprint {
 public:
  Footprint() = default;
  Footprint(std::int64_t offset, std::int64_t length) : shift_(offset), length_(length) {}
  Footprint(std::int64_t shift, SharedFootprint footprint)
      : shift_(shift), many_(std::move(footprint)) {
    if (many_ == nullptr || many_->size() != 1 || !many_->front().dimensions.empty()) return;
    shift_ += many_->front().offset;
    length_ = many_->front().length;
    many_ = nullptr;
  }
  explicit Footprint(std::vector<Strided> footprint)
      : Footprint(0, std::make_shared<const std::vector<Strided>>(std::move(footprint))) {}

  std::size_t size() const { return many_ != nullptr ? many_->size() : length_ > 0 ? 1 : 0; }
  bool empty() const { return size() == 0; }
  Strided operator[](std::size_t i) const {
    if (many_ == nullptr) return {shift_, length_, {}};
    Strided strided = (*many_)[i];
    strided.offset += shift_;
    return strided;
  }
  // From the first byte to one past the last.
  ByteRange bounds(std::size_t i) const {
    if (many_ == nullptr) return {shift_, shift_ + length_};
    const Strided& strided = (*many_)[i];
    std::int64_t last = shift_ + strided.offset + strided.length;
    for (const Dimension& dimension : strided.dimensions)
      last += (dimension.count - 1) * dimension.stride;
    return {shift_ + strided.offset, last};
  }
  void move_by(std::int64_t bytes) { shift_ += bytes; }

  // The representation: equal parts are equal bytes. `length` is that of a single range; `shared`
  // is null then.
  std::int64_t shift() const { return shift_; }
  std::int64_t length() const { return length_; }
  const SharedFootprint& shared() const { return many_; }

 private:
  std::int64_t shift_ = 0;
  std::int64_t length_ = 0;
  SharedFootprint many_;
};

}  // namespace photofinish

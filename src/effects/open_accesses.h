// The accesses of one pending operation that a front end stores itself, for example with a request.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/access.h"

namespace photofinish {

// Small: the common part of a site's accesses is shared.
struct OpenAccess {
  std::shared_ptr<const Access> like;  // everything except the following
  Timestamp begin = 0;
  std::int64_t shift = 0, length = 0;  // as in Footprint
  std::uint64_t serial = 0;
  std::uint32_t part = 0;
  bool reachable = false;

  Access access() const {
    Access whole = *like;
    whole.begin = begin;
    whole.serial = serial;
    whole.part = part;
    whole.reachable = reachable;
    if (whole.footprint.shared() == nullptr)
      whole.footprint = Footprint(shift, length);
    else
      whole.footprint.move_by(shift - whole.footprint.shift());
    return whole;
  }
};

// Usually has one element.
class OpenAccesses {
 public:
  void add(OpenAccess access) {
    if (first_.like == nullptr && more_ == nullptr) {
      first_ = std::move(access);
      return;
    }
    if (more_ == nullptr) more_ = std::make_unique<std::vector<OpenAccess>>();
    more_->push_back(std::move(access));
  }
  // Null: absent, or complete.
  OpenAccess* at(std::size_t index) {
    OpenAccess* const found = index == 0                                   ? &first_
                              : more_ != nullptr && index <= more_->size() ? &(*more_)[index - 1]
                                                                           : nullptr;
    return found != nullptr && found->like != nullptr ? found : nullptr;
  }
  template <class Visit>
  void each(Visit visit) {
    if (first_.like != nullptr) visit(first_);
    if (more_ == nullptr) return;
    for (OpenAccess& access : *more_)
      if (access.like != nullptr) visit(access);
  }
  // The same as accesses; what the visitor changes is stored.
  template <class Visit>
  void each_access(Visit visit) {
    each([&](OpenAccess& open) {
      Access access = open.access();
      visit(access);
      open.serial = access.serial;
      open.reachable = access.reachable;
    });
  }
  void clear() { *this = {}; }

 private:
  OpenAccess first_;
  std::unique_ptr<std::vector<OpenAccess>> more_;
};

}  // namespace photofinish

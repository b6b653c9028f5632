// Many accesses in few bytes: how they wait for the end of their period, and how they travel.
//
// Rule: each is written as what differs from the last one of the same place and kind (its model):
// as a rule a few bytes for its timestamp and its position. Reading keeps the same models and hands
// out each access from there, so that neither side copies or allocates anything for one that is
// like its model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/access.h"

namespace photofinish {

class AccessList {
 public:
  void add(const Access& access);
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::size_t footprint() const { return footprint_; }  // of all of them
  // In memory, of the list.
  std::size_t memory_bytes() const { return bytes_.capacity() + models_.size() * sizeof(Access); }
  // Gives back what only adding needs; who adds more nevertheless may.
  void finish() {
    models_ = {};
    last_ = 0;
    bytes_.shrink_to_fit();
  }

  class Reader {
   public:
    explicit Reader(const AccessList& list)
        : next_(list.bytes_.data()), end_(next_ + list.bytes_.size()) {}
    // The next one, until the next call; null at the end, or where the bytes mean nothing.
    const Access* next();

   private:
    const char* next_;
    const char* end_;
    std::vector<Access> models_;
  };

 private:
  template <class A>
  friend void describe(A& a, AccessList& d) {
    a(d.count_, d.footprint_, d.bytes_);
  }

  std::uint64_t count_ = 0, footprint_ = 0;
  std::string bytes_;
  // For adding.
  std::vector<Access> models_;
  std::size_t replace_ = 0;  // the model that makes room for a new one
  std::size_t last_ = 0;     // that was used
};

}  // namespace photofinish

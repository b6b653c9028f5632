// A compact list of accesses: the form in which they are stored until the end of their period, and
// sent.
//
// Each access is encoded as its difference from the last access of the same site and kind, its
// model. The difference is usually a few bytes, for the timestamp and the displacement. The reader
// maintains the same models and returns accesses from them. So neither side copies or allocates for
// an access that is like its model.
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
  std::size_t footprint() const { return footprint_; }  // total of all accesses
  // Bytes that the list itself uses.
  std::size_t memory_bytes() const { return bytes_.capacity() + models_.size() * sizeof(Access); }
  // Frees what only add() needs. add() may still be called afterwards.
  void finish() {
    models_ = {};
    last_ = 0;
    bytes_.shrink_to_fit();
  }

  class Reader {
   public:
    explicit Reader(const AccessList& list)
        : next_(list.bytes_.data()), end_(next_ + list.bytes_.size()) {}
    // The next access, valid until the next call. Null at the end, or if the bytes are invalid.
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
  // For add():
  std::vector<Access> models_;
  std::size_t replace_ = 0;  // the model that a new one replaces
  std::size_t last_ = 0;     // model used last
};

}  // namespace photofinish

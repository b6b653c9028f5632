// Inserts the hooks of runtime_abi.h into a function.
#pragma once

#include "compiler/gcc/ranges.h"
#include "compiler/gcc/unit.h"

namespace photofinish::gcc {

class Hooks {
 public:
  explicit Hooks(Unit& unit) : unit_(unit) {}

  void add(const Access& access, int region);
  void add(const Range& range, const Access& access, int region);
  // Hooks of atomic operations, of OpenMP sections and regions.
  void add_synchronization(gimple* call);
  // At the end of `block`: whether to run the version with hooks.
  tree checked_at(basic_block block, int region);

 private:
  struct Bytes {  // the arguments of a range hook
    tree address, bytes, rows, stride, planes, plane_stride;
    std::uint64_t how;
  };
  void add_range(gimple_stmt_iterator at, gimple_seq sequence, const Bytes& bytes,
                 location_t location, int region);
  void add_call(const Access& access, int region);
  tree load_number(gimple_seq* sequence, tree reference);

  Unit& unit_;
};

// Where a report says that the access is.
location_t location_of(gimple* statement);

}  // namespace photofinish::gcc

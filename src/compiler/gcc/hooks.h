// Inserts the hooks of runtime_abi.h into a function.
#pragma once

#include "compiler/gcc/gathers.h"
#include "compiler/gcc/unit.h"

namespace photofinish::gcc {

class Hooks {
 public:
  explicit Hooks(Unit& unit) : unit_(unit) {}

  // Whether hooks in loops set bits of their site without a call. Such a hook is larger.
  void set_bits_inline(bool on) { sets_bits_ = on; }
  // `mask`: a byte, zero while the access needs no hook; null: it always does.
  void add(const Access& access, int region, tree mask = nullptr);
  void add(const Range& range, const Access& access, int region);
  // Reports the accesses through indices in front of `loop`, unless its region runs without hooks.
  // Returns a mask for the hooks of these accesses.
  tree add(const std::vector<const Gather*>& rows, class loop* loop, int region);
  // Hooks of atomic operations, of OpenMP sections and regions.
  void add_synchronization(gimple* call);
  // At the end of `block`: whether to run the version with hooks.
  tree checked_at(basic_block block, int region);

 private:
  struct Bytes {  // the arguments of a range hook
    tree address, bytes, rows, stride, planes, plane_stride;
    std::uint64_t how;
    tree condition = nullptr;
  };
  basic_block set_bit(basic_block cold, tree address, unsigned unit, tree& site);
  tree add_row(gimple_seq* sequence, const Gather& row, int region);
  tree checked_by(gimple_seq* sequence, int region);
  void add_range(gimple_stmt_iterator at, gimple_seq sequence, const Bytes& bytes,
                 location_t location, int region);
  void add_call(const Access& access, int region);
  tree load_number(gimple_seq* sequence, tree reference);

  Unit& unit_;
  bool sets_bits_ = false;
};

// Where a report says that the access is.
location_t location_of(gimple* statement);

}  // namespace photofinish::gcc

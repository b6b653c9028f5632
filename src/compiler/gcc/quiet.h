// Whether a call may reach MPI, and so advance the timestamp of the task. Any call may, unless the
// unit shows that it cannot. Also the kinds of OpenMP regions.
#pragma once

#include "compiler/gcc/gcc.h"

namespace photofinish::gcc {

class QuietCalls {
 public:
  // Reads the call graph before interprocedural optimization, when it is complete.
  void find();
  // Atomic operations and fences are not quiet: accesses stay on their side.
  bool is_quiet(const gimple* statement) const;
  bool is_quiet(basic_block block) const;
  bool is_quiet(class loop* loop) const;
  // PHOTOFINISH_REGION_…, of an outlined function.
  std::uint64_t region_of(tree outlined) const;

 private:
  static std::uint64_t reached_by(cgraph_node* node);

  std::set<unsigned> quiet_;  // functions that the unit defines, by DECL_UID
  std::map<unsigned, std::uint64_t> regions_;
};

}  // namespace photofinish::gcc

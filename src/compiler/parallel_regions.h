// Whether a thread of an OpenMP parallel region can call MPI, as far as one module shows.
//
// Rule: the functions that a region can reach are those that its outlined function names, called or
// not (tasks and nested regions are passed by address), and so on. One MPI call among them:
// Communicates. A call of something that the module does not define, and that is neither the OpenMP
// runtime's nor a C library function that cannot lead to MPI: Unknown. Else Quiet.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <vector>

namespace photofinish::compiler {

struct ParallelRegion {
  llvm::CallBase* fork = nullptr;
  std::uint64_t kind = 0;  // PHOTOFINISH_REGION_…
};
std::vector<ParallelRegion> parallel_regions(llvm::Function& function);

}  // namespace photofinish::compiler

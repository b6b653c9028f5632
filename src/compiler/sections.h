// OpenMP sections: where each one begins and ends.
//
// Rule: clang and flang make a loop over the numbers of the sections that a thread gets from
// __kmpc_for_static_init, around a switch with one case for each. Before anything is optimized, the
// switch and the block behind its cases are marked: by an empty piece of assembly, which moves and
// is copied with the code around it, lets no access pass, and does nothing if it is left.
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace photofinish::compiler {

void mark_sections(llvm::Function& function);
// PHOTOFINISH_SECTION_BEGIN or PHOTOFINISH_SECTION_END; 0: the call is none of these marks.
std::uint64_t section_mark(const llvm::CallInst& call);

}  // namespace photofinish::compiler

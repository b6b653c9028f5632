// What the files of Instrumenter share: the fields of the structures in runtime_abi.h as indices
// for generated code, and where a phi goes.
#pragma once

#include <llvm/IR/Instructions.h>

namespace photofinish::compiler {

enum StateField : unsigned {
  kGate,
  kLow,
  kHigh,
  kAccess,
  kRange,
  kIndices,
  kGather,
  kLoaded,
  kStored,
  kAhead,
  kBehind,
  kCheck,
  kSeenThread,
  kKnownLoads,
  kSeen,
  kSynchronize,
  kRegion,
  kAtomic
};
enum SeenField : unsigned { kSeenBegin, kSeenBytes, kSeenDistance, kSeenChecked };
enum SiteField : unsigned { kThread, kBase, kUnits, kBits };

// In front of all other phis, and of the debug records that follow them.
inline llvm::PHINode* first_phi(llvm::Type* type, const llvm::Twine& name,
                                llvm::BasicBlock& block) {
  llvm::PHINode* phi = llvm::PHINode::Create(type, 2, name);
  phi->insertInto(&block, block.begin());
  return phi;
}

}  // namespace photofinish::compiler

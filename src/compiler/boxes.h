// The bounds of what a loop may access, known in front of it. They include accesses that depend on
// tests in the loop, so they are too large rather than too small. While no reachable memory lies in
// them, the copy of the loop without hooks runs (copies.h).
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <optional>
#include <utility>
#include <vector>

namespace llvm {
class SCEVExpander;
}

namespace photofinish::compiler {

class BoxFinder {
 public:
  // Addresses, from the first byte to one past the last.
  struct Box {
    const llvm::SCEV *low = nullptr, *high = nullptr;
  };

  BoxFinder(llvm::ScalarEvolution& evolution, llvm::LoopInfo& loops)
      : evolution_(evolution), loops_(loops) {}

  // The box of an access in `block`, in all iterations of `outermost`. If its address is not known,
  // that of the variable that it is in.
  std::optional<Box> find(const llvm::BasicBlock& block, const llvm::SCEV* address,
                          std::uint64_t bytes, const llvm::Loop& outermost);
  // The same for a range of bytes, in front of a loop inside.
  std::optional<Box> find(const llvm::BasicBlock& block, Box range, const llvm::Loop& outermost);

 private:
  enum class End : bool { Low, High };
  const llvm::SCEV* bound(const llvm::SCEV* value, const llvm::Loop& loop, End end);
  std::optional<Box> variable_of(const llvm::SCEV* address);

  llvm::ScalarEvolution& evolution_;
  llvm::LoopInfo& loops_;
};

// Few boxes that cover all of these: those at a constant distance from each other are one.
std::vector<BoxFinder::Box> joined(std::vector<BoxFinder::Box> boxes,
                                   llvm::ScalarEvolution& evolution);

// Their values at the given instruction, as pairs; none if they cannot be computed there.
std::optional<std::vector<std::pair<llvm::Value*, llvm::Value*>>> expand(
    const std::vector<BoxFinder::Box>& boxes, llvm::SCEVExpander& expander,
    llvm::Instruction* before);

}  // namespace photofinish::compiler

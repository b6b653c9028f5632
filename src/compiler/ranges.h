// Turns accesses that a loop repeats at evenly spaced addresses into one range in front of the
// loop.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>

#include <map>
#include <optional>

#include "compiler/accesses.h"

namespace llvm {
class SCEVExpander;
}

namespace photofinish::compiler {

// `bytes` at `address`, repeated `rows` times at distance `stride`, and all that `planes` times at
// distance `plane_stride`. Null rows: once.
struct Range {
  llvm::Instruction* before = nullptr;  // all values are available here, in front of the loops
  const llvm::SCEV* address = nullptr;
  const llvm::SCEV* bytes = nullptr;
  struct Dimension {
    const llvm::SCEV* count = nullptr;
    const llvm::SCEV* stride = nullptr;
  };
  std::vector<Dimension> dimensions;
  // The range holds only if all these loop-invariant tests inside the loops have the given outcome.
  std::vector<std::pair<llvm::Value*, bool>> conditions;
  // Tests that may differ between iterations, if the caller asked for them. An iteration makes the
  // access only if they have the given outcome.
  std::vector<std::pair<llvm::Value*, bool>> varying;
  std::size_t loops = 0;
};

// Restores empty preheaders, which late optimizations remove and ranges need. Call it before
// anything is collected from the function: it may replace instructions.
void simplify_loops(llvm::Function& function, llvm::FunctionAnalysisManager& functions);
// Also establishes loop-closed SSA form: a value of a loop is used outside of it only through a phi
// in an exit block. Copying a loop rewrites just those phis, so a value kept for a hook stays
// valid. SCEVExpander preserves the form.
void normalize_loops(llvm::Function& function, llvm::FunctionAnalysisManager& functions);

// The conditional branch that the block is an arm of, and which arm; null: none.
std::pair<const llvm::BranchInst*, const llvm::BasicBlock*> arm_of(const llvm::BasicBlock* block);

class RangeFinder {
 public:
  RangeFinder(llvm::ScalarEvolution& evolution, llvm::LoopInfo& loops,
              llvm::DominatorTree& dominators, const QuietCalls& quiet)
      : evolution_(evolution), loops_(loops), dominators_(dominators), quiet_(quiet) {}

  // A range of the given number of bytes; none if the access keeps its own hook.
  std::optional<Range> find(const llvm::BasicBlock& block, const llvm::SCEV* address,
                            std::uint64_t bytes);
  // As rows of the given number of bytes, contiguous or not. Leaves only loops for which `allows`
  // returns no objection.
  std::optional<Range> find_rows(const llvm::BasicBlock& block, const llvm::SCEV* address,
                                 std::uint64_t bytes,
                                 llvm::function_ref<const char*(const llvm::Loop&)> allows);
  // The range of all accesses in the whole loop, in front of it. Requires that the loop terminates
  // whatever it loads. `varying`: tests in the loop may differ between iterations.
  std::optional<Range> find_all_of(const llvm::BasicBlock& block, const llvm::SCEV* address,
                                   std::uint64_t bytes, const llvm::Loop& loop,
                                   bool varying = false);
  // Why the last access asked for stays in a loop; null: it is in no loop, or in front of all.
  const char* reason() const { return reason_; }

  // Whether nothing in the loop can reach MPI.
  bool is_quiet(const llvm::Loop& loop);
  // The number of executions of the block each time the loop is entered; null if unknown.
  const llvm::SCEV* executions(const llvm::BasicBlock* block, const llvm::Loop& loop);
  llvm::LoopInfo& loops() { return loops_; }
  llvm::DominatorTree& dominators() { return dominators_; }

 private:
  std::optional<Range> find(const llvm::BasicBlock& block, const llvm::SCEV* address,
                            std::uint64_t bytes, bool as_rows,
                            llvm::function_ref<const char*(const llvm::Loop&)> allows);
  bool comes_before_exits(const llvm::BasicBlock* block, const llvm::Loop& loop) const;
  bool leave_tests(Range& range, const llvm::BasicBlock*& block, const llvm::Loop& loop);
  const char* widen(Range& range, const llvm::BasicBlock* block, const llvm::Loop& loop,
                    llvm::SCEVExpander& expander, bool as_rows);
  bool continues(Range& range, const llvm::SCEV* count, const llvm::SCEV* stride, bool as_rows);

  llvm::ScalarEvolution& evolution_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  const QuietCalls& quiet_;
  std::map<const llvm::Loop*, bool> quiet_loops_;
  const char* reason_ = nullptr;
  bool tests_vary_ = false;
};

}  // namespace photofinish::compiler

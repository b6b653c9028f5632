// Accesses that a loop repeats at evenly spaced addresses: one range in front of it.
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

// `bytes` at `address`, rows times, stride apart; all that planes times, plane_stride apart. Null
// rows: once.
struct Range {
  llvm::Instruction* before = nullptr;  // where all of it is known, and the loops have not begun
  const llvm::SCEV* address = nullptr;
  const llvm::SCEV* bytes = nullptr;
  struct Dimension {
    const llvm::SCEV* count = nullptr;
    const llvm::SCEV* stride = nullptr;
  };
  std::vector<Dimension> dimensions;
  // Only if all of these are what they should be: tests inside the loops that come out the same in
  // every iteration.
  std::vector<std::pair<llvm::Value*, bool>> conditions;
  // And in each iteration only if these are: tests that may come out differently, where they were
  // asked for.
  std::vector<std::pair<llvm::Value*, bool>> varying;
  std::size_t loops = 0;
};

// The last optimizations remove empty blocks in front of loops; ranges need them. Must run before
// anything is collected from the function: it may replace instructions.
void simplify_loops(llvm::Function& function, llvm::FunctionAnalysisManager& functions);
// Also brings the function into loop-closed SSA form: a value of a loop is used outside of it only
// through a phi in an exit block. Copying a loop rewrites just those phis. So a value that is kept
// for a hook stays right when loops are copied before the hook is inserted. (SCEVExpander preserves
// the form.)
void normalize_loops(llvm::Function& function, llvm::FunctionAnalysisManager& functions);

class RangeFinder {
 public:
  RangeFinder(llvm::ScalarEvolution& evolution, llvm::LoopInfo& loops,
              llvm::DominatorTree& dominators, const QuietCalls& quiet)
      : evolution_(evolution), loops_(loops), dominators_(dominators), quiet_(quiet) {}

  // Of so many bytes, known before; nothing if the access stays where it is.
  std::optional<Range> find(const llvm::BasicBlock& block, const llvm::SCEV* address,
                            std::uint64_t bytes);
  // As rows of so many bytes, one behind the other or not; only out of loops of which `allows` says
  // no reason against it.
  std::optional<Range> find_rows(const llvm::BasicBlock& block, const llvm::SCEV* address,
                                 std::uint64_t bytes,
                                 llvm::function_ref<const char*(const llvm::Loop&)> allows);
  // Of all that the loop makes of it, in front of the loop; and only if that ends whatever it
  // finds. `varying`: all tests in it may come out differently in each iteration.
  std::optional<Range> find_all_of(const llvm::BasicBlock& block, const llvm::SCEV* address,
                                   std::uint64_t bytes, const llvm::Loop& loop,
                                   bool varying = false);
  // Why the last one that was asked for stays, or went no further; null: it is in no loop, or in
  // front of all.
  const char* reason() const { return reason_; }

  // Nothing in it can move the task on.
  bool is_quiet(const llvm::Loop& loop);

 private:
  std::optional<Range> find(const llvm::BasicBlock& block, const llvm::SCEV* address,
                            std::uint64_t bytes, bool as_rows,
                            llvm::function_ref<const char*(const llvm::Loop&)> allows);
  const llvm::SCEV* executions(const llvm::BasicBlock* block, const llvm::Loop& loop);
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

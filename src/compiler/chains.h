// Rows of indices that continue each other: the inner loop of a sparse matrix in compressed rows
// reads index[k] for k from start[row] to start[row + 1]. The rows of all iterations of the outer
// loop are then one row, which can be read in front of it.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/ranges.h"

namespace photofinish::compiler {

// Why memory that `load` reads cannot be read in front of the loop instead; null: it can.
const char* changes_in(const llvm::Loop& loop, const llvm::LoadInst& load,
                       llvm::ScalarEvolution& evolution, llvm::AAResults& aliases);

struct Chain {
  const llvm::Loop* outer = nullptr;
  llvm::Instruction* before = nullptr;                  // in front of the outer loop
  const llvm::SCEV *first = nullptr, *times = nullptr;  // the row of one iteration
  // Where a row begins: a load, or a phi of the outer loop. It ends where the next one begins,
  // which `end_load` reads. Null: all rows have the same length, and there are `count`.
  llvm::Instruction* begin = nullptr;
  const llvm::SCEV* first_begin = nullptr;  // address of the first begin, if it is a load
  const llvm::SCEV* end = nullptr;
  llvm::LoadInst* end_load = nullptr;
  const llvm::SCEV* last_end = nullptr;  // address of the last end
  bool is_signed = true;
  const llvm::SCEV* count = nullptr;
  // The chain holds only if each of these numbers fits into so many bits. Index expressions in
  // Fortran may wrap as far as the compiler knows.
  std::vector<std::pair<const llvm::SCEV*, unsigned>> fitting;
  // Loads in the outer loop that read the same value in each iteration, each behind those that its
  // address needs. They are made only if some row has an index.
  std::vector<llvm::LoadInst*> constants;
};

class ChainFinder {
 public:
  ChainFinder(llvm::ScalarEvolution& evolution, llvm::AAResults& aliases, RangeFinder& ranges)
      : evolution_(evolution), aliases_(aliases), ranges_(ranges) {}

  // `row`: the indices that one execution of the inner loop reads; `index`: the load that does.
  std::optional<Chain> find(const llvm::Loop& inner, const Range& row, const llvm::LoadInst& index);
  // Whether the value is the same in all iterations of the outer loop.
  bool is_constant(Chain& chain, const llvm::SCEV* value) const;

  // The values of a chain and of `bases`, in front of the outer loop.
  struct Expanded {
    llvm::Value *first = nullptr, *times = nullptr;
    std::vector<llvm::Value*> bases;
  };
  Expanded expand(const Chain& chain, const std::vector<const llvm::SCEV*>& bases,
                  llvm::SCEVExpander& expander) const;

 private:
  bool add_constant(Chain& chain, llvm::LoadInst* load) const;
  bool split(Chain& chain) const;
  bool chain_of_loads(Chain& chain, const llvm::Loop& inner) const;
  bool chain_of_equals(Chain& chain, const llvm::Loop& inner, std::uint64_t step) const;
  template <class Accepts>
  bool has_guards(const llvm::Loop& inner, const llvm::Loop& outer, Accepts accepts) const;
  llvm::Value* times_of(const Chain& chain, llvm::SCEVExpander& expander,
                        llvm::ValueToSCEVMapTy& values) const;

  llvm::ScalarEvolution& evolution_;
  llvm::AAResults& aliases_;
  RangeFinder& ranges_;
};

}  // namespace photofinish::compiler

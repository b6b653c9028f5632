// Accesses of a loop through an index array, a[index[i]]. Reading the indices in front of the loop
// gives all addresses that the loop accesses.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>

#include "compiler/chains.h"
#include "compiler/instrument.h"
#include "compiler/ranges.h"

namespace photofinish::compiler {

class GatherFinder {
 public:
  GatherFinder(llvm::ScalarEvolution& evolution, llvm::AAResults& aliases, RangeFinder& ranges)
      : evolution_(evolution),
        aliases_(aliases),
        ranges_(ranges),
        chains_(evolution, aliases, ranges) {}

  // The row of indices, among those that `expand` makes, that gives the addresses of `piece` at
  // `address`.
  struct Found {
    std::size_t row = 0, loops = 0;
    bool is_chain = false;  // the rows of the inner loop continue each other
  };
  std::optional<Found> find(const Instrumenter::Piece& piece, const llvm::SCEV* address,
                            const llvm::Loop* loop);
  // Only the values, as for ranges: no hooks yet.
  std::vector<Instrumenter::Gathers> expand(llvm::SCEVExpander& expander) const;

 private:
  // One access at base + scale * index.
  struct Through {
    llvm::LoadInst* index = nullptr;
    const llvm::SCEV* base = nullptr;
    std::uint64_t scale = 1;
    bool is_signed = false;
  };
  struct Row {
    llvm::Instruction* before = nullptr;
    const llvm::SCEV *first = nullptr, *times = nullptr;  // of a chain: of one of its rows
    std::uint64_t step = 0, bytes = 0;
    bool is_signed = false;
    std::optional<Chain> chain;
    struct Access {
      std::int64_t offset = 0;  // of its index, from `first`
      const llvm::SCEV* base = nullptr;
      std::uint64_t scale = 1;
      Instrumenter::Piece piece;
    };
    std::vector<Access> accesses;
  };
  std::optional<Through> through(const llvm::SCEV* address, const llvm::Loop& loop) const;
  Instrumenter::Gathers expand(const Row& row, llvm::SCEVExpander& expander) const;

  llvm::ScalarEvolution& evolution_;
  llvm::AAResults& aliases_;
  RangeFinder& ranges_;
  ChainFinder chains_;
  std::vector<Row> rows_;
};

}  // namespace photofinish::compiler

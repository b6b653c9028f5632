// The lines of strict regions, from the rewriter (upc/strict_regions.h).
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/upc/pointers.h"

namespace photofinish::compiler::upc {

class StrictLines {
 public:
  explicit StrictLines(const llvm::Module& module) {
    using namespace llvm;
    const auto* table = module.getGlobalVariable("__upc_strict_regions", true);
    if (table == nullptr || !table->hasInitializer()) return;
    StringRef text = cast<ConstantDataSequential>(table->getInitializer())->getAsCString();
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      Region region;
      if (!line.consumeInteger(10, region.first) && line.consume_front(" ") &&
          !line.consumeInteger(10, region.last) && line.consume_front(" ")) {
        region.file = line.str();
        regions_.push_back(region);
      }
      text = rest;
    }
  }

  bool contains(const llvm::Instruction& instruction) const {
    const llvm::DILocation* at = instruction.getDebugLoc().get();
    if (at == nullptr) return false;
    for (const Region& one : regions_)
      if (at->getLine() >= one.first && at->getLine() <= one.last &&
          Pointers::file_of(*at) == one.file)
        return true;
    return false;
  }

 private:
  struct Region {
    unsigned first = 0, last = 0;
    std::string file;
  };
  std::vector<Region> regions_;
};

}  // namespace photofinish::compiler::upc

// Reports the accesses of loop nests in front of the nest, before vectorization. Vectorization
// splits an inner loop into several ones, selected by tests that differ for each row. Its accesses
// are then no longer evenly spaced in the outer loops.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <map>
#include <vector>

#include "compiler/instrument.h"
#include "compiler/relevance.h"

namespace photofinish::compiler {

// Marks each such range with a call that optimizations leave in place, and marks its accesses as
// reported.
void report_nests(llvm::Function& function, const Relevance& relevance, const QuietCalls& quiet,
                  llvm::FunctionAnalysisManager& functions);

// The ranges that report_nests has left in the module. Removes the marker calls.
class ReportedNests {
 public:
  explicit ReportedNests(llvm::Module& module);

  bool is_reported(const llvm::Instruction& access) const;
  const std::vector<Instrumenter::Expanded>& ranges_of(const llvm::Function& function) const;

 private:
  const llvm::MDNode* reported_ = nullptr;
  std::map<const llvm::Function*, std::vector<Instrumenter::Expanded>> ranges_;
};

}  // namespace photofinish::compiler

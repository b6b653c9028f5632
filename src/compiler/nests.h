// What loops inside loops touch, told in front of them before they are vectorized: behind that, an
// inner loop is several, chosen by tests that come out differently for each row, and its accesses
// no longer are evenly spaced ones of the loops around.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <map>
#include <vector>

#include "compiler/instrument.h"
#include "compiler/relevance.h"

namespace photofinish::compiler {

// Puts the place of each such range into the function as a call that the optimizations leave alone,
// and says of the accesses that they are told.
void report_nests(llvm::Function& function, const Relevance& relevance, const QuietCalls& quiet,
                  llvm::FunctionAnalysisManager& functions);

// What report_nests has left in the module, without its calls.
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

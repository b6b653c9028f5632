// The pass that pfupcc loads: UPC in the form that src/upc writes becomes C.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

#include "compiler/upc/lower.h"
#include "compiler/upc/statics.h"

namespace photofinish::compiler::upc {
namespace {

using namespace llvm;

// The runtime has main: it starts MPI, creates shared memory, then calls the program's.
void rename_main(Module& module) {
  Function* main = module.getFunction("main");
  if (main != nullptr && !main->isDeclaration()) main->setName("__upc_main");
}

// What the rewriter told the pass.
void remove_notes(Module& module) {
  std::vector<GlobalVariable*> notes;
  for (GlobalVariable& variable : module.globals()) {
    const StringRef name = variable.getName();
    if (name.starts_with("__upc_layout_") || name == "__upc_strict_regions" ||
        name == "__upc_static_threads")
      notes.push_back(&variable);
  }
  removeFromUsedLists(module,
                      [&](Constant* one) { return is_contained(notes, one->stripPointerCasts()); });
  for (GlobalVariable* variable : notes) variable->eraseFromParent();
}

struct LowerUpc : PassInfoMixin<LowerUpc> {
  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    replace_statics(module);
    // From here on no instruction names a shared variable.
    lower(module);
    // From here on pointers to shared memory are only computed, stored and passed.
    rename_main(module);
    remove_notes(module);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace
}  // namespace photofinish::compiler::upc

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  using namespace llvm;
  return {LLVM_PLUGIN_API_VERSION, "photofinish-upc", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](ModulePassManager& passes, auto...) {
              passes.addPass(photofinish::compiler::upc::LowerUpc());
            });
          }};
}

// Rule: a product that may be contracted with a sum (fused multiply-add) is moved in front of its
// only use, if both are in one block. Code generation contracts only within a block, and a fused
// operation rounds once. A hook between the two would split the block, and the program would
// compute other bits than without the pass.
//
//   %p = fmul contract double %a, %b         %y = load double, ptr %q      ; its hook splits the
//   block %y = load double, ptr %q           ->    %p = fmul contract double %a, %b %s = fadd
//   contract double %p, %y         %s = fadd contract double %p, %y
//
// Only its order in the block changes. A product with several uses is never contracted, by neither
// build. Negations between the two move along.
#include "compiler/contraction.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace photofinish::compiler {

using namespace llvm;

void keep_contractions(Function& function) {
  const auto moves = [](const Instruction& instruction) {
    return (instruction.getOpcode() == Instruction::FMul ||
            instruction.getOpcode() == Instruction::FNeg) &&
           cast<FPMathOperator>(instruction).hasAllowContract() && instruction.hasOneUse();
  };
  for (BasicBlock& block : function) {
    // From the end: what a negation uses follows it.
    for (Instruction* one = block.getTerminator(); one != nullptr;) {
      Instruction* const before = one->getPrevNode();
      if (moves(*one)) {
        auto* user = cast<Instruction>(*one->user_begin());
        if (user->getParent() == &block && !isa<PHINode>(user) && one->getNextNode() != user)
          one->moveBefore(user);
      }
      one = before;
    }
  }
}

}  // namespace photofinish::compiler

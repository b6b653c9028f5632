#include "compiler/copies.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace photofinish::compiler {

using namespace llvm;

bool can_be_copied(const Function& function) {
  // Arguments that cannot be handed on as they are, and places that are known by their address.
  if (function.isVarArg() || function.hasFnAttribute(Attribute::ReturnsTwice) ||
      function.isPresplitCoroutine())
    return false;
  for (const Argument& argument : function.args())
    if (argument.hasByValAttr() || argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() ||
        argument.hasSwiftErrorAttr())
      return false;
  for (const BasicBlock& block : function)
    if (block.hasAddressTaken()) return false;
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallInst>(&instruction);
    if (call != nullptr && (call->isMustTailCall() || call->canReturnTwice())) return false;
  }
  return true;
}

bool may_be_without_tests(const Function& function, const QuietCalls& quiet) {
  return can_be_copied(function) &&
         all_of(instructions(function),
                [&](const Instruction& instruction) { return quiet.is_quiet(instruction); });
}

Function* copy_of(Function& function, const char* suffix) {
  ValueToValueMapTy map;
  Function* copy = CloneFunction(&function, map);
  copy->setName(function.getName() + suffix);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDSOLocal(true);
  // Where a linker drops all but one of equal functions, their copies go along.
  copy->setComdat(function.getComdat());
  return copy;
}

void choose_at_entry(Function& function, Function& copy, function_ref<Value*(Instruction*)> stays) {
  // Variables have their place in the frame only in the first block.
  BasicBlock& entry = function.getEntryBlock();
  std::vector<AllocaInst*> variables;
  for (Instruction& instruction : entry)
    if (auto* variable = dyn_cast<AllocaInst>(&instruction);
        variable != nullptr && isa<ConstantInt>(variable->getArraySize()))
      variables.push_back(variable);
  for (AllocaInst* variable : variables) variable->moveBefore(&*entry.getFirstInsertionPt());

  Instruction* first = &*entry.getFirstNonPHIOrDbgOrAlloca();
  Value* goes = IRBuilder<>(first).CreateNot(stays(first));
  Instruction* otherwise = SplitBlockAndInsertIfThen(goes, first, true);
  IRBuilder<> builder(otherwise);
  if (DISubprogram* subprogram = function.getSubprogram())
    builder.SetCurrentDebugLocation(
        DILocation::get(function.getContext(), subprogram->getScopeLine(), 0, subprogram));
  SmallVector<Value*> arguments;
  SmallVector<AttributeSet> attributes;
  for (Argument& argument : function.args()) {
    arguments.push_back(&argument);
    attributes.push_back(function.getAttributes().getParamAttrs(argument.getArgNo()));
  }
  CallInst* call = builder.CreateCall(function.getFunctionType(), &copy, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(AttributeList::get(function.getContext(), AttributeSet(),
                                         function.getAttributes().getRetAttrs(), attributes));
  call->setTailCall();
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  otherwise->eraseFromParent();
}

BasicBlock* choose_at_loop(Loop& loop, LoopInfo& loops, DominatorTree& dominators,
                           ValueToValueMapTy& map, function_ref<Value*(Instruction*)> stays) {
  // What is used behind the loop goes through the blocks that it is left to.
  formLCSSARecursively(loop, dominators, &loops, nullptr);
  BasicBlock* choice = loop.getLoopPreheader();
  BasicBlock* before = SplitBlock(choice, choice->getTerminator(), &dominators, &loops);
  SmallVector<BasicBlock*> blocks;
  Loop* copy = cloneLoopWithPreheader(before, choice, &loop, map, ".without_tests", &loops,
                                      &dominators, blocks);
  remapInstructionsInBlocks(blocks, map);
  const auto copied = [&](Value* value) -> Value* {
    const auto found = map.find(value);
    return found != map.end() ? static_cast<Value*>(found->second) : value;
  };
  SmallVector<BasicBlock*> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits)
    for (PHINode& phi : exit->phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
        if (loop.contains(phi.getIncomingBlock(i)))
          phi.addIncoming(copied(phi.getIncomingValue(i)),
                          cast<BasicBlock>(copied(phi.getIncomingBlock(i))));
  Instruction* end = choice->getTerminator();
  BranchInst::Create(before, copy->getLoopPreheader(), stays(end), end);
  end->eraseFromParent();
  dominators.recalculate(*choice->getParent());
  return before;
}

}  // namespace photofinish::compiler

#include "compiler/copies.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace photofinish::compiler {

using namespace llvm;

namespace {

// The assembler accepts a label only once. Numbers ("1:") are local labels, and ${:uid} differs in
// each copy.
bool defines_label(const InlineAsm& code) {
  if (StringRef(code.getAsmString()).contains("${:uid}")) return false;
  SmallVector<StringRef> statements;
  SplitString(code.getAsmString(), statements, "\n;");
  return any_of(statements, [](StringRef statement) {
    statement = statement.trim();
    const StringRef name =
        statement.take_while([](char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; });
    return !name.empty() && !isDigit(name.front()) &&
           statement.drop_front(name.size()).ltrim().starts_with(":");
  });
}

bool can_be_copied(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr) return true;
  const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand());
  return !call->cannotDuplicate() && (code == nullptr || !defines_label(*code));
}

}  // namespace

bool can_be_copied(const Function& function) {
  // Excludes functions whose arguments cannot be forwarded, and blocks whose address is taken.
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
    if (!can_be_copied(instruction)) return false;
  }
  return true;
}

bool can_be_copied(const Loop& loop) {
  if (loop.getLoopPreheader() == nullptr || !loop.isSafeToClone()) return false;
  // A token cannot be an operand of a phi where the two copies meet.
  const auto leaves = [&](const Instruction& instruction) {
    return instruction.getType()->isTokenTy() && any_of(instruction.users(), [&](const User* user) {
             return !loop.contains(cast<Instruction>(user));
           });
  };
  return all_of(loop.blocks(), [&](const BasicBlock* block) {
    return all_of(*block, [&](const Instruction& instruction) {
      return can_be_copied(instruction) && !leaves(instruction);
    });
  });
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
  // The linker discards the copy together with its function.
  copy->setComdat(function.getComdat());
  return copy;
}

namespace {

// The copy has a DISubprogram of its own, because a DISubprogram belongs to one function. Static
// variables are described in the original only. This adds a second description of each to the copy.
void describe_statics(Function& function, Function& copy) {
  DISubprogram *from = function.getSubprogram(), *to = copy.getSubprogram();
  if (from == nullptr || to == nullptr || from == to) return;
  // Lexical blocks of the copy, by their source position.
  DenseMap<std::pair<unsigned, unsigned>, DIScope*> blocks;
  for (const Instruction& instruction : instructions(copy))
    for (const DILocation* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt())
      for (DIScope* scope = at->getScope(); scope != nullptr && scope != to;
           scope = scope->getScope())
        if (auto* block = dyn_cast<DILexicalBlock>(scope))
          blocks[{block->getLine(), block->getColumn()}] = block;
  const auto scope_in_copy = [&](DIScope* scope) -> DIScope* {
    DIScope* found = nullptr;
    for (; scope != nullptr && scope != from; scope = scope->getScope())
      if (auto* block = dyn_cast<DILexicalBlock>(scope); block != nullptr && found == nullptr)
        found = blocks.lookup({block->getLine(), block->getColumn()});
    if (scope != from) return nullptr;  // belongs to another function or to none
    return found != nullptr ? found : to;
  };
  SmallVector<Metadata*> all;
  for (DIGlobalVariableExpression* one : to->getUnit()->getGlobalVariables()) all.push_back(one);
  const std::size_t before = all.size();
  for (GlobalVariable& global : function.getParent()->globals()) {
    SmallVector<DIGlobalVariableExpression*, 2> descriptions;
    global.getDebugInfo(descriptions);
    for (DIGlobalVariableExpression* one : descriptions) {
      DIScope* scope = scope_in_copy(one->getVariable()->getScope());
      if (scope == nullptr) continue;
      auto* variable = MDNode::replaceWithDistinct(one->getVariable()->clone());
      variable->replaceOperandWith(0, scope);
      auto* described =
          DIGlobalVariableExpression::get(function.getContext(), variable, one->getExpression());
      global.addDebugInfo(described);
      all.push_back(described);
    }
  }
  if (all.size() > before)
    to->getUnit()->replaceGlobalVariables(MDTuple::get(function.getContext(), all));
}

}  // namespace

void choose_at_entry(Function& function, Function& copy, function_ref<Value*(Instruction*)> stays) {
  describe_statics(function, copy);
  // Static allocas must be in the entry block.
  BasicBlock& entry = function.getEntryBlock();
  std::vector<AllocaInst*> variables;
  for (Instruction& instruction : entry)
    if (auto* variable = dyn_cast<AllocaInst>(&instruction);
        variable != nullptr && isa<ConstantInt>(variable->getArraySize()))
      variables.push_back(variable);
  for (AllocaInst* variable : variables) variable->moveBefore(&*entry.getFirstInsertionPt());

  // The branch has no line. A breakpoint on the function is then set behind it, and does not stop
  // both here and in the copy.
  DebugLoc nowhere;
  if (DISubprogram* subprogram = function.getSubprogram())
    nowhere = DILocation::get(function.getContext(), 0, 0, subprogram);
  Instruction* first = &*entry.getFirstNonPHIOrDbgOrAlloca();
  SmallPtrSet<Instruction*, 32> before;
  for (Instruction& instruction : entry) before.insert(&instruction);
  Value* goes = IRBuilder<>(first).CreateNot(stays(first));
  for (Instruction& instruction : entry)
    if (!before.contains(&instruction)) instruction.setDebugLoc(nowhere);
  Instruction* otherwise = SplitBlockAndInsertIfThen(goes, first, true);
  entry.getTerminator()->setDebugLoc(nowhere);
  IRBuilder<> builder(otherwise);
  builder.SetCurrentDebugLocation(nowhere);
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
  // Values used behind the loop pass through phis in its exit blocks.
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

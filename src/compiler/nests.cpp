// Reported accesses belong to an access group. That is the only metadata that vectorized code
// inherits and that has no effect unless a loop names the group. If an optimization drops it, or
// merges a reported access with another one, the access gets a second hook: no access is missed.
#include "compiler/nests.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/gathers.h"
#include "compiler/neighbors.h"
#include "compiler/ranges.h"
#include "compiler/remarks.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {

constexpr const char* kGroup = "photofinish.told";
constexpr const char* kLocation = "__photofinish_nest";

MDNode* group_of(Module& module) {
  NamedMDNode* known = module.getOrInsertNamedMetadata(kGroup);
  if (known->getNumOperands() == 0) known->addOperand(MDNode::getDistinct(module.getContext(), {}));
  return known->getOperand(0);
}

// Writes only inaccessible memory: optimizations keep the call in place, and it blocks none of
// them.
Function* location_function(Module& module) {
  if (Function* known = module.getFunction(kLocation)) return known;
  LLVMContext& context = module.getContext();
  Type* i64 = Type::getInt64Ty(context);
  auto* type = FunctionType::get(
      Type::getVoidTy(context),
      {PointerType::getUnqual(context), i64, i64, i64, i64, i64, i64, Type::getInt1Ty(context)},
      false);
  Function* made = Function::Create(type, GlobalValue::ExternalLinkage, kLocation, module);
  made->setOnlyAccessesInaccessibleMemory();
  made->setDoesNotThrow();
  made->setWillReturn();
  made->addFnAttr(Attribute::NoCallback);
  made->addFnAttr(Attribute::NoFree);
  made->addFnAttr(Attribute::NoMerge);
  made->addFnAttr(Attribute::NoSync);
  made->addParamAttr(0, Attribute::NoCapture);
  made->addParamAttr(0, Attribute::ReadNone);
  return made;
}

void put_location(const Instrumenter::Expanded& range, Module& module) {
  IRBuilder<> builder(range.before);
  builder.SetCurrentDebugLocation(range.location);
  const auto count = [&](int i) -> Value* {
    return range.counts[i] != nullptr ? range.counts[i] : builder.getInt64(1);
  };
  const auto stride = [&](int i) -> Value* {
    return range.strides[i] != nullptr ? range.strides[i] : builder.getInt64(0);
  };
  builder.CreateCall(location_function(module),
                     {range.address, range.bytes, count(0), stride(0), count(1), stride(1),
                      builder.getInt64(range.how),
                      range.condition != nullptr ? range.condition : builder.getTrue()});
}

bool is_plain(const MemoryAccess& access) {
  const auto* load = dyn_cast<LoadInst>(access.instruction);
  const auto* store = dyn_cast<StoreInst>(access.instruction);
  const bool simple = load != nullptr ? load->isSimple() : store != nullptr && store->isSimple();
  return simple && access.bytes != 0 && access.bytes <= PHOTOFINISH_SPAN;
}

// Rows of indices that continue each other are found only in loops that are not unrolled.
void keep_whole_if_chain(const Instrumenter::Piece& piece, const SCEV* address, LoopInfo& loops,
                         GatherFinder& gathers) {
  Loop* const loop = loops.getLoopFor(piece.first->getParent());
  if (const auto found = gathers.find(piece, address, loop); found && found->is_chain)
    for (Loop* one : {loop, loop->getParentLoop()})
      addStringMetadataToLoop(one, "llvm.loop.unroll.disable", 1);
}

}  // namespace

void report_nests(Function& function, const Relevance& relevance, const QuietCalls& quiet,
                  FunctionAnalysisManager& functions) {
  LoopInfo& loops = functions.getResult<LoopAnalysis>(function);
  if (all_of(loops, [](const Loop* loop) { return loop->isInnermost(); })) return;
  simplify_loops(function, functions);
  std::vector<MemoryAccess> inside;
  for (const MemoryAccess& access : find_accesses(function))
    if (is_plain(access) && loops.getLoopDepth(access.instruction->getParent()) > 1 &&
        relevance.irrelevant(access) == nullptr)
      inside.push_back(access);
  if (inside.empty()) return;
  auto& evolution = functions.getResult<ScalarEvolutionAnalysis>(function);
  RangeFinder finder(evolution, functions.getResult<LoopAnalysis>(function),
                     functions.getResult<DominatorTreeAnalysis>(function), quiet);
  SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "pf");
  Remarks remarks(functions.getResult<OptimizationRemarkEmitterAnalysis>(function));
  GatherFinder gathers(evolution, functions.getResult<AAManager>(function), finder);
  std::vector<Instrumenter::Expanded> ranges;
  for (const auto& check : join_neighbors(inside, quiet, evolution)) {
    const SCEV* base = evolution.getSCEV(check.base);
    std::vector<Range> of_pieces;
    for (const auto& piece : check.pieces) {
      const SCEV* address = evolution.getAddExpr(
          base, evolution.getConstant(evolution.getEffectiveSCEVType(base->getType()),
                                      static_cast<std::uint64_t>(piece.offset), true));
      const auto range = finder.find(*check.before->getParent(), address, piece.bytes);
      if (!range) keep_whole_if_chain(piece, address, loops, gathers);
      if (!range || range->loops < 2) break;  // analyzed after vectorization
      of_pieces.push_back(*range);
    }
    if (of_pieces.size() < check.pieces.size()) continue;
    for (std::size_t i = 0; i < of_pieces.size(); ++i) {
      const auto& piece = check.pieces[i];
      ranges.push_back(Instrumenter::expand(of_pieces[i], expander, piece.how, piece.location));
      remarks.hoisted(
          {piece.first, check.base, piece.bytes, {}, (piece.how & PHOTOFINISH_WRITES) != 0},
          of_pieces[i].loops);
    }
    for (Instruction* access : check.accesses)
      access->setMetadata(LLVMContext::MD_access_group,
                          uniteAccessGroups(access->getMetadata(LLVMContext::MD_access_group),
                                            group_of(*function.getParent())));
  }
  for (const auto& range : ranges) put_location(range, *function.getParent());
  if (!ranges.empty()) functions.invalidate(function, PreservedAnalyses::none());
}

ReportedNests::ReportedNests(Module& module) {
  if (NamedMDNode* group = module.getNamedMetadata(kGroup)) {
    reported_ = group->getOperand(0);
    group->eraseFromParent();
  }
  Function* location = module.getFunction(kLocation);
  if (location == nullptr) return;
  const auto is_location = [&](const Instruction& instruction) {
    const auto* call = dyn_cast<CallInst>(&instruction);
    return call != nullptr && call->getCalledFunction() == location;
  };
  std::vector<CallInst*> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      if (!is_location(instruction)) continue;
      auto& call = cast<CallInst>(instruction);
      Instruction* before = &instruction;
      while (is_location(*before)) before = before->getNextNode();
      const auto number = [&](unsigned argument) {
        return cast<ConstantInt>(call.getArgOperand(argument))->getZExtValue();
      };
      Instrumenter::Expanded range;
      range.before = before;
      range.address = call.getArgOperand(0);
      range.bytes = call.getArgOperand(1);
      for (const unsigned i : {0U, 1U}) {
        range.counts[i] = call.getArgOperand(2 + 2 * i);
        range.strides[i] = call.getArgOperand(3 + 2 * i);
      }
      range.how = number(6);
      range.condition = call.getArgOperand(7);
      range.location = location_of(call);
      ranges_[&function].push_back(range);
      calls.push_back(&call);
    }
  for (CallInst* call : calls) call->eraseFromParent();
  location->eraseFromParent();
}

bool ReportedNests::is_reported(const Instruction& access) const {
  if (reported_ == nullptr) return false;
  const MDNode* groups = access.getMetadata(LLVMContext::MD_access_group);
  if (groups == nullptr) return false;
  return groups == reported_ ||
         any_of(groups->operands(), [&](const MDOperand& one) { return one.get() == reported_; });
}

const std::vector<Instrumenter::Expanded>& ReportedNests::ranges_of(
    const Function& function) const {
  static const std::vector<Instrumenter::Expanded> kNone;
  const auto found = ranges_.find(&function);
  return found != ranges_.end() ? found->second : kNone;
}

}  // namespace photofinish::compiler

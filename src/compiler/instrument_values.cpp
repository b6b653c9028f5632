// Hooks of the copy of a function for recorded and replayed ranks: loaded and stored values pass
// through a hook, or the access is redirected to the rank's copy of the memory.
#include "compiler/instrument.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <bit>

#include "compiler/helpers.h"
#include "compiler/instrument_parts.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

Value* Instrumenter::without_values(Instruction* before, bool reaches_nothing) {
  IRBuilder<> builder(before);
  Value* alone = builder.CreateIsNull(builder.CreateLoad(pointer_, field(builder, kLoaded)));
  if (!reaches_nothing) return alone;
  return builder.CreateOr(alone,
                          builder.CreateIsNull(builder.CreateLoad(i64_, field(builder, kHigh))));
}

Value* Instrumenter::ahead_of(const Expanded& range, Instruction* before) {
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(range.location);
  const Borders borders = borders_of(builder, range);
  Value *one = ConstantInt::get(i64_, 1), *zero = ConstantInt::get(i64_, 0);
  const auto or_else = [](Value* value, Value* otherwise) {
    return value != nullptr ? value : otherwise;
  };
  Value* bytes = builder.CreateOr(range.bytes, ConstantInt::get(i64_, range.how));
  auto* hook = cast<Constant>(field(builder, kAhead));
  return builder.CreateCall(ahead_function(module_, hook),
                            {borders.meets, range.address, bytes, or_else(range.counts[0], one),
                             or_else(range.strides[0], zero), or_else(range.counts[1], one),
                             or_else(range.strides[1], zero)});
}

void Instrumenter::move_behind(Instruction& access, Value* distance) {
  IRBuilder<> builder(&access);
  const unsigned at = isa<LoadInst>(access) ? LoadInst::getPointerOperandIndex()
                                            : StoreInst::getPointerOperandIndex();
  Value* behind = builder.CreateGEP(i8_, access.getOperand(at), distance);
  Instruction* moved = &access;
  if (isa<StoreInst>(access)) {
    moved = access.clone();
    moved->insertAfter(&access);
  }
  // Metadata about the original memory need not hold for the copy.
  moved->dropUnknownNonDebugMetadata();
  moved->setOperand(at, behind);
  if (auto* load = dyn_cast<LoadInst>(moved))
    load->setAlignment(Align(1));
  else
    cast<StoreInst>(moved)->setAlignment(Align(1));
}

Instrumenter::Seen Instrumenter::seen_behind(Value* base, bool writes, std::uint64_t bytes,
                                             Instruction* before) {
  IRBuilder<> builder(before);
  auto* hook = cast<Constant>(field(builder, kBehind));
  Value* marked = is_marked(builder, base);
  Value* seen = builder.CreateCall(behind_function(module_, hook),
                                   {marked, base, builder.getInt64(writes ? 1 : 0)});
  const auto of_seen = [&](SeenField index, Type* type) {
    return builder.CreateLoad(type, builder.CreateStructGEP(seen_type_, seen, index));
  };
  // An address range that wraps around, from the end of reachable memory to its beginning. Accesses
  // in it need no check and stay in place.
  Value *low = builder.CreateLoad(i64_, field(builder, kLow)),
        *high = builder.CreateLoad(i64_, field(builder, kHigh));
  Value* others = builder.CreateSub(
      low, builder.CreateBinaryIntrinsic(Intrinsic::umax, high, builder.getInt64(1)));
  auto* all_checked = ConstantDataArray::get(context_, ArrayRef<std::uint8_t>({1, 1}));
  if (always_checked_ == nullptr)
    always_checked_ =
        new GlobalVariable(module_, all_checked->getType(), true, GlobalValue::PrivateLinkage,
                           all_checked, "__photofinish_looked");
  Value* all = builder.CreateSelect(marked, of_seen(kSeenBytes, i64_), others);
  return {
      builder.CreateSelect(marked, of_seen(kSeenBegin, i64_), high),
      builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, all, builder.getInt64(bytes - 1)),
      of_seen(kSeenDistance, i64_),
      builder.CreateSelect(marked, of_seen(kSeenChecked, pointer_), always_checked_),
      builder.CreateSelect(marked, builder.getInt64(PHOTOFINISH_BLOCK_BITS), builder.getInt64(63)),
      bytes};
}

void Instrumenter::move_behind_if_seen(Instruction& access, const Seen& seen) {
  const DebugLoc location = location_of(access);
  IRBuilder<> builder(&access);
  builder.SetCurrentDebugLocation(location);
  const bool loads = isa<LoadInst>(access);
  Value* address = access.getOperand(loads ? LoadInst::getPointerOperandIndex()
                                           : StoreInst::getPointerOperandIndex());
  Value* offset = builder.CreateSub(builder.CreatePtrToInt(address, i64_), seen.begin);
  Instruction *inside = nullptr, *outside = nullptr, *after = access.getNextNode();
  SplitBlockAndInsertIfThenElse(builder.CreateICmpULT(offset, seen.room), &access, &inside,
                                &outside, MDBuilder(context_).createBranchWeights(1 << 10, 1));
  Instruction* moved = access.clone();
  moved->insertBefore(inside);
  access.moveBefore(outside);
  if (loads) {
    PHINode* either = first_phi(access.getType(), "pf.either", *after->getParent());
    access.replaceAllUsesWith(either);
    either->addIncoming(moved, inside->getParent());
    either->addIncoming(&access, outside->getParent());
    builder.SetInsertPoint(moved);
    builder.SetCurrentDebugLocation(location);
    Value* checked = builder.CreateLoad(
        i8_, builder.CreateGEP(i8_, seen.checked, builder.CreateLShr(offset, seen.shift)));
    Instruction* check = cold_branch(builder.CreateIsNull(checked), moved);
    builder.SetInsertPoint(check);
    builder.SetCurrentDebugLocation(location);
    Function* function = check_function(module_, cast<Constant>(field(builder, kCheck)), has_avx_);
    builder.CreateCall(function, {address, builder.getInt64(seen.bytes)})
        ->setCallingConv(function->getCallingConv());
    either->setIncomingBlock(0, inside->getParent());
  }
  move_behind(*moved, seen.distance);
}

void Instrumenter::add_check_again(Instruction* before, const std::vector<Value*>& bases) {
  constexpr std::uint64_t kRounds = 1 << 16;
  Function& function = *before->getFunction();
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  Value* rounds = builder.CreateAlloca(i64_, nullptr, "pf.rounds");
  builder.CreateStore(builder.getInt64(0), rounds);
  builder.SetInsertPoint(before);
  Value* round = builder.CreateAdd(builder.CreateLoad(i64_, rounds), builder.getInt64(1));
  builder.CreateStore(round, rounds);
  builder.SetInsertPoint(
      cold_branch(builder.CreateIsNull(builder.CreateAnd(round, kRounds - 1)), before));
  auto* hook = cast<Constant>(field(builder, kBehind));
  for (Value* base : bases)
    builder.CreateCall(behind_function(module_, hook),
                       {is_marked(builder, base), base, builder.getInt64(0)});
}

// Returns the instruction in front of which the hook is called, if the value is not the one seen.
Instruction* Instrumenter::unless_seen(Value* value, Value* address, bool loads,
                                       Instruction* before) {
  IRBuilder<> builder(before);
  Value* at = builder.CreatePtrToInt(address, i64_);
  Value* slot =
      builder.CreateAnd(builder.CreateLShr(at, PHOTOFINISH_PAGE_BITS), PHOTOFINISH_SEEN_SIZE - 1);
  Value* entry = builder.CreateInBoundsGEP(seen_type_, field(builder, kSeen), slot);
  const auto of_entry = [&](SeenField index) {
    return builder.CreateLoad(i64_, builder.CreateStructGEP(seen_type_, entry, index));
  };
  Value* own = builder.CreateICmpEQ(
      builder.CreateLoad(i64_, field(builder, kSeenThread)),
      builder.CreatePtrToInt(builder.CreateIntrinsic(Intrinsic::thread_pointer, {}, {}), i64_));
  Value* inside =
      builder.CreateICmpULT(builder.CreateSub(at, of_entry(kSeenBegin)), of_entry(kSeenBytes));
  BasicBlock* head = before->getParent();
  BasicBlock* rest = head->splitBasicBlock(before);
  const auto new_block = [&] { return BasicBlock::Create(context_, "", head->getParent(), rest); };
  BasicBlock *check = new_block(), *report = new_block();
  MDNode* likely = MDBuilder(context_).createBranchWeights(1 << 20, 1);
  head->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(head);
  builder.CreateCondBr(builder.CreateAnd(own, inside), check, report, likely);
  builder.SetInsertPoint(check);
  Value* seen = builder.CreateGEP(i8_, address, of_entry(kSeenDistance));
  if (loads) {
    BasicBlock* known = new_block();
    builder.CreateCondBr(
        builder.CreateICmpEQ(builder.CreateAlignedLoad(value->getType(), seen, Align(1)), value),
        known, report, likely);
    builder.SetInsertPoint(known);
    Value* count = field(builder, kKnownLoads);
    builder.CreateStore(
        builder.CreateAdd(builder.CreateLoad(i64_, count), ConstantInt::get(i64_, 1)), count);
  } else {
    builder.CreateAlignedStore(value, seen, Align(1));
  }
  builder.CreateBr(rest);
  builder.SetInsertPoint(report);
  return builder.CreateBr(rest);
}

// void (ptr address, ptr value, i64 bytes): calls the hook if the page is marked and the value is
// not the one seen there.
Function* Instrumenter::value_function(bool loads, std::uint64_t bytes) {
  const std::string name =
      std::string("__photofinish_") + (loads ? "load_" : "store_") + std::to_string(bytes) + "_1";
  Function* function =
      register_keeping_function(module_, name, {pointer_, pointer_, i64_}, has_avx_);
  if (!function->empty()) return function;
  Value *address = function->getArg(0), *variable = function->getArg(1);
  IRBuilder<> builder(BasicBlock::Create(context_, "", function));
  Instruction* end = builder.CreateRetVoid();
  builder.SetInsertPoint(end);
  Instruction* marked = cold_branch(is_marked(builder, address), end);
  if (has_thread_pointer_ && bytes <= PHOTOFINISH_SEEN_ACCESS && std::has_single_bit(bytes)) {
    builder.SetInsertPoint(marked);
    Value* value = builder.CreateAlignedLoad(builder.getIntNTy(static_cast<unsigned>(8 * bytes)),
                                             variable, Align(1));
    marked = unless_seen(value, address, loads, marked);
  }
  builder.SetInsertPoint(marked);
  auto* hook = cast<Constant>(field(builder, loads ? kLoaded : kStored));
  Function* report =
      loads ? loaded_function(module_, hook, has_avx_) : stored_function(module_, hook, has_avx_);
  builder.CreateCall(report, {address, variable, function->getArg(2), location_of_call(builder)})
      ->setCallingConv(report->getCallingConv());
  return function;
}

// The value passes through memory. Unless the function has many accesses, only if the page is
// marked.
void Instrumenter::add_value(const MemoryAccess& access) {
  auto* load = dyn_cast<LoadInst>(access.instruction);
  auto* store = dyn_cast<StoreInst>(access.instruction);
  Type* type = load != nullptr ? load->getType() : store->getValueOperand()->getType();
  // Uses the current operand, not the recorded address: that may have been a load whose value the
  // hook has replaced.
  Value* address = load != nullptr ? load->getPointerOperand() : store->getPointerOperand();
  SmallVector<Use*> uses;
  if (load != nullptr)
    for (Use& use : load->uses()) uses.push_back(&use);
  Instruction* after = access.instruction->getNextNode();
  const DebugLoc location = location_of(*access.instruction);
  // One variable for all accesses of a type: one for each access would make frames large.
  AllocaInst*& variable = variables_[{after->getFunction(), type}];
  if (variable == nullptr)
    variable =
        new AllocaInst(type, module_.getDataLayout().getAllocaAddrSpace(), nullptr, "pf.value",
                       &*after->getFunction()->getEntryBlock().getFirstInsertionPt());
  IRBuilder<> builder(after);
  builder.SetCurrentDebugLocation(location);
  BasicBlock* head = after->getParent();
  if (!many_) builder.SetInsertPoint(cold_branch(is_marked(builder, address), after));
  builder.SetCurrentDebugLocation(location);
  builder.CreateStore(load != nullptr ? load : store->getValueOperand(), variable);
  Function* report = value_function(load != nullptr, access.bytes);
  builder.CreateCall(report, {address, variable, ConstantInt::get(i64_, access.bytes)})
      ->setCallingConv(report->getCallingConv());
  if (load == nullptr) return;
  Value* given = builder.CreateLoad(type, variable);
  if (!many_) {
    PHINode* value = first_phi(type, "pf.loaded", *after->getParent());
    value->addIncoming(load, head);
    value->addIncoming(given, builder.GetInsertBlock());
    given = value;
  }
  for (Use* use : uses) use->set(given);
}

}  // namespace photofinish::compiler

#include "compiler/instrument.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {
enum StateField : unsigned { kGate, kLow, kHigh, kAccess, kRange };
}

Instrumenter::Instrumenter(Module& module)
    : module_(module), context_(module.getContext()), i8_(Type::getInt8Ty(context_)), i64_(Type::getInt64Ty(context_)),
      pointer_(PointerType::getUnqual(context_)) {
  state_type_ = StructType::get(context_, {ArrayType::get(i8_, PHOTOFINISH_GATE_SIZE), i64_, i64_, pointer_, pointer_});
  site_type_ = ArrayType::get(i64_, sizeof(photofinish_site) / sizeof(std::uint64_t));
  Type* nothing = Type::getVoidTy(context_);
  access_hook_ = FunctionType::get(nothing, {pointer_, pointer_, i64_}, false);
  range_hook_ = FunctionType::get(nothing, {pointer_, pointer_, i64_, i64_, i64_, i64_, i64_}, false);
  // One for all objects of an executable or library: the linker keeps one of equal groups, and nobody outside sees it.
  state_ = new GlobalVariable(module, state_type_, false, GlobalValue::LinkOnceODRLinkage, Constant::getNullValue(state_type_), PHOTOFINISH_STATE);
  state_->setVisibility(GlobalValue::HiddenVisibility);
  state_->setDSOLocal(true);
  state_->setComdat(module.getOrInsertComdat(PHOTOFINISH_STATE));
  state_->setAlignment(Align(64));
}

Value* Instrumenter::field(IRBuilderBase& builder, unsigned index) { return builder.CreateStructGEP(state_type_, state_, index); }

Constant* Instrumenter::new_site() {
  auto* site = new GlobalVariable(module_, site_type_, false, GlobalValue::PrivateLinkage, Constant::getNullValue(site_type_), "__photofinish_site");
  site->setAlignment(Align(64));
  return site;
}

Value* Instrumenter::is_marked(IRBuilderBase& builder, Value* address) {
  Value* page = builder.CreateLShr(builder.CreatePtrToInt(address, i64_), PHOTOFINISH_PAGE_BITS);
  Value* slot = builder.CreateAnd(page, PHOTOFINISH_GATE_SIZE - 1);
  Value* mark = builder.CreateLoad(i8_, builder.CreateInBoundsGEP(i8_, state_, slot));
  return builder.CreateICmpNE(mark, ConstantInt::get(i8_, 0));
}

Instruction* Instrumenter::cold_branch(Value* condition, Instruction* before) {
  return SplitBlockAndInsertIfThen(condition, before, false, MDBuilder(context_).createBranchWeights(1, 1 << 20));
}

std::uint64_t how(const MemoryAccess& access) { return (access.writes ? PHOTOFINISH_WRITES : 0) | (access.releases ? PHOTOFINISH_RELEASES : 0); }

void Instrumenter::add(const Check& check) {
  IRBuilder<> builder(check.before);
  builder.SetCurrentDebugLocation(check.pieces.front().place);
  const auto at = [&](std::int64_t offset) {
    return offset == 0 ? check.base : builder.CreateGEP(i8_, check.base, ConstantInt::getSigned(i64_, offset));
  };
  Value* marked = is_marked(builder, at(check.pieces.front().offset));
  builder.SetInsertPoint(cold_branch(marked, check.before));
  Value* hook = builder.CreateLoad(pointer_, field(builder, kAccess));
  for (const Piece& piece : check.pieces) {
    builder.SetCurrentDebugLocation(piece.place);
    builder.CreateCall(access_hook_, hook, {new_site(), at(piece.offset), ConstantInt::get(i64_, piece.bytes | piece.how)});
  }
}

void Instrumenter::add(const MemoryAccess& access) {
  const DebugLoc place = access.instruction->getDebugLoc();
  if (access.bytes != 0 && access.bytes <= PHOTOFINISH_SPAN) {
    add(Check{access.instruction, access.address, {{0, access.bytes, how(access), place}}});
    return;
  }
  IRBuilder<> builder(access.instruction);
  Expanded range;
  range.before = access.instruction;
  range.address = access.address;
  range.bytes = access.bytes != 0 ? ConstantInt::get(i64_, access.bytes) : builder.CreateZExtOrTrunc(access.size, i64_);
  range.how = how(access);
  range.place = place;
  add(range);
}

Instrumenter::Expanded Instrumenter::expand(const Range& range, SCEVExpander& expander, const MemoryAccess& access) {
  LLVMContext& context = range.before->getContext();
  Type* i64 = Type::getInt64Ty(context);
  const auto value = [&](const SCEV* what) { return expander.expandCodeFor(what, i64, range.before); };
  Expanded made;
  made.before = range.before;
  made.address = expander.expandCodeFor(range.address, access.address->getType(), range.before);
  made.bytes = value(range.bytes);
  for (std::size_t i = 0; i < range.dimensions.size(); ++i) {
    made.counts[i] = value(range.dimensions[i].count);
    made.strides[i] = value(range.dimensions[i].stride);
  }
  made.how = photofinish::compiler::how(access);
  made.place = access.instruction->getDebugLoc();
  return made;
}

void Instrumenter::add(const Expanded& range) {
  IRBuilder<> builder(range.before);
  builder.SetCurrentDebugLocation(range.place);
  // From the first byte to behind the last, whichever way the strides go.
  Value* low = builder.CreatePtrToInt(range.address, i64_);
  Value* high = builder.CreateAdd(low, range.bytes);
  for (int i = 0; i < 2; ++i) {
    if (range.counts[i] == nullptr) continue;
    Value* span = builder.CreateMul(builder.CreateSub(range.counts[i], ConstantInt::get(i64_, 1)), range.strides[i]);
    Value* zero = ConstantInt::get(i64_, 0);
    Value* up = builder.CreateICmpSGT(span, zero);
    low = builder.CreateAdd(low, builder.CreateSelect(up, zero, span));
    high = builder.CreateAdd(high, builder.CreateSelect(up, span, zero));
  }
  Value* shared_high = builder.CreateLoad(i64_, field(builder, kHigh));
  Value* shared_low = builder.CreateLoad(i64_, field(builder, kLow));
  Value* meets = builder.CreateAnd(builder.CreateICmpULT(low, shared_high), builder.CreateICmpULT(shared_low, high));
  if ((range.how & PHOTOFINISH_RELEASES) != 0) meets = builder.CreateICmpNE(shared_high, ConstantInt::get(i64_, 0));  // how much, only malloc knows
  builder.SetInsertPoint(cold_branch(meets, range.before));
  builder.SetCurrentDebugLocation(range.place);
  Value* one = ConstantInt::get(i64_, 1);
  Value* zero = ConstantInt::get(i64_, 0);
  Value* bytes = range.how != 0 ? builder.CreateOr(range.bytes, ConstantInt::get(i64_, range.how)) : range.bytes;
  Value* hook = builder.CreateLoad(pointer_, field(builder, kRange));
  const auto or_else = [](Value* value, Value* otherwise) { return value != nullptr ? value : otherwise; };
  builder.CreateCall(range_hook_, hook,
                     {new_site(), range.address, bytes, or_else(range.counts[0], one), or_else(range.strides[0], zero),
                      or_else(range.counts[1], one), or_else(range.strides[1], zero)});
}

void Instrumenter::add_note(std::uint32_t found, std::uint32_t looked_at) {
  Type* i32 = Type::getInt32Ty(context_);
  std::string source = module_.getSourceFileName();
  source.resize((source.size() / 4 + 1) * 4);  // a zero at its end, and all of it in words
  Constant* name = ConstantDataArray::getString(context_, PHOTOFINISH_NOTE_NAME, true);
  Constant* text = ConstantDataArray::getString(context_, source, false);
  auto* type = StructType::get(context_, {i32, i32, i32, name->getType(), i32, i32, i32, text->getType()}, true);
  auto* note = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, nullptr, "__photofinish_note");
  note->setSection(PHOTOFINISH_NOTE_SECTION);
  note->setAlignment(Align(4));
  Constant* here = ConstantExpr::getInBoundsGetElementPtr(type, note, ArrayRef<Constant*>{ConstantInt::get(i32, 0), ConstantInt::get(i32, 4)});
  Constant* distance =
      ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(state_, i64_), ConstantExpr::getPtrToInt(here, i64_)), i32);
  const auto number = [&](std::uint64_t value) { return ConstantInt::get(i32, value); };
  note->setInitializer(ConstantStruct::get(type, {number(sizeof PHOTOFINISH_NOTE_NAME), number(12 + source.size()), number(PHOTOFINISH_ABI), name,
                                                  distance, number(found), number(looked_at), text}));
  appendToUsed(module_, {note});
}

}  // namespace photofinish::compiler

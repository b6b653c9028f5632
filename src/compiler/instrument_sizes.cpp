// Hooks of accesses whose size is known only at run time: strings, arrays with a descriptor, and
// vectors with a mask.
#include "compiler/instrument.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/helpers.h"
#include "compiler/instrument_parts.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {

// The instruction after the return of a call.
Instruction* behind(Instruction& call) {
  if (auto* invoke = dyn_cast<InvokeInst>(&call))
    return SplitEdge(invoke->getParent(), invoke->getNormalDest())->getTerminator();
  return call.getNextNode();
}

template <class Body>
void for_each_lane(ElementCount lanes, Instruction* before, const DebugLoc& location, Body body) {
  LLVMContext& context = before->getContext();
  Type* i64 = Type::getInt64Ty(context);
  if (!lanes.isScalable()) {
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(location);
    for (unsigned i = 0; i < lanes.getFixedValue(); ++i) body(builder, ConstantInt::get(i64, i));
    return;
  }
  BasicBlock* head = before->getParent();
  BasicBlock* rest = head->splitBasicBlock(before);
  BasicBlock* loop = BasicBlock::Create(context, "", head->getParent(), rest);
  head->getTerminator()->setSuccessor(0, loop);
  IRBuilder<> builder(loop);
  builder.SetCurrentDebugLocation(location);
  PHINode* index = builder.CreatePHI(i64, 2);
  body(builder, index);
  Value* next = builder.CreateAdd(index, ConstantInt::get(i64, 1));
  Value* all = builder.CreateVScale(ConstantInt::get(i64, lanes.getKnownMinValue()));
  builder.CreateCondBr(builder.CreateICmpULT(next, all), loop, rest);
  index->addIncoming(ConstantInt::get(i64, 0), head);
  index->addIncoming(next, loop);
}

}  // namespace

Value* Instrumenter::common(IRBuilderBase& builder, Value* a, Value* b, Value* limit) {
  Value* most =
      limit != nullptr ? builder.CreateSExtOrTrunc(limit, i64_) : ConstantInt::getSigned(i64_, -1);
  return builder.CreateCall(common_function(module_), {a, b, most});
}

Value* Instrumenter::bytes_of(IRBuilderBase& builder, const MemoryAccess& access) {
  if (access.bytes != 0) return ConstantInt::get(i64_, access.bytes);
  const auto [kind, a, b, c] = access.extent;
  Value *zero = ConstantInt::get(i64_, 0), *one = ConstantInt::get(i64_, 1);
  const auto unless_null = [&](Value* pointer, Value* otherwise) {
    return builder.CreateSelect(builder.CreateIsNull(pointer), otherwise, pointer);
  };
  switch (kind) {
    case Extent::Bytes: {
      Value* bytes = builder.CreateZExtOrTrunc(a, i64_);
      return b != nullptr ? builder.CreateMul(bytes, builder.CreateZExtOrTrunc(b, i64_)) : bytes;
    }
    case Extent::Scalable:
      return builder.CreateVScale(cast<Constant>(a));
    case Extent::Lanes:
      return builder.CreateMul(a, builder.CreateAddReduce(builder.CreateZExt(
                                      b, VectorType::get(i64_, cast<VectorType>(b->getType())))));
    case Extent::String:
      return common(builder, a, b, c);
    case Extent::Returned: {
      Value* number = builder.CreateSExtOrTrunc(a, i64_);
      number = builder.CreateSelect(builder.CreateICmpSGT(number, zero), number, zero);
      return b != nullptr ? builder.CreateMul(number, builder.CreateZExtOrTrunc(b, i64_)) : number;
    }
    case Extent::Found: {
      Value* distance =
          builder.CreateSub(builder.CreatePtrToInt(a, i64_), builder.CreatePtrToInt(b, i64_));
      Value* all =
          c != nullptr ? builder.CreateZExtOrTrunc(c, i64_) : common(builder, b, b, nullptr);
      return builder.CreateSelect(builder.CreateIsNull(a), all, builder.CreateAdd(distance, one));
    }
    case Extent::ReturnedString: {  // a null pointer reads nothing
      Value* string = unless_null(a, access.address);
      return common(
          builder, string, string,
          builder.CreateSelect(builder.CreateIsNull(a), zero, ConstantInt::getSigned(i64_, -1)));
    }
    case Extent::Printed: {
      Value* number = builder.CreateSExtOrTrunc(a, i64_);
      Value* bytes = builder.CreateAdd(number, one);
      if (b != nullptr) {
        Value* most = builder.CreateZExtOrTrunc(b, i64_);
        bytes = builder.CreateSelect(builder.CreateICmpULT(bytes, most), bytes, most);
      }
      return builder.CreateSelect(builder.CreateICmpSLT(number, zero), zero, bytes);
    }
    case Extent::Assigned: {
      Value* assigned = builder.CreateICmpSGT(builder.CreateSExtOrTrunc(a, i64_), b);
      if (c != nullptr) return builder.CreateSelect(assigned, c, zero);
      return common(builder, access.address, access.address,
                    builder.CreateSelect(assigned, ConstantInt::getSigned(i64_, -1), zero));
    }
    case Extent::Array:
    case Extent::ArrayThen:
      break;  // the descriptor has the size
  }
  return zero;
}

// The size is unknown in front of the check. An access that begins behind all reachable memory does
// not meet it.
void Instrumenter::add_unknown(const MemoryAccess& access) {
  Instruction* before =
      access.extent.comes_after() ? behind(*access.instruction) : access.instruction;
  const DebugLoc location = location_of(*access.instruction);
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(location);
  Value* begin = builder.CreatePtrToInt(access.address, i64_);
  builder.SetInsertPoint(cold_branch(
      builder.CreateICmpULT(begin, builder.CreateLoad(i64_, field(builder, kHigh))), before));
  builder.SetCurrentDebugLocation(location);
  Value *zero = ConstantInt::get(i64_, 0), *one = ConstantInt::get(i64_, 1);
  Value* address = access.address;
  if (access.behind_string)
    address = builder.CreateGEP(i8_, address,
                                builder.CreateSub(common(builder, address, address, nullptr), one));
  Value* bytes = bytes_of(builder, access);
  if (how(access) != 0) bytes = builder.CreateOr(bytes, ConstantInt::get(i64_, how(access)));
  Value* hook = builder.CreateLoad(pointer_, field(builder, kRange));
  builder.CreateCall(range_hook_, hook, {new_site(builder), address, bytes, one, zero, one, zero});
}

void Instrumenter::add_array(const MemoryAccess& access) {
  Instruction* before =
      access.extent.comes_after() ? behind(*access.instruction) : access.instruction;
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(location_of(*access.instruction));
  Value* watched = builder.CreateICmpNE(builder.CreateLoad(i64_, field(builder, kHigh)),
                                        ConstantInt::get(i64_, 0));
  builder.SetInsertPoint(cold_branch(watched, before));
  builder.SetCurrentDebugLocation(location_of(*access.instruction));
  Value* range = builder.CreateCall(array_function(module_), {access.address});
  const auto part = [&](unsigned index) { return builder.CreateExtractValue(range, index); };
  Value* address = builder.CreateLoad(pointer_, access.address);
  Value* bytes =
      how(access) != 0 ? builder.CreateOr(part(0), ConstantInt::get(i64_, how(access))) : part(0);
  Value* hook = builder.CreateLoad(pointer_, field(builder, kRange));
  builder.CreateCall(range_hook_, hook,
                     {new_site(builder), address, bytes, part(1), part(2), part(3), part(4)});
}

// An inactive lane is a range of 0 rows.
void Instrumenter::add_lanes(const MemoryAccess& access) {
  const DebugLoc location = location_of(*access.instruction);
  IRBuilder<> builder(access.instruction);
  builder.SetCurrentDebugLocation(location);
  auto* const mask_type = cast<VectorType>(access.mask->getType());
  const ElementCount lanes = mask_type->getElementCount();
  const bool gathers = access.address->getType()->isVectorTy();
  Value* condition = nullptr;
  if (!gathers && !lanes.isScalable() &&
      lanes.getFixedValue() * access.lane_bytes <= PHOTOFINISH_SPAN) {
    condition = is_marked(builder, access.address);
  } else {
    // Whether a lane lies in [low, high) of the reachable memory.
    Value* shared_high = builder.CreateLoad(i64_, field(builder, kHigh));
    Value* shared_low = builder.CreateLoad(i64_, field(builder, kLow));
    if (gathers) {
      Value* begin = builder.CreatePtrToInt(access.address, VectorType::get(i64_, lanes));
      Value* end = builder.CreateAdd(
          begin, builder.CreateVectorSplat(lanes, ConstantInt::get(i64_, access.lane_bytes)));
      Value* meets = builder.CreateAnd(
          builder.CreateICmpULT(begin, builder.CreateVectorSplat(lanes, shared_high)),
          builder.CreateICmpULT(builder.CreateVectorSplat(lanes, shared_low), end));
      condition = builder.CreateOrReduce(builder.CreateAnd(meets, access.mask));
    } else {
      condition = builder.CreateICmpULT(builder.CreatePtrToInt(access.address, i64_), shared_high);
    }
  }
  Instruction* cold = cold_branch(condition, access.instruction);
  builder.SetInsertPoint(cold);
  builder.SetCurrentDebugLocation(location);
  Value* hook = builder.CreateLoad(pointer_, field(builder, kRange));
  Constant* site = new_site(builder);
  Value *zero = ConstantInt::get(i64_, 0), *one = ConstantInt::get(i64_, 1);
  for_each_lane(lanes, cold, location, [&](IRBuilderBase& at, Value* lane) {
    Value* touched = at.CreateExtractElement(access.mask, lane);
    if (access.lanes != nullptr)
      touched =
          at.CreateAnd(touched, at.CreateICmpULT(lane, at.CreateZExtOrTrunc(access.lanes, i64_)));
    Value* address =
        gathers ? at.CreateExtractElement(access.address, lane)
                : at.CreateGEP(i8_, access.address,
                               at.CreateMul(lane, ConstantInt::get(i64_, access.lane_bytes)));
    at.CreateCall(range_hook_, hook,
                  {site, address, ConstantInt::get(i64_, access.lane_bytes | how(access)),
                   at.CreateZExt(touched, i64_), zero, one, zero});
  });
}

}  // namespace photofinish::compiler

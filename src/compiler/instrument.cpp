#include "compiler/instrument.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <bit>

#include "base/line_key.h"
#include "compiler/helpers.h"
#include "compiler/instrument_parts.h"
#include "compiler/sections.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

static constexpr unsigned kLibraryWords = sizeof(photofinish_site::library) / sizeof(void*);

Instrumenter::Instrumenter(Module& module)
    : module_(module),
      context_(module.getContext()),
      i8_(Type::getInt8Ty(context_)),
      i64_(Type::getInt64Ty(context_)),
      pointer_(PointerType::getUnqual(context_)) {
  seen_type_ = StructType::get(context_, {i64_, i64_, i64_, pointer_});
  state_type_ = StructType::get(
      context_, {ArrayType::get(i8_, PHOTOFINISH_GATE_SIZE), i64_, i64_, pointer_, pointer_,
                 pointer_, pointer_, pointer_, pointer_, pointer_, pointer_, pointer_, i64_, i64_,
                 ArrayType::get(seen_type_, PHOTOFINISH_SEEN_SIZE), pointer_, pointer_, pointer_});
  site_type_ = StructType::get(
      context_, {i64_, i64_, i64_, pointer_, ArrayType::get(pointer_, kLibraryWords)});
  Type *nothing = Type::getVoidTy(context_), *i32 = Type::getInt32Ty(context_);
  index_type_ = StructType::get(
      context_, {i32, i32, i64_,
                 ArrayType::get(pointer_, sizeof(photofinish_index::library) / sizeof(void*))});
  indices_hook_ = FunctionType::get(i64_, {pointer_, pointer_, i64_}, false);
  gather_hook_ =
      FunctionType::get(nothing, {pointer_, pointer_, i64_, i64_, pointer_, i64_}, false);
  synchronize_hook_ = FunctionType::get(nothing, {pointer_, i64_}, false);
  region_hook_ = FunctionType::get(nothing, {i64_}, false);
  range_hook_ =
      FunctionType::get(nothing, {pointer_, pointer_, i64_, i64_, i64_, i64_, i64_}, false);
  // One for all objects of an executable or shared library: the linker keeps one COMDAT group, and
  // the symbol is hidden.
  state_ = new GlobalVariable(module, state_type_, false, GlobalValue::LinkOnceODRLinkage,
                              Constant::getNullValue(state_type_), PHOTOFINISH_STATE);
  state_->setVisibility(GlobalValue::HiddenVisibility);
  state_->setDSOLocal(true);
  state_->setComdat(module.getOrInsertComdat(PHOTOFINISH_STATE));
  state_->setAlignment(Align(64));
  distance_ = new GlobalVariable(module, i64_, false, GlobalValue::LinkOnceODRLinkage,
                                 Constant::getNullValue(i64_), PHOTOFINISH_DISTANCE, nullptr,
                                 GlobalValue::InitialExecTLSModel);
  distance_->setVisibility(GlobalValue::HiddenVisibility);
  distance_->setDSOLocal(true);
  distance_->setComdat(module.getOrInsertComdat(PHOTOFINISH_DISTANCE));
  const Triple target(module.getTargetTriple());
  has_thread_pointer_ = target.getArch() == Triple::aarch64 || target.getArch() == Triple::x86_64;
}

Value* Instrumenter::field(IRBuilderBase& builder, unsigned index) {
  return builder.CreateStructGEP(state_type_, state_, index);
}

void Instrumenter::begin_function(const TargetTransformInfo& target, bool many, bool plain) {
  many_ = many;
  plain_ = plain;
  plain_ranges_.clear();
  // Only for AVX are masked loads legal.
  auto* four = FixedVectorType::get(Type::getDoubleTy(context_), 4);
  has_avx_ = Triple(module_.getTargetTriple()).getArch() == Triple::x86_64 &&
             target.isLegalMaskedLoad(four, Align(8));
}

// The guard of a local static variable: a flag that code outside of the module sets.
static AtomicOrdering guard_ordering(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || isa<InvokeInst>(call)) return AtomicOrdering::NotAtomic;
  if (callee->getName() == "__cxa_guard_acquire") return AtomicOrdering::Acquire;
  if (callee->getName() == "__cxa_guard_release") return AtomicOrdering::Release;
  return AtomicOrdering::NotAtomic;
}

// Atomic operations synchronize through their address, fences without one. Relaxed operations do
// not synchronize, but their order counts when a rank is recorded or replayed.
void Instrumenter::add_synchronization(Function& function) {
  struct Location {
    Instruction* at;
    Value* address;
    AtomicOrdering ordering;
  };
  std::vector<Location> locations;
  std::vector<Instruction*> atomics;
  std::vector<CallInst*> sections;
  for (Instruction& instruction : instructions(function)) {
    const auto add = [&](Value* address, AtomicOrdering ordering, SyncScope::ID scope) {
      if (scope == SyncScope::SingleThread ||
          (address != nullptr && address->getType()->getPointerAddressSpace() != 0))
        return;
      if (instruction.isAtomic() && !isa<FenceInst>(instruction)) atomics.push_back(&instruction);
      if (isStrongerThanMonotonic(ordering)) locations.push_back({&instruction, address, ordering});
    };
    if (auto* load = dyn_cast<LoadInst>(&instruction); load != nullptr && load->isAtomic())
      add(load->getPointerOperand(), load->getOrdering(), load->getSyncScopeID());
    else if (auto* store = dyn_cast<StoreInst>(&instruction); store != nullptr && store->isAtomic())
      add(store->getPointerOperand(), store->getOrdering(), store->getSyncScopeID());
    else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction))
      add(update->getPointerOperand(), update->getOrdering(), update->getSyncScopeID());
    else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      add(swap->getPointerOperand(), swap->getMergedOrdering(), swap->getSyncScopeID());
    else if (auto* fence = dyn_cast<FenceInst>(&instruction))
      add(nullptr, fence->getOrdering(), fence->getSyncScopeID());
    else if (auto* call = dyn_cast<CallBase>(&instruction))
      if (const AtomicOrdering ordering = guard_ordering(*call);
          ordering != AtomicOrdering::NotAtomic)
        add(call->getArgOperand(0), ordering, SyncScope::System);
    if (auto* mark = dyn_cast<CallInst>(&instruction); mark != nullptr && section_mark(*mark) != 0)
      sections.push_back(mark);
  }
  const auto call = [&](Instruction* before, Value* address, std::uint64_t how) {
    call_if_set(
        before, kSynchronize, synchronize_hook_,
        {address != nullptr ? address : ConstantPointerNull::get(cast<PointerType>(pointer_)),
         ConstantInt::get(i64_, how)});
  };
  for (const Location& location : locations) {
    if (isReleaseOrStronger(location.ordering) && !isa<LoadInst>(location.at))
      call(location.at, location.address, PHOTOFINISH_RELEASE);
    if (isAcquireOrStronger(location.ordering) && !isa<StoreInst>(location.at))
      call(location.at->getNextNode(), location.address, PHOTOFINISH_ACQUIRE);
  }
  for (Instruction* atomic : atomics) {
    call_if_set(atomic, kAtomic, region_hook_, {ConstantInt::get(i64_, 1)});
    call_if_set(atomic->getNextNode(), kAtomic, region_hook_, {ConstantInt::get(i64_, 0)});
  }
  for (CallInst* mark : sections) {
    call(mark, nullptr, section_mark(*mark));
    mark->eraseFromParent();
  }
}

void Instrumenter::call_if_set(Instruction* before, unsigned hook_field, FunctionType* type,
                               ArrayRef<Value*> arguments) {
  IRBuilder<> builder(before);
  LoadInst* hook = builder.CreateLoad(pointer_, field(builder, hook_field));
  hook->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(context_, {}));
  Instruction* then = SplitBlockAndInsertIfThen(builder.CreateIsNotNull(hook), before, false,
                                                MDBuilder(context_).createBranchWeights(1, 1000));
  IRBuilder<>(then).CreateCall(type, hook, arguments);
}

void Instrumenter::add(const ParallelRegion& region) {
  call_if_set(region.fork, kRegion, region_hook_, {ConstantInt::get(i64_, region.kind)});
}

Constant* Instrumenter::new_site(IRBuilderBase& builder) {
  const DebugLoc location = builder.getCurrentDebugLocation();
  locations_.push_back({builder.GetInsertBlock(),
                        location ? line_key(location->getFilename(), location.getLine()) : 0});
  auto* site = new GlobalVariable(module_, site_type_, false, GlobalValue::PrivateLinkage,
                                  Constant::getNullValue(site_type_), "__photofinish_site");
  site->setAlignment(Align(64));
  return site;
}

Value* Instrumenter::is_marked(IRBuilderBase& builder, Value* address) {
  Value* page = builder.CreateLShr(builder.CreatePtrToInt(address, i64_), PHOTOFINISH_PAGE_BITS);
  Value* slot = builder.CreateAnd(page, PHOTOFINISH_GATE_SIZE - 1);
  Value* mark = builder.CreateLoad(i8_, builder.CreateInBoundsGEP(i8_, state_, slot));
  return builder.CreateICmpNE(mark, ConstantInt::get(i8_, 0));
}

Instrumenter::Region Instrumenter::new_region() {
  return {new GlobalVariable(module_, i8_, false, GlobalValue::PrivateLinkage,
                             Constant::getNullValue(i8_), "__photofinish_passed")};
}

Value* Instrumenter::checked_at(const Region& region, Instruction* before) {
  IRBuilder<> builder(before);
  Value* shared = builder.CreateICmpNE(builder.CreateLoad(i64_, field(builder, kHigh)),
                                       ConstantInt::get(i64_, 0));
  return builder.CreateAnd(shared, builder.CreateICmpEQ(builder.CreateLoad(i8_, region.passed),
                                                        ConstantInt::get(i8_, 0)));
}

Value* Instrumenter::checked_at(const Region& region, const Boxes& boxes, Instruction* before) {
  Value* checked = checked_at(region, before);
  IRBuilder<> builder(before);
  Value* high = builder.CreateLoad(i64_, field(builder, kHigh));
  Value* low = builder.CreateLoad(i64_, field(builder, kLow));
  Value* meets = builder.getFalse();
  for (const auto& [first, end] : boxes)
    meets = builder.CreateOr(meets, builder.CreateAnd(builder.CreateICmpULT(first, high),
                                                      builder.CreateICmpULT(low, end)));
  return builder.CreateAnd(checked, builder.CreateFreeze(meets));
}

void Instrumenter::end_function(Function& function, const std::vector<Region>& regions) {
  const DominatorTree dominators(function);
  std::vector<Lines> made;
  for (const Region& region : regions) made.push_back({region.passed, {}});
  for (const Location& location : locations_) {
    if (location.block->getParent() != &function)
      continue;  // in the copy with values, which always calls its hooks
    bool inside = false;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (regions[i].begin != nullptr && !dominators.dominates(regions[i].begin, location.block))
        continue;
      made[i].lines.insert(location.line);
      inside = true;
    }
    if (!inside) lines_outside_.insert(location.line);
  }
  locations_.clear();
  regions_.insert(regions_.end(), made.begin(), made.end());
}

Instruction* Instrumenter::cold_branch(Value* condition, Instruction* before) {
  return SplitBlockAndInsertIfThen(condition, before, false,
                                   MDBuilder(context_).createBranchWeights(1, 1 << 20));
}

// Sets the site's bit for this address. Returns the instruction at which to call the hook: if the
// site has no bit for it, or if it may be the first access of its group, which the library must
// see. The rotation maps an address between two units to a value beyond all units.
Instruction* Instrumenter::unless_bit_set(Value* record, Value* address, Value* unit,
                                          Instruction* before) {
  IRBuilder<> builder(before);
  const auto field = [&](SiteField index, Type* type) {
    return builder.CreateLoad(type, builder.CreateStructGEP(site_type_, record, index));
  };
  Value *thread = field(kThread, i64_), *base = field(kBase, i64_), *units = field(kUnits, i64_),
        *bits = field(kBits, pointer_);
  Value* own = builder.CreateICmpEQ(
      thread,
      builder.CreatePtrToInt(builder.CreateIntrinsic(Intrinsic::thread_pointer, {}, {}), i64_));
  Value* distance = builder.CreateSub(builder.CreatePtrToInt(address, i64_), base);
  Value* at = builder.CreateIntrinsic(Intrinsic::fshr, {i64_}, {distance, distance, unit});
  Value* known = builder.CreateAnd(own, builder.CreateICmpULT(at, units));
  BasicBlock* head = before->getParent();
  BasicBlock* rest = head->splitBasicBlock(before);
  BasicBlock* report = BasicBlock::Create(context_, "", head->getParent(), rest);
  BasicBlock* check = BasicBlock::Create(context_, "", head->getParent(), rest);
  BasicBlock* set = BasicBlock::Create(context_, "", head->getParent(), rest);
  MDNode* likely = MDBuilder(context_).createBranchWeights(1 << 20, 1);
  head->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(head);
  // "unpredictable" keeps the combined condition one branch.
  builder.CreateCondBr(known, check, report, likely)
      ->setMetadata(LLVMContext::MD_unpredictable, MDNode::get(context_, {}));
  builder.SetInsertPoint(check);
  Value* group = builder.CreateGEP(
      i8_, bits, builder.CreateNeg(builder.CreateLShr(at, PHOTOFINISH_GROUP_BITS)));
  group = builder.CreateGEP(i8_, group, ConstantInt::getSigned(i64_, -1));
  builder.CreateCondBr(
      builder.CreateICmpNE(builder.CreateLoad(i8_, group), ConstantInt::get(i8_, 0)), set, report,
      likely);
  builder.SetInsertPoint(set);
  Value* location = builder.CreateGEP(i64_, bits, builder.CreateLShr(at, 6));
  Value* word = builder.CreateLoad(i64_, location);
  builder.CreateStore(builder.CreateOr(word, builder.CreateShl(ConstantInt::get(i64_, 1),
                                                               builder.CreateAnd(at, 63))),
                      location);
  builder.CreateBr(rest);
  builder.SetInsertPoint(report);
  return builder.CreateBr(rest);
}

Value* Instrumenter::site_of_thread(IRBuilderBase& builder, Value* site) {
  return builder.CreateGEP(i8_, site,
                           builder.CreateLoad(i64_, builder.CreateThreadLocalAddress(distance_)));
}

// void (ptr site, ptr address, i64 bytes): what add(Check) does for a marked page, as a function.
Function* Instrumenter::bit_function() {
  Function* function = register_keeping_function(module_, "__photofinish_set_1",
                                                 {pointer_, pointer_, i64_}, has_avx_);
  if (!function->empty()) return function;
  Value *address = function->getArg(1), *bytes = function->getArg(2);
  IRBuilder<> builder(BasicBlock::Create(context_, "", function));
  Instruction* end = builder.CreateRetVoid();
  builder.SetInsertPoint(end);
  Value* site = site_of_thread(builder, function->getArg(0));
  Value* unit = builder.CreateAnd(builder.CreateLShr(bytes, PHOTOFINISH_UNIT_BITS), 7);
  builder.SetInsertPoint(unless_bit_set(site, address, unit, end));
  Function* report = report_at_function(module_, cast<Constant>(field(builder, kAccess)), has_avx_);
  builder.CreateCall(report, {site, address, bytes, location_of_call(builder)})
      ->setCallingConv(report->getCallingConv());
  return function;
}

std::uint64_t how(const MemoryAccess& access) {
  return (access.writes ? PHOTOFINISH_WRITES : 0) | (access.releases ? PHOTOFINISH_RELEASES : 0);
}

void Instrumenter::add(const Check& check) {
  IRBuilder<> builder(check.before);
  builder.SetCurrentDebugLocation(check.pieces.front().location);
  const auto at = [&](std::int64_t offset) {
    return offset == 0 ? check.base
                       : builder.CreateGEP(i8_, check.base, ConstantInt::getSigned(i64_, offset));
  };
  Value* marked = is_marked(builder, at(check.pieces.front().offset));
  Instruction* end = cold_branch(marked, check.before);
  Function* report = report_function(module_, cast<Constant>(field(builder, kAccess)), has_avx_);
  for (const Piece& piece : check.pieces) {
    builder.SetInsertPoint(end);
    builder.SetCurrentDebugLocation(piece.location);
    Value* site = new_site(builder);
    Value* address = at(piece.offset);
    const unsigned unit =
        std::min<unsigned>(PHOTOFINISH_MAX_UNIT, std::countr_zero(piece.bytes | piece.align));
    Function* called = report;
    if (has_thread_pointer_ && (piece.how & PHOTOFINISH_RELEASES) == 0) {
      if (many_) {
        called = bit_function();
      } else {
        site = site_of_thread(builder, site);
        builder.SetInsertPoint(unless_bit_set(site, address, ConstantInt::get(i64_, unit), end));
      }
    }
    builder.SetCurrentDebugLocation(piece.location);
    const std::uint64_t bytes =
        piece.bytes | piece.how | std::uint64_t{unit} << PHOTOFINISH_UNIT_BITS;
    CallInst* call = builder.CreateCall(called, {site, address, ConstantInt::get(i64_, bytes)});
    call->setCallingConv(called->getCallingConv());
  }
}

void Instrumenter::add(const MemoryAccess& access) {
  if (access.mask != nullptr) return add_lanes(access);
  if (access.extent.is_array()) return add_array(access);
  const DebugLoc location = location_of(*access.instruction);
  if (access.bytes != 0 && access.bytes <= PHOTOFINISH_SPAN) {
    add(Check{access.instruction,
              access.address,
              {{0, access.bytes, how(access), location, access.align}}});
    return;
  }
  if (access.bytes == 0 && access.extent.kind != Extent::Bytes) return add_unknown(access);
  IRBuilder<> builder(access.instruction);
  Expanded range;
  range.before = access.instruction;
  range.address = access.address;
  range.bytes = bytes_of(builder, access);
  range.how = how(access);
  range.location = location;
  add(range);
}

Instrumenter::Expanded Instrumenter::expand(const Range& range, SCEVExpander& expander,
                                            std::uint64_t how, const DebugLoc& location) {
  LLVMContext& context = range.before->getContext();
  Type* i64 = Type::getInt64Ty(context);
  const auto value = [&](const SCEV* what) {
    return expander.expandCodeFor(what, i64, range.before);
  };
  Expanded made;
  made.before = range.before;
  made.address = expander.expandCodeFor(range.address, range.address->getType(), range.before);
  made.bytes = value(range.bytes);
  for (std::size_t i = 0; i < range.dimensions.size(); ++i) {
    made.counts[i] = value(range.dimensions[i].count);
    made.strides[i] = value(range.dimensions[i].stride);
  }
  // A test that is never evaluated needs no value.
  IRBuilder<> builder(range.before);
  for (const auto& [test, wanted] : range.conditions) {
    Value* holds = builder.CreateFreeze(test);
    if (!wanted) holds = builder.CreateNot(holds);
    made.condition = made.condition == nullptr ? holds : builder.CreateAnd(made.condition, holds);
  }
  made.how = how;
  made.location = location;
  return made;
}

// For positive and negative strides.
Instrumenter::Borders Instrumenter::borders_of(IRBuilderBase& builder, const Expanded& range) {
  Value* low = builder.CreatePtrToInt(range.address, i64_);
  Value* high = builder.CreateAdd(low, range.bytes);
  Value* zero = ConstantInt::get(i64_, 0);
  for (int i = 0; i < 2; ++i) {
    if (range.counts[i] == nullptr) continue;
    Value* span = builder.CreateMul(builder.CreateSub(range.counts[i], ConstantInt::get(i64_, 1)),
                                    range.strides[i]);
    Value* up = builder.CreateICmpSGT(span, zero);
    low = builder.CreateAdd(low, builder.CreateSelect(up, zero, span));
    high = builder.CreateAdd(high, builder.CreateSelect(up, span, zero));
  }
  Value* shared_high = builder.CreateLoad(i64_, field(builder, kHigh));
  Value* shared_low = builder.CreateLoad(i64_, field(builder, kLow));
  Value* meets = builder.CreateAnd(builder.CreateICmpULT(low, shared_high),
                                   builder.CreateICmpULT(shared_low, high));
  if (range.condition != nullptr)
    meets = builder.CreateLogicalAnd(range.condition, meets);  // otherwise the counts may be poison
  return {low, high, meets, builder.CreateICmpNE(shared_high, zero)};
}

// In a huge function. All ranges in front of one instruction share one test of whether there is
// reachable memory. The rest is in a function of its own, which ends with a jump to the hook.
void Instrumenter::add_plain(const Expanded& range) {
  Instruction*& end = plain_ranges_[range.before];
  if (end == nullptr) {
    IRBuilder<> builder(range.before);
    Value* shared = builder.CreateICmpNE(builder.CreateLoad(i64_, field(builder, kHigh)),
                                         ConstantInt::get(i64_, 0));
    end = cold_branch(shared, range.before);
  }
  Instruction* before = range.condition != nullptr ? cold_branch(range.condition, end) : end;
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(range.location);
  const auto or_else = [&](Value* value, std::uint64_t otherwise) {
    return value != nullptr ? value : ConstantInt::get(i64_, otherwise);
  };
  Value* bytes = range.how != 0 ? builder.CreateOr(range.bytes, ConstantInt::get(i64_, range.how))
                                : range.bytes;
  builder.CreateCall(
      range_function(module_, cast<Constant>(field(builder, kGate)),
                     cast<Constant>(field(builder, kLow)), cast<Constant>(field(builder, kHigh)),
                     cast<Constant>(field(builder, kRange))),
      {new_site(builder), range.address, bytes, or_else(range.counts[0], 1),
       or_else(range.strides[0], 0), or_else(range.counts[1], 1), or_else(range.strides[1], 0)});
}

void Instrumenter::add(const Expanded& range) {
  if (plain_ && (range.how & PHOTOFINISH_RELEASES) == 0) return add_plain(range);
  IRBuilder<> builder(range.before);
  builder.SetCurrentDebugLocation(range.location);
  const Borders borders = borders_of(builder, range);
  Value* meets = borders.meets;
  const bool released = (range.how & PHOTOFINISH_RELEASES) != 0;
  if (released) meets = borders.anything;  // only malloc knows the size
  builder.SetInsertPoint(cold_branch(meets, range.before));
  builder.SetCurrentDebugLocation(range.location);
  // Memory between reachable ranges may be private, as in an array that has a few pending parts.
  if (!released) {
    Value* marked = builder.CreateCall(marked_function(module_),
                                       {field(builder, kGate), borders.low, borders.high});
    builder.SetInsertPoint(cold_branch(marked, &*builder.GetInsertPoint()));
    builder.SetCurrentDebugLocation(range.location);
  }
  Value* one = ConstantInt::get(i64_, 1);
  Value* zero = ConstantInt::get(i64_, 0);
  Value* bytes = range.how != 0 ? builder.CreateOr(range.bytes, ConstantInt::get(i64_, range.how))
                                : range.bytes;
  Value* hook = builder.CreateLoad(pointer_, field(builder, kRange));
  const auto or_else = [](Value* value, Value* otherwise) {
    return value != nullptr ? value : otherwise;
  };
  builder.CreateCall(range_hook_, hook,
                     {new_site(builder), range.address, bytes, or_else(range.counts[0], one),
                      or_else(range.strides[0], zero), or_else(range.counts[1], one),
                      or_else(range.strides[1], zero)});
}

Value* Instrumenter::add(const Gathers& gathers) {
  Type* i32 = Type::getInt32Ty(context_);
  Constant* initial = ConstantStruct::get(
      index_type_,
      {ConstantInt::get(i32, gathers.step),
       ConstantInt::get(i32, gathers.bytes | (gathers.is_signed ? PHOTOFINISH_SIGNED : 0)),
       ConstantInt::get(i64_, gathers.slots),
       Constant::getNullValue(index_type_->getElementType(3))});
  auto* index = new GlobalVariable(module_, index_type_, false, GlobalValue::PrivateLinkage,
                                   initial, "__photofinish_index");
  BasicBlock* head = gathers.before->getParent();
  BasicBlock* rest = head->splitBasicBlock(gathers.before);
  BasicBlock* ask = BasicBlock::Create(context_, "", head->getParent(), rest);
  BasicBlock* report = BasicBlock::Create(context_, "", head->getParent(), rest);
  head->getTerminator()->eraseFromParent();
  IRBuilder<> builder(head);
  builder.SetCurrentDebugLocation(gathers.locations.front().location);
  Value* shared = builder.CreateICmpNE(builder.CreateLoad(i64_, field(builder, kHigh)),
                                       ConstantInt::get(i64_, 0));
  Value* many =
      builder.CreateICmpUGE(gathers.times, ConstantInt::get(i64_, PHOTOFINISH_FEW_INDICES));
  builder.CreateCondBr(builder.CreateAnd(shared, many), ask, rest);
  builder.SetInsertPoint(ask);
  Value* answer =
      builder.CreateCall(indices_hook_, builder.CreateLoad(pointer_, field(builder, kIndices)),
                         {index, gathers.first, gathers.times});
  builder.CreateCondBr(builder.CreateICmpNE(answer, ConstantInt::get(i64_, 0)), report, rest);
  builder.SetInsertPoint(report);
  Value* hook = builder.CreateLoad(pointer_, field(builder, kGather));
  const auto number = [&](std::uint64_t value) { return ConstantInt::get(i64_, value); };
  for (const Gathers::Location& location : gathers.locations) {
    builder.SetCurrentDebugLocation(location.location);
    builder.CreateCall(gather_hook_, hook,
                       {new_site(builder), location.base, number(location.bytes | location.how),
                        number(location.scale), index, number(location.slots)});
  }
  builder.CreateBr(rest);
  PHINode* reported = first_phi(builder.getInt1Ty(), "", *rest);
  reported->addIncoming(IRBuilder<>(head->getTerminator()).CreateNot(shared), head);
  reported->addIncoming(builder.getFalse(), ask);
  reported->addIncoming(builder.getTrue(), report);
  return reported;
}

void Instrumenter::add_unless(Value* reported, Instruction* before,
                              const std::vector<Check>& checks) {
  Instruction* end = cold_branch(IRBuilder<>(before).CreateNot(reported), before);
  for (Check check : checks) {
    check.before = end;
    add(check);
  }
}

}  // namespace photofinish::compiler

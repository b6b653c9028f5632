#include "compiler/upc/lower.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <vector>

#include "compiler/upc/pointers.h"
#include "compiler/upc/strict_lines.h"
#include "upc_runtime/layout.h"

namespace photofinish::compiler::upc {

using namespace llvm;
namespace layout = photofinish::upc;

namespace {

class Lowering {
 public:
  explicit Lowering(Module& module)
      : module_(module), sizes_(module.getDataLayout()), pointers_(module), strict_(module) {}

  void run() {
    std::vector<Instruction*> all;
    for (Function& function : module_)
      for (Instruction& instruction : instructions(function)) all.push_back(&instruction);
    for (Instruction* instruction : all) lower(*instruction);
  }

 private:
  void lower(Instruction& one) {
    if (auto* load = dyn_cast<LoadInst>(&one)) {
      if (Pointers::is_shared(load->getPointerOperandType())) lower_load(*load);
    } else if (auto* store = dyn_cast<StoreInst>(&one)) {
      if (Pointers::is_shared(store->getPointerOperandType())) lower_store(*store);
    } else if (auto* copy = dyn_cast<MemTransferInst>(&one)) {
      lower_copy(*copy);
    } else if (auto* fill = dyn_cast<MemSetInst>(&one)) {
      if (Pointers::is_shared(fill->getRawDest()->getType())) lower_fill(*fill);
    } else if (auto* cast = dyn_cast<CastInst>(&one)) {
      lower_cast(*cast);
    } else if (auto* compare = dyn_cast<ICmpInst>(&one)) {
      lower_compare(*compare);
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(one)) {
      if (Pointers::is_shared(one.getOperand(0)->getType()))
        Pointers::refuse(one,
                         "atomic operations of C cannot access shared memory: use "
                         "upc_atomic_relaxed or upc_atomic_strict");
    }
  }

  Position position(IRBuilder<>& builder, Value* pointer, Instruction& user) {
    return pointers_.position(builder, pointer, pointers_.block(pointer->getType(), user));
  }

  FunctionCallee function(const char* name, ArrayRef<Type*> parameters) {
    return module_.getOrInsertFunction(
        name, FunctionType::get(Type::getVoidTy(module_.getContext()), parameters, false));
  }

  // A call of a function of the runtime with pointers and 64-bit integers.
  void call(IRBuilder<>& builder, const char* name, ArrayRef<Value*> arguments) {
    std::vector<Type*> types;
    for (Value* argument : arguments) types.push_back(argument->getType());
    builder.CreateCall(function(name, types), arguments);
  }

  // For a value that goes through the runtime: one for each function and type, since it is read or
  // written at once.
  Value* buffer(Instruction& user, Type* type) {
    Value*& found = buffers_[{user.getFunction(), type}];
    if (found == nullptr) {
      IRBuilder<> builder(&*user.getFunction()->getEntryBlock().getFirstInsertionPt());
      builder.SetCurrentDebugLocation({});
      found = builder.CreateAlloca(type);
    }
    return found;
  }

  bool is_strict(const Instruction& one, bool is_volatile) const {
    return is_volatile || strict_.contains(one);
  }

  void lower_load(LoadInst& load) {
    IRBuilder<> builder(&load);
    Type* type = load.getType();
    Value* size = builder.getInt64(sizes_.getTypeStoreSize(type));
    const Position at = position(builder, load.getPointerOperand(), load);
    Value* space = buffer(load, type);
    if (is_strict(load, load.isVolatile())) {
      call(builder, "__upc_strict_get", {space, at.thread, at.offset, size});
      load.replaceAllUsesWith(builder.CreateAlignedLoad(type, space, load.getAlign()));
      load.eraseFromParent();
      return;
    }
    Value* mine = pointers_.is_mine(builder, at);
    Instruction *near = nullptr, *far = nullptr;
    SplitBlockAndInsertIfThenElse(mine, &load, &near, &far);
    builder.SetInsertPoint(near);
    builder.SetCurrentDebugLocation(load.getDebugLoc());
    auto* local =
        builder.CreateAlignedLoad(type, pointers_.local_address(builder, at), load.getAlign());
    local->copyMetadata(load);
    builder.SetInsertPoint(far);
    builder.SetCurrentDebugLocation(load.getDebugLoc());
    call(builder, "__upc_get", {space, at.thread, at.offset, size});
    auto* remote = builder.CreateLoad(type, space);
    builder.SetInsertPoint(&load);
    PHINode* result = builder.CreatePHI(type, 2);
    result->addIncoming(local, near->getParent());
    result->addIncoming(remote, far->getParent());
    load.replaceAllUsesWith(result);
    load.eraseFromParent();
  }

  void lower_store(StoreInst& store) {
    IRBuilder<> builder(&store);
    Value* value = store.getValueOperand();
    Value* size = builder.getInt64(sizes_.getTypeStoreSize(value->getType()));
    const Position at = position(builder, store.getPointerOperand(), store);
    Value* space = buffer(store, value->getType());
    if (is_strict(store, store.isVolatile())) {
      builder.CreateStore(value, space);
      call(builder, "__upc_strict_put", {at.thread, at.offset, space, size});
      store.eraseFromParent();
      return;
    }
    Value* mine = pointers_.is_mine(builder, at);
    Instruction *near = nullptr, *far = nullptr;
    SplitBlockAndInsertIfThenElse(mine, &store, &near, &far);
    builder.SetInsertPoint(near);
    builder.SetCurrentDebugLocation(store.getDebugLoc());
    auto* local =
        builder.CreateAlignedStore(value, pointers_.local_address(builder, at), store.getAlign());
    local->copyMetadata(store);
    builder.SetInsertPoint(far);
    builder.SetCurrentDebugLocation(store.getDebugLoc());
    builder.CreateStore(value, space);
    call(builder, "__upc_put", {at.thread, at.offset, space, size});
    store.eraseFromParent();
  }

  // Copies of structs. One of the sides may be private.
  void lower_copy(MemTransferInst& copy) {
    const bool to = Pointers::is_shared(copy.getRawDest()->getType());
    const bool from = Pointers::is_shared(copy.getRawSource()->getType());
    if (!to && !from) return;
    IRBuilder<> builder(&copy);
    const bool strict = is_strict(copy, copy.isVolatile());
    Value* size = builder.CreateZExtOrTrunc(copy.getLength(), builder.getInt64Ty());
    if (to && from) {
      const Position target = position(builder, copy.getRawDest(), copy);
      const Position source = position(builder, copy.getRawSource(), copy);
      call(builder, strict ? "__upc_strict_move" : "__upc_move",
           {target.thread, target.offset, source.thread, source.offset, size});
    } else {
      const Position at = position(builder, to ? copy.getRawDest() : copy.getRawSource(), copy);
      if (strict) {
        if (to)
          call(builder, "__upc_strict_put", {at.thread, at.offset, copy.getRawSource(), size});
        else
          call(builder, "__upc_strict_get", {copy.getRawDest(), at.thread, at.offset, size});
        copy.eraseFromParent();
        return;
      }
      Instruction *near = nullptr, *far = nullptr;
      SplitBlockAndInsertIfThenElse(pointers_.is_mine(builder, at), &copy, &near, &far);
      builder.SetInsertPoint(near);
      builder.SetCurrentDebugLocation(copy.getDebugLoc());
      Value* local = pointers_.local_address(builder, at);
      builder.CreateMemMove(to ? local : copy.getRawDest(), copy.getDestAlign(),
                            to ? copy.getRawSource() : local, copy.getSourceAlign(), size);
      builder.SetInsertPoint(far);
      builder.SetCurrentDebugLocation(copy.getDebugLoc());
      if (to)
        call(builder, "__upc_put", {at.thread, at.offset, copy.getRawSource(), size});
      else
        call(builder, "__upc_get", {copy.getRawDest(), at.thread, at.offset, size});
      builder.SetInsertPoint(&copy);
    }
    copy.eraseFromParent();
  }

  void lower_fill(MemSetInst& fill) {
    IRBuilder<> builder(&fill);
    const Position at = position(builder, fill.getRawDest(), fill);
    Value* byte = builder.CreateZExt(fill.getValue(), builder.getInt64Ty());
    call(builder, is_strict(fill, fill.isVolatile()) ? "__upc_strict_fill" : "__upc_fill",
         {at.thread, at.offset, byte,
          builder.CreateZExtOrTrunc(fill.getLength(), builder.getInt64Ty())});
    fill.eraseFromParent();
  }

  void lower_cast(CastInst& cast) {
    Value* value = cast.getOperand(0);
    Type* from = value->getType();
    Type* to = cast.getType();
    IRBuilder<> builder(&cast);
    Value* result = nullptr;
    if (isa<AddrSpaceCastInst>(cast) && Pointers::is_shared(from)) {
      const std::uint64_t block = pointers_.block(from, cast);
      result = Pointers::is_shared(to)
                   ? pointers_.to_block(builder, value, block, to, pointers_.block(to, cast))
                   : pointers_.to_private(builder, value, block);
    } else if (isa<AddrSpaceCastInst>(cast) && Pointers::is_shared(to)) {
      Pointers::refuse(cast, "a private pointer cannot become a pointer to shared");
      return;
    } else if (isa<PtrToIntInst>(cast) && pointers_.is_generic(to)) {
      if (!Pointers::is_shared(from)) {
        Pointers::refuse(cast, "a private pointer cannot become a pointer to shared");
        return;
      }
      result = pointers_.to_generic(builder, value, pointers_.block(from, cast));
    } else if (isa<IntToPtrInst>(cast) && (Pointers::is_shared(to) || is_from_generic(value))) {
      result = from_integer(builder, cast);
      if (result == nullptr) return;
    } else {
      return;
    }
    cast.replaceAllUsesWith(result);
    cast.eraseFromParent();
  }

  // Clang cuts a shared void * to 64 bits before it converts it.
  bool is_from_generic(const Value* value) const {
    const auto* cut = dyn_cast<TruncInst>(value);
    return cut != nullptr && pointers_.is_generic(cut->getOperand(0)->getType());
  }

  Value* from_integer(IRBuilder<>& builder, CastInst& cast) {
    Value* value = cast.getOperand(0);
    Type* to = cast.getType();
    if (isa<ConstantInt>(value) && dyn_cast<ConstantInt>(value)->isZero())
      return Constant::getNullValue(to);
    if (!is_from_generic(value)) {
      if (!is_address(value))
        Pointers::refuse(cast, "an integer cannot become a pointer to shared");
      return nullptr;
    }
    Value* generic = dyn_cast<TruncInst>(value)->getOperand(0);
    if (Pointers::is_shared(to))
      return pointers_.from_generic(builder, generic, to, pointers_.block(to, cast));
    Type* indefinite = PointerType::get(cast.getContext(), layout::kFirstSpace);
    return pointers_.to_private(builder, pointers_.from_generic(builder, generic, indefinite, 0),
                                0);
  }

  // The address of a shared variable, as loaded by replace_statics.
  static bool is_address(const Value* value) {
    const auto* load = dyn_cast<LoadInst>(value);
    return load != nullptr && load->getPointerOperand()->getName().starts_with("__upc_at_");
  }

  void lower_compare(ICmpInst& compare) {
    Value* left = compare.getOperand(0);
    Value* right = compare.getOperand(1);
    if (!compare.isEquality() || isa<Constant>(left) || isa<Constant>(right)) return;
    IRBuilder<> builder(&compare);
    if (pointers_.is_generic(left->getType())) {  // the phase does not count
      const APInt mask =
          ~APInt::getBitsSet(layout::kGenericBits, layout::kPhaseShift, layout::kThreadShift);
      compare.setOperand(0, builder.CreateAnd(left, mask));
      compare.setOperand(1, builder.CreateAnd(right, mask));
    } else if (Pointers::is_shared(left->getType())) {
      compare_pointers(builder, compare, left, right);
    }
  }

  // Pointers to one byte differ if the blocks of their arrays start differently. This is rare: a
  // call.
  void compare_pointers(IRBuilder<>& builder, ICmpInst& compare, Value* left, Value* right) {
    const std::uint64_t block = pointers_.block(left->getType(), compare);
    if (block == 0) return;
    Type* word = builder.getInt64Ty();
    Value* a = builder.CreatePtrToInt(left, word);
    Value* b = builder.CreatePtrToInt(right, word);
    Value* differs =
        builder.CreateIsNotNull(builder.CreateLShr(builder.CreateXor(a, b), layout::kLinearBits));
    BasicBlock* before = compare.getParent();
    Instruction* slow = SplitBlockAndInsertIfThen(differs, &compare, false);
    builder.SetInsertPoint(slow);
    const auto moved = module_.getOrInsertFunction("__upc_change_block", word, word, word, word);
    Value* block_value = builder.getInt64(block);
    Value* indefinite_a = builder.CreateCall(moved, {a, block_value, builder.getInt64(0)});
    Value* indefinite_b = builder.CreateCall(moved, {b, block_value, builder.getInt64(0)});
    builder.SetInsertPoint(&compare);
    const auto merged = [&](Value* fast, Value* other) {
      PHINode* phi = builder.CreatePHI(word, 2);
      phi->addIncoming(fast, before);
      phi->addIncoming(other, slow->getParent());
      return phi;
    };
    Value* first = merged(a, indefinite_a);
    Value* second = merged(b, indefinite_b);
    compare.replaceAllUsesWith(builder.CreateICmp(compare.getPredicate(), first, second));
    compare.eraseFromParent();
  }

  Module& module_;
  const DataLayout& sizes_;
  Pointers pointers_;
  StrictLines strict_;
  std::map<std::pair<Function*, Type*>, Value*> buffers_;
};

}  // namespace

void lower(Module& module) { Lowering(module).run(); }

}  // namespace photofinish::compiler::upc

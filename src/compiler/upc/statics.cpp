#include "compiler/upc/statics.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

#include "compiler/upc/pointers.h"
#include "upc_runtime/layout.h"

namespace photofinish::compiler::upc {

using namespace llvm;
namespace layout = photofinish::upc;

namespace {

bool mentions_shared(const Constant* constant) {
  if (Pointers::is_shared(constant->getType()) && isa<GlobalValue>(constant)) return true;
  if (isa<GlobalValue>(constant)) return false;
  return any_of(constant->operands(), [](const Use& use) {
    const auto* operand = dyn_cast<Constant>(use.get());
    return operand != nullptr && mentions_shared(operand);
  });
}

// A conversion from or to a pointer to shared memory, or address arithmetic on one.
bool has_shared_pointer(const ConstantExpr* constant) {
  return Pointers::is_shared(constant->getType()) ||
         constant->getType()->isIntegerTy(layout::kGenericBits) ||
         any_of(constant->operands(), [](const Use& use) {
           if (Pointers::is_shared(use->getType())) return true;
           const auto* operand = dyn_cast<ConstantExpr>(use.get());
           return operand != nullptr && has_shared_pointer(operand);
         });
}

Instruction* insertion_point(Instruction& user, unsigned operand) {
  if (auto* phi = dyn_cast<PHINode>(&user)) return phi->getIncomingBlock(operand)->getTerminator();
  return &user;
}

void expand_operands(Instruction& user) {
  for (unsigned i = 0; i < user.getNumOperands(); ++i) {
    auto* constant = dyn_cast<ConstantExpr>(user.getOperand(i));
    if (constant == nullptr || !has_shared_pointer(constant)) continue;
    Instruction* expanded = constant->getAsInstruction();
    expanded->insertBefore(insertion_point(user, i));
    expanded->setDebugLoc(user.getDebugLoc());
    user.setOperand(i, expanded);
    expand_operands(*expanded);
  }
}

class Statics {
 public:
  explicit Statics(Module& module) : module_(module), builder_(module.getContext()) {}

  void run() {
    for (GlobalVariable& variable : module_.globals())
      if (Pointers::is_shared(variable.getType())) shared_.push_back(&variable);
    move_initializers();
    expand_constants(module_);
    for (GlobalVariable* variable : shared_) replace(*variable);
    add_registration();
    for (GlobalVariable* variable : shared_) variable->eraseFromParent();
  }

 private:
  // Addresses of shared variables are not constant: stores before main set them.
  void move_initializers() {
    std::vector<GlobalVariable*> variables;
    for (GlobalVariable& variable : module_.globals())
      if (variable.hasInitializer() && mentions_shared(variable.getInitializer()) &&
          !variable.getName().starts_with("llvm."))
        variables.push_back(&variable);
    if (variables.empty()) return;
    auto* type = FunctionType::get(builder_.getVoidTy(), false);
    initialize_ = Function::Create(type, GlobalValue::InternalLinkage, "__upc_initialize", module_);
    builder_.SetInsertPoint(BasicBlock::Create(module_.getContext(), "", initialize_));
    for (GlobalVariable* variable : variables) {
      variable->setConstant(false);
      std::vector<unsigned> path;
      variable->setInitializer(without_addresses(*variable, variable->getInitializer(), path));
    }
    builder_.CreateRetVoid();
  }

  Constant* without_addresses(GlobalVariable& variable, Constant* value,
                              std::vector<unsigned>& path) {
    if (!mentions_shared(value)) return value;
    if (!isa<ConstantAggregate>(value)) {
      std::vector<Value*> indices{builder_.getInt64(0)};
      for (const unsigned index : path) indices.push_back(builder_.getInt32(index));
      Value* to = builder_.CreateGEP(variable.getValueType(), &variable, indices);
      builder_.CreateStore(value, to);
      return Constant::getNullValue(value->getType());
    }
    std::vector<Constant*> parts;
    for (unsigned i = 0; i < value->getNumOperands(); ++i) {
      path.push_back(i);
      parts.push_back(without_addresses(variable, cast<Constant>(value->getOperand(i)), path));
      path.pop_back();
    }
    if (auto* type = dyn_cast<StructType>(value->getType()))
      return ConstantStruct::get(type, parts);
    return ConstantArray::get(cast<ArrayType>(value->getType()), parts);
  }

  // Uses become a load of the variable's address, once per function.
  void replace(GlobalVariable& variable) {
    Type* word = builder_.getInt64Ty();
    auto* address = new GlobalVariable(
        module_, word, false,
        variable.hasLocalLinkage() ? GlobalValue::InternalLinkage : GlobalValue::ExternalLinkage,
        variable.isDeclaration() ? nullptr : builder_.getInt64(0),
        "__upc_at_" + variable.getName());
    addresses_.push_back(address);
    DenseMap<Function*, Value*> loaded;
    for (Use& use : make_early_inc_range(variable.uses())) {
      auto* user = dyn_cast<Instruction>(use.getUser());
      if (user == nullptr) continue;  // llvm.used
      Value*& value = loaded[user->getFunction()];
      if (value == nullptr) {
        IRBuilder<> entry(&*user->getFunction()->getEntryBlock().getFirstInsertionPt());
        entry.SetCurrentDebugLocation({});
        auto* load = entry.CreateLoad(word, address);
        load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module_.getContext(), {}));
        value = entry.CreateIntToPtr(load, variable.getType());
      }
      use.set(value);
    }
  }

  // As photofinish::upc::Static in upc_runtime/statics.h.
  Constant* descriptor(GlobalVariable& variable, GlobalVariable& address, StructType* type) {
    const DataLayout& sizes = module_.getDataLayout();
    Type* value = variable.getValueType();
    Type* element = value;
    while (auto* array = dyn_cast<ArrayType>(element)) element = array->getElementType();
    Constant* image = ConstantPointerNull::get(builder_.getPtrTy());
    if (!variable.getInitializer()->isNullValue())
      image = new GlobalVariable(module_, value, true, GlobalValue::PrivateLinkage,
                                 variable.getInitializer(), "__upc_image");
    const unsigned space = variable.getAddressSpace();
    Constant* block = layout::is_incomplete_space(space)
                          ? incomplete_block(space)
                          : builder_.getInt64(layout::block_bytes_of(space));
    auto* name = ConstantDataArray::getString(module_.getContext(), variable.getName());
    auto* text =
        new GlobalVariable(module_, name->getType(), true, GlobalValue::PrivateLinkage, name);
    return ConstantStruct::get(
        type,
        {text, &address, image, builder_.getInt64(sizes.getTypeAllocSize(value)), block,
         builder_.getInt64(sizes.getTypeAllocSize(element)),
         builder_.getInt64(variable.getSection().starts_with("upc_scaled.")), extents(value)});
  }

  // Of all dimensions, then 0; null if it is no array.
  Constant* extents(Type* value) {
    std::vector<std::uint64_t> numbers;
    for (auto* array = dyn_cast<ArrayType>(value); array != nullptr;
         array = dyn_cast<ArrayType>(array->getElementType()))
      numbers.push_back(array->getNumElements());
    if (numbers.empty()) return ConstantPointerNull::get(builder_.getPtrTy());
    numbers.push_back(0);
    Constant* data = ConstantDataArray::get(module_.getContext(), numbers);
    return new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data);
  }

  // The layout of a variable has a complete type: clang refuses others.
  Constant* incomplete_block(unsigned space) {
    GlobalVariable* size = module_.getGlobalVariable("__upc_layout_" + std::to_string(space), true);
    return size == nullptr ? builder_.getInt64(0) : size->getInitializer();
  }

  void add_registration() {
    Type* pointer = builder_.getPtrTy();
    Type* word = builder_.getInt64Ty();
    auto* type = StructType::get(module_.getContext(),
                                 {pointer, pointer, pointer, word, word, word, word, pointer});
    std::vector<Constant*> rows;
    for (std::size_t i = 0; i < shared_.size(); ++i)
      if (!shared_[i]->isDeclaration())
        rows.push_back(descriptor(*shared_[i], *addresses_[i], type));
    auto* table_type = ArrayType::get(type, rows.size());
    auto* table = new GlobalVariable(module_, table_type, true, GlobalValue::PrivateLinkage,
                                     ConstantArray::get(table_type, rows), "__upc_statics");
    GlobalVariable* threads = module_.getGlobalVariable("__upc_static_threads", true);
    auto* constructor =
        Function::Create(FunctionType::get(builder_.getVoidTy(), false),
                         GlobalValue::InternalLinkage, "__upc_register_file", module_);
    builder_.SetInsertPoint(BasicBlock::Create(module_.getContext(), "", constructor));
    const auto function = module_.getOrInsertFunction(
        "__upc_register", builder_.getVoidTy(), pointer, word, pointer, builder_.getInt32Ty());
    Value* initialize = initialize_ != nullptr ? static_cast<Value*>(initialize_)
                                               : ConstantPointerNull::get(builder_.getPtrTy());
    Value* count = threads != nullptr ? threads->getInitializer() : builder_.getInt32(0);
    builder_.CreateCall(function, {table, builder_.getInt64(rows.size()), initialize, count});
    builder_.CreateRetVoid();
    appendToGlobalCtors(module_, constructor, 65535);
  }

  Module& module_;
  IRBuilder<> builder_;
  std::vector<GlobalVariable*> shared_;
  std::vector<GlobalVariable*> addresses_;  // of each shared variable
  Function* initialize_ = nullptr;
};

}  // namespace

void expand_constants(Module& module) {
  for (Function& function : module)
    for (Instruction& instruction : make_early_inc_range(instructions(function)))
      expand_operands(instruction);
}

void replace_statics(Module& module) {
  removeFromUsedLists(module, [](Constant* one) {
    return Pointers::is_shared(one->stripPointerCasts()->getType());
  });
  Statics(module).run();
}

}  // namespace photofinish::compiler::upc

#include "compiler/upc/pointers.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include "upc_runtime/layout.h"

namespace photofinish::compiler::upc {

using namespace llvm;
namespace layout = photofinish::upc;

namespace {

constexpr const char* kLayoutPrefix = "__upc_layout_";

std::optional<std::uint64_t> integer_of(const GlobalVariable* variable) {
  if (variable == nullptr || !variable->hasInitializer()) return std::nullopt;
  const auto* value = dyn_cast<ConstantInt>(variable->getInitializer());
  return value == nullptr ? std::nullopt : std::optional(value->getZExtValue());
}

}  // namespace

Pointers::Pointers(Module& module)
    : module_(module),
      generic_(IntegerType::get(module.getContext(), layout::kGenericBits)),
      static_threads_(integer_of(module.getGlobalVariable("__upc_static_threads", true))) {
  for (const GlobalVariable& variable : module.globals()) {
    StringRef name = variable.getName();
    unsigned number = 0;
    if (name.consume_front(kLayoutPrefix) && !name.getAsInteger(10, number))
      if (const auto bytes = integer_of(&variable)) completed_[number] = *bytes;
  }
}

bool Pointers::is_shared(const Type* type) {
  return type->isPointerTy() && layout::is_shared_space(type->getPointerAddressSpace());
}

bool Pointers::is_generic(const Type* type) const { return type == generic_; }

std::uint64_t Pointers::block(Type* type, Instruction& user) const {
  const unsigned space = type->getPointerAddressSpace();
  if (!layout::is_incomplete_space(space)) return layout::block_bytes_of(space);
  const auto found = completed_.find(space);
  if (found != completed_.end()) return found->second;
  refuse(user,
         "the block size of this pointer to shared depends on a struct that is not defined in this "
         "file");
  return 0;
}

// Variables that the runtime sets before the program starts.
Value* Pointers::constant_of_run(IRBuilder<>& builder, const char* name, Type* type) const {
  auto* variable = cast<GlobalVariable>(module_.getOrInsertGlobal(name, type));
  auto* load = builder.CreateLoad(type, variable);
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module_.getContext(), {}));
  return load;
}

Value* Pointers::threads(IRBuilder<>& builder) const {
  if (static_threads_) return builder.getInt64(*static_threads_);
  return builder.CreateZExt(constant_of_run(builder, "__upc_threads", builder.getInt32Ty()),
                            builder.getInt64Ty());
}

Position Pointers::position(IRBuilder<>& builder, Value* pointer, std::uint64_t block) const {
  Value* value = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  Value* low = builder.CreateAnd(value, layout::kLinearMask);
  Value* high = builder.CreateLShr(value, layout::kLinearBits);
  if (block == 0) return {high, low, builder.getInt64(0)};
  Value* size = builder.getInt64(block);
  Value* count = threads(builder);
  Value* number = builder.CreateUDiv(low, size);
  Value* phase = builder.CreateURem(low, size);
  Value* row = builder.CreateUDiv(number, count);
  Value* skew = builder.CreateShl(high, layout::skew_shift(block));
  Value* offset = builder.CreateAdd(builder.CreateAdd(builder.CreateMul(row, size), phase), skew);
  return {builder.CreateURem(number, count), offset, phase};
}

Value* Pointers::is_mine(IRBuilder<>& builder, const Position& position) const {
  Value* mine = constant_of_run(builder, "__upc_mythread", builder.getInt32Ty());
  return builder.CreateICmpEQ(position.thread, builder.CreateZExt(mine, builder.getInt64Ty()));
}

Value* Pointers::local_address(IRBuilder<>& builder, const Position& position) const {
  Value* base = constant_of_run(builder, "__upc_segment", builder.getPtrTy());
  return builder.CreateGEP(builder.getInt8Ty(), base, position.offset);
}

Value* Pointers::to_generic(IRBuilder<>& builder, Value* pointer, std::uint64_t block) const {
  const Position at = position(builder, pointer, block);
  const auto field = [&](Value* value, unsigned shift) {
    return builder.CreateShl(builder.CreateZExt(value, generic_), shift);
  };
  Value* packed = builder.CreateOr(field(at.thread, layout::kThreadShift),
                                   builder.CreateOr(field(at.phase, layout::kPhaseShift),
                                                    builder.CreateZExt(at.offset, generic_)));
  return builder.CreateSelect(builder.CreateIsNull(pointer), ConstantInt::get(generic_, 0), packed);
}

Value* Pointers::from_generic(IRBuilder<>& builder, Value* generic, Type* to,
                              std::uint64_t block) const {
  Type* word = builder.getInt64Ty();
  const auto function = module_.getOrInsertFunction("__upc_from_generic", word, word, word, word);
  Value* low = builder.CreateTrunc(generic, word);
  Value* high = builder.CreateTrunc(builder.CreateLShr(generic, 64), word);
  return builder.CreateIntToPtr(builder.CreateCall(function, {low, high, builder.getInt64(block)}),
                                to);
}

Value* Pointers::to_block(IRBuilder<>& builder, Value* pointer, std::uint64_t from, Type* to,
                          std::uint64_t block) const {
  Type* word = builder.getInt64Ty();
  const auto function = module_.getOrInsertFunction("__upc_change_block", word, word, word, word);
  Value* value = builder.CreatePtrToInt(pointer, word);
  Value* changed =
      builder.CreateCall(function, {value, builder.getInt64(from), builder.getInt64(block)});
  return builder.CreateIntToPtr(changed, to);
}

Value* Pointers::to_private(IRBuilder<>& builder, Value* pointer, std::uint64_t block) const {
  const Position at = position(builder, pointer, block);
  Value* reachable = builder.CreateAnd(is_mine(builder, at), builder.CreateIsNotNull(pointer));
  return builder.CreateSelect(reachable, local_address(builder, at),
                              ConstantPointerNull::get(builder.getPtrTy()));
}

// Clang does not know the user's file, only the rewritten one: pfupcc reads the location from the
// text (upc/diagnostics.cpp).
void Pointers::refuse(Instruction& at, const Twine& message) {
  std::string where;
  if (const DILocation* line = at.getDebugLoc().get())
    where = "[" + file_of(*line) + ":" + std::to_string(line->getLine()) + ":" +
            std::to_string(line->getColumn()) + "] ";
  const DiagnosticInfoUnsupported diagnostic(*at.getFunction(), where + message, at.getDebugLoc());
  at.getContext().diagnose(diagnostic);
}

std::string Pointers::file_of(const DILocation& line) {
  const std::string name = line.getFilename().str();
  if (sys::fs::exists(name)) return name;
  SmallString<128> path(line.getDirectory());
  sys::path::append(path, name);
  return path.str().str();
}

}  // namespace photofinish::compiler::upc

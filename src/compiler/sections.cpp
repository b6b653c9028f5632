#include "compiler/sections.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include <vector>

#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {
namespace {

using namespace llvm;

constexpr const char* kBegin = "# photofinish: a section begins";
constexpr const char* kEnd = "# photofinish: a section ends";
constexpr unsigned kLower = 4;  // argument of __kmpc_for_static_init: where the first number is put

void mark(Instruction* before, const char* text) {
  FunctionType* type = FunctionType::get(Type::getVoidTy(before->getContext()), false);
  IRBuilder<> builder(before);
  builder.CreateCall(type, InlineAsm::get(type, text, "~{memory}", true));
}

bool loads_from(const Value* value, const Value* address) {
  const auto* load = dyn_cast<LoadInst>(value);
  return load != nullptr && load->getPointerOperand() == address;
}

// The number of a section: computed from the first one, or counted up from it in a variable.
bool is_number(const Value* value, const Value* lower) {
  if (loads_from(value, lower)) return true;
  if (const auto* operation = dyn_cast<BinaryOperator>(value))
    return is_number(operation->getOperand(0), lower) || is_number(operation->getOperand(1), lower);
  const auto* load = dyn_cast<LoadInst>(value);
  const auto* variable =
      load != nullptr ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  if (variable == nullptr) return false;
  for (const User* user : variable->users())
    if (const auto* store = dyn_cast<StoreInst>(user); store != nullptr &&
                                                       store->getPointerOperand() == variable &&
                                                       loads_from(store->getValueOperand(), lower))
      return true;
  return false;
}

}  // namespace

void mark_sections(Function& function) {
  std::vector<const Value*> lowers;
  std::vector<SwitchInst*> switches;
  for (Instruction& instruction : instructions(function))
    if (const auto* call = dyn_cast<CallInst>(&instruction)) {
      const Function* callee = call->getCalledFunction();
      if (callee != nullptr && callee->getName().starts_with("__kmpc_for_static_init_4") &&
          call->arg_size() > kLower)
        lowers.push_back(call->getArgOperand(kLower));
    } else if (auto* choice = dyn_cast<SwitchInst>(&instruction)) {
      switches.push_back(choice);
    }
  for (SwitchInst* choice : switches)
    for (const Value* lower : lowers) {
      if (!is_number(choice->getCondition(), lower)) continue;
      mark(&*choice->getDefaultDest()->getFirstInsertionPt(), kEnd);
      mark(choice, kBegin);
      break;
    }
}

std::uint64_t section_mark(const CallInst& call) {
  const auto* text = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (text == nullptr) return 0;
  if (text->getAsmString() == kBegin) return PHOTOFINISH_SECTION_BEGIN;
  return text->getAsmString() == kEnd ? PHOTOFINISH_SECTION_END : 0;
}

}  // namespace photofinish::compiler

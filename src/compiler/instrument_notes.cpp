// The notes of runtime_abi.h: where the library finds the state, the regions and the sites.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/instrument.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

void Instrumenter::add_notes(std::uint32_t found, std::uint32_t checked_at) {
  // Prefers the name in the debug information: flang gives its modules no name.
  std::string source = module_.getSourceFileName();
  if (module_.debug_compile_units_begin() != module_.debug_compile_units_end())
    source = (*module_.debug_compile_units_begin())->getFilename().str();
  source.resize((source.size() / 4 + 1) * 4);  // terminated by a zero and padded to words
  add_note(PHOTOFINISH_ABI, *state_, {found, checked_at}, source);
  add_note(PHOTOFINISH_THREADS_ABI, *distance_function(), {}, "");
  if (regions_.empty() && lines_outside_.empty()) return;
  std::size_t size = 2 + lines_outside_.size();
  for (const Lines& region : regions_) size += 2 + region.lines.size();
  Type* i32 = Type::getInt32Ty(context_);
  auto* type = ArrayType::get(i32, size);
  auto* table = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, nullptr,
                                   "__photofinish_regions");
  table->setAlignment(Align(4));
  std::vector<Constant*> words;
  const auto add_lines = [&](const std::set<std::uint32_t>& lines) {
    words.push_back(ConstantInt::get(i32, lines.size()));
    for (const std::uint32_t line : lines) words.push_back(ConstantInt::get(i32, line));
  };
  for (const Lines& region : regions_) {
    words.push_back(distance_of(*region.passed, *table, {0, static_cast<unsigned>(words.size())}));
    add_lines(region.lines);
  }
  words.push_back(ConstantInt::get(i32, 0));
  add_lines(lines_outside_);
  table->setInitializer(ConstantArray::get(type, words));
  add_note(PHOTOFINISH_REGIONS_ABI, *table, {}, "");
}

// Returns where the calling thread keeps the distance to its own sites.
Function* Instrumenter::distance_function() {
  static constexpr const char* kName = PHOTOFINISH_DISTANCE "_of";
  auto* function = Function::Create(FunctionType::get(pointer_, false),
                                    GlobalValue::LinkOnceODRLinkage, kName, module_);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  function->setComdat(module_.getOrInsertComdat(kName));
  IRBuilder<> builder(BasicBlock::Create(context_, "", function));
  builder.CreateRet(builder.CreateThreadLocalAddress(distance_));
  return function;
}

// The distance from a word of a variable to another variable, or to a function.
Constant* Instrumenter::distance_of(GlobalObject& to, GlobalVariable& from,
                                    ArrayRef<unsigned> word) {
  Type* i32 = Type::getInt32Ty(context_);
  std::vector<Constant*> indices;
  for (const unsigned index : word) indices.push_back(ConstantInt::get(i32, index));
  Constant* here = ConstantExpr::getInBoundsGetElementPtr(from.getValueType(), &from, indices);
  return ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(&to, i64_),
                                                     ConstantExpr::getPtrToInt(here, i64_)),
                                i32);
}

void Instrumenter::add_note(std::uint32_t type, GlobalObject& about,
                            const std::vector<std::uint32_t>& numbers, const std::string& text) {
  Type* i32 = Type::getInt32Ty(context_);
  const auto number = [&](std::uint64_t value) { return ConstantInt::get(i32, value); };
  std::vector<Constant*> values;
  for (const std::uint32_t value : numbers) values.push_back(number(value));
  Constant* name = ConstantDataArray::getString(context_, PHOTOFINISH_NOTE_NAME, true);
  Constant* words = ConstantArray::get(ArrayType::get(i32, numbers.size()), values);
  Constant* rest = ConstantDataArray::getString(context_, text, false);
  auto* form = StructType::get(
      context_, {i32, i32, i32, name->getType(), i32, words->getType(), rest->getType()}, true);
  auto* note = new GlobalVariable(module_, form, true, GlobalValue::PrivateLinkage, nullptr,
                                  "__photofinish_note");
  note->setSection(PHOTOFINISH_NOTE_SECTION);
  note->setAlignment(Align(4));
  note->setInitializer(ConstantStruct::get(
      form, {number(sizeof PHOTOFINISH_NOTE_NAME), number(4 + 4 * numbers.size() + text.size()),
             number(type), name, distance_of(about, *note, {0, 4}), words, rest}));
  appendToUsed(module_, {note});
}

}  // namespace photofinish::compiler

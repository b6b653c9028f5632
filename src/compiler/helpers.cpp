#include "compiler/helpers.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>

#include <string>

#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {

constexpr const char* kCommon = R"(
define i64 @__photofinish_common_1(ptr %a, ptr %b, i64 %limit) nounwind noinline cold {
entry:
  %none = icmp eq i64 %limit, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at_a = getelementptr i8, ptr %a, i64 %i
  %at_b = getelementptr i8, ptr %b, i64 %i
  %in_a = load i8, ptr %at_a
  %in_b = load i8, ptr %at_b
  %next = add i64 %i, 1
  %same = icmp eq i8 %in_a, %in_b
  %more = icmp ne i8 %in_a, 0
  %inside = icmp ult i64 %next, %limit
  %both = and i1 %same, %more
  %on = and i1 %both, %inside
  br i1 %on, label %loop, label %end
end:
  %result = phi i64 [ 0, %entry ], [ %next, %loop ]
  ret i64 %result
})";

// The layout of ISO_Fortran_binding.h in flang: the base address, the element length, the rank at
// offset 20, and from offset 24 the lower bound, extent and stride in bytes of each dimension.
// Adjacent dimensions without gaps are merged. Two dimensions are reported; of further ones only
// the first element.
constexpr const char* kArray = R"(
define { i64, i64, i64, i64, i64 } @__photofinish_array_1(ptr %array) nounwind noinline cold {
entry:
  %address = load ptr, ptr %array
  %nothing = icmp eq ptr %address, null
  br i1 %nothing, label %end, label %begin
begin:
  %at_length = getelementptr i8, ptr %array, i64 8
  %length = load i64, ptr %at_length
  %at_rank = getelementptr i8, ptr %array, i64 20
  %rank8 = load i8, ptr %at_rank
  %rank = zext i8 %rank8 to i64
  %dimensions = getelementptr i8, ptr %array, i64 24
  br label %dense
dense:
  %d = phi i64 [ 0, %begin ], [ %next_d, %is_dense ]
  %bytes = phi i64 [ %length, %begin ], [ %more_bytes, %is_dense ]
  %left = icmp ult i64 %d, %rank
  br i1 %left, label %look, label %rows_known
look:
  %at = getelementptr [3 x i64], ptr %dimensions, i64 %d
  %at_extent = getelementptr i64, ptr %at, i64 1
  %at_stride = getelementptr i64, ptr %at, i64 2
  %extent = load i64, ptr %at_extent
  %stride = load i64, ptr %at_stride
  %no_gap = icmp eq i64 %stride, %bytes
  %single = icmp eq i64 %extent, 1
  %joins = or i1 %no_gap, %single
  br i1 %joins, label %is_dense, label %has_rows
is_dense:
  %more_bytes = mul i64 %bytes, %extent
  %next_d = add i64 %d, 1
  br label %dense
has_rows:
  %second = add i64 %d, 1
  %has_second = icmp ult i64 %second, %rank
  br i1 %has_second, label %has_planes, label %rows_known
has_planes:
  %at2 = getelementptr [3 x i64], ptr %dimensions, i64 %second
  %at2_extent = getelementptr i64, ptr %at2, i64 1
  %at2_stride = getelementptr i64, ptr %at2, i64 2
  %extent2 = load i64, ptr %at2_extent
  %stride2 = load i64, ptr %at2_stride
  br label %rows_known
rows_known:
  %rows = phi i64 [ 1, %dense ], [ %extent, %has_rows ], [ %extent, %has_planes ]
  %row_stride = phi i64 [ 0, %dense ], [ %stride, %has_rows ], [ %stride, %has_planes ]
  %planes = phi i64 [ 1, %dense ], [ 1, %has_rows ], [ %extent2, %has_planes ]
  %plane_stride = phi i64 [ 0, %dense ], [ 0, %has_rows ], [ %stride2, %has_planes ]
  %r0 = insertvalue { i64, i64, i64, i64, i64 } poison, i64 %bytes, 0
  %r1 = insertvalue { i64, i64, i64, i64, i64 } %r0, i64 %rows, 1
  %r2 = insertvalue { i64, i64, i64, i64, i64 } %r1, i64 %row_stride, 2
  %r3 = insertvalue { i64, i64, i64, i64, i64 } %r2, i64 %planes, 3
  %r4 = insertvalue { i64, i64, i64, i64, i64 } %r3, i64 %plane_stride, 4
  ret { i64, i64, i64, i64, i64 } %r4
end:
  ret { i64, i64, i64, i64, i64 } zeroinitializer
})";

// One byte for each page, which costs little compared to accessing the page. Ranges whose pages lie
// far apart are left to the library.
constexpr const char* kMarked = R"(
define i1 @__photofinish_marked_2(ptr %gate, i64 %low, i64 %high) nounwind noinline cold {
entry:
  %first = lshr i64 %low, 12
  %end = sub i64 %high, 1
  %last = lshr i64 %end, 12
  %pages = sub i64 %last, %first
  %many = icmp ugt i64 %pages, 4096
  br i1 %many, label %yes, label %loop
loop:
  %page = phi i64 [ %first, %entry ], [ %next, %on ]
  %at = and i64 %page, 262143
  %where = getelementptr i8, ptr %gate, i64 %at
  %mark = load i8, ptr %where
  %marked = icmp ne i8 %mark, 0
  br i1 %marked, label %yes, label %on
on:
  %next = add i64 %page, 1
  %more = icmp ule i64 %next, %last
  br i1 %more, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
})";
static_assert(PHOTOFINISH_PAGE_BITS == 12 && PHOTOFINISH_GATE_SIZE == 262144, "kMarked");

#if LLVM_VERSION_MAJOR >= 17
constexpr CallingConv::ID kKeepsRegisters = CallingConv::PreserveAll;
#else
constexpr CallingConv::ID kKeepsRegisters = CallingConv::PreserveMost;
#endif

void share(Module& module, Function& function) {
  function.setLinkage(GlobalValue::LinkOnceODRLinkage);
  function.setVisibility(GlobalValue::HiddenVisibility);
  function.setDSOLocal(true);
  function.setComdat(module.getOrInsertComdat(function.getName()));
}

Function* helper(Module& module, const char* name, const char* text) {
  if (Function* known = module.getFunction(name)) return known;
  SMDiagnostic problem;
  LLVMContext& context = module.getContext();
  const bool nameless = context.shouldDiscardValueNames();  // textual IR has names
  context.setDiscardValueNames(false);
  const std::unique_ptr<Module> made = parseAssemblyString(text, problem, context);
  context.setDiscardValueNames(nameless);
  if (made == nullptr) report_fatal_error(Twine("photofinish: ") + problem.getMessage());
  Function* function = made->getFunction(name);
  function->removeFromParent();
  module.getFunctionList().push_back(function);
  share(module, *function);
  return function;
}

}  // namespace

Function* common_function(Module& module) {
  return helper(module, "__photofinish_common_1", kCommon);
}
Function* marked_function(Module& module) {
  return helper(module, "__photofinish_marked_2", kMarked);
}
Function* array_function(Module& module) { return helper(module, "__photofinish_array_1", kArray); }

Value* location_of_call(IRBuilderBase& builder) {
  return builder.CreateIntrinsic(Intrinsic::returnaddress, {}, {builder.getInt32(0)});
}

namespace {
// Calls the hook with all arguments but the first one, if the first one is true.
Function* asking_function(Module& module, const char* name, Constant* hook, Type* result,
                          ArrayRef<Type*> parameters, bool reports_location,
                          function_ref<Constant*()> otherwise) {
  if (Function* known = module.getFunction(name)) return known;
  LLVMContext& context = module.getContext();
  Type* pointer = PointerType::getUnqual(context);
  SmallVector<Type*> taken = {Type::getInt1Ty(context)},
                     passed(parameters.begin(), parameters.end());
  taken.append(parameters.begin(), parameters.end());
  Function* function = Function::Create(FunctionType::get(result, taken, false),
                                        GlobalValue::LinkOnceODRLinkage, name, module);
  share(module, *function);
  for (const Attribute::AttrKind attribute : {Attribute::NoInline, Attribute::NoUnwind})
    function->addFnAttr(attribute);
  BasicBlock *entry = BasicBlock::Create(context, "", function),
             *ask = BasicBlock::Create(context, "", function),
             *none = BasicBlock::Create(context, "", function);
  IRBuilder<> builder(entry);
  builder.CreateCondBr(function->getArg(0), ask, none);
  builder.SetInsertPoint(ask);
  SmallVector<Value*> arguments;
  for (unsigned i = 1; i < function->arg_size(); ++i) arguments.push_back(function->getArg(i));
  if (reports_location) {
    passed.push_back(pointer);
    arguments.push_back(location_of_call(builder));
  }
  builder.CreateRet(builder.CreateCall(FunctionType::get(result, passed, false),
                                       builder.CreateLoad(pointer, hook), arguments));
  builder.SetInsertPoint(none);
  builder.CreateRet(otherwise());
  return function;
}

}  // namespace

// On x86-64 the registers depend on the caller: one compiled for AVX expects the upper halves of
// vector registers to be preserved, too. Such callers have a function of their own, since the
// linker keeps one of each name for all objects.
Function* register_keeping_function(Module& module, std::string name, ArrayRef<Type*> parameters,
                                    bool has_avx) {
  if (has_avx) name += "_avx";
  // Objects of several LLVM versions may be linked together.
  if (kKeepsRegisters == CallingConv::PreserveMost) name += "_most";
  if (Function* known = module.getFunction(name)) return known;
  Function* function =
      Function::Create(FunctionType::get(Type::getVoidTy(module.getContext()), parameters, false),
                       GlobalValue::LinkOnceODRLinkage, name, module);
  share(module, *function);
  function->setCallingConv(kKeepsRegisters);
  for (const Attribute::AttrKind attribute :
       {Attribute::Cold, Attribute::NoInline, Attribute::NoUnwind})
    function->addFnAttr(attribute);
  function->setUWTableKind(UWTableKind::Async);  // for the unwinder
  if (Triple(module.getTargetTriple()).getArch() == Triple::x86_64) {
    function->addFnAttr("target-cpu", "x86-64");
    // Code generation must not end it with vzeroupper.
    function->addFnAttr("target-features", has_avx ? "+avx,-vzeroupper" : "");
  }
  return function;
}

namespace {
enum class Location { Appended, LastArgument };

// Calls the hook with its arguments and the location in the program: its return address, or its
// last argument. This function is part of the program, not of the library: only the program's
// compiler knows which registers it preserves.
Function* telling_function(Module& module, std::string name, Constant* hook,
                           ArrayRef<Type*> parameters, bool has_avx,
                           Location location = Location::Appended) {
  Type *nothing = Type::getVoidTy(module.getContext()),
       *pointer = PointerType::getUnqual(module.getContext());
  SmallVector<Type*> passed(parameters.begin(), parameters.end()), taken = passed;
  passed.push_back(pointer);
  if (location == Location::LastArgument) taken.push_back(pointer);
  Function* function = register_keeping_function(module, std::move(name), taken, has_avx);
  if (!function->empty()) return function;
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", function));
  if (has_avx) builder.CreateIntrinsic(Intrinsic::x86_avx_vzeroupper, {}, {});
  SmallVector<Value*> arguments;
  for (Argument& argument : function->args()) arguments.push_back(&argument);
  if (location == Location::Appended) arguments.push_back(location_of_call(builder));
  builder.CreateCall(FunctionType::get(nothing, passed, false), builder.CreateLoad(pointer, hook),
                     arguments);
  builder.CreateRetVoid();
  return function;
}
}  // namespace

Function* ahead_function(Module& module, Constant* hook) {
  Type *pointer = PointerType::getUnqual(module.getContext()),
       *i64 = Type::getInt64Ty(module.getContext());
  return asking_function(module, "__photofinish_ahead_1", hook, i64,
                         {pointer, i64, i64, i64, i64, i64}, true,
                         [&] { return ConstantInt::get(i64, 0); });
}

Function* behind_function(Module& module, Constant* hook) {
  Type *pointer = PointerType::getUnqual(module.getContext()),
       *i64 = Type::getInt64Ty(module.getContext());
  return asking_function(
      module, "__photofinish_behind_1", hook, pointer, {pointer, i64}, false, [&]() -> Constant* {
        Type* seen = StructType::get(module.getContext(), {i64, i64, i64, pointer});
        return new GlobalVariable(module, seen, true, GlobalValue::PrivateLinkage,
                                  Constant::getNullValue(seen), "__photofinish_nothing");
      });
}

Function* check_function(Module& module, Constant* hook, bool has_avx) {
  return telling_function(
      module, "__photofinish_look_2", hook,
      {PointerType::getUnqual(module.getContext()), Type::getInt64Ty(module.getContext())},
      has_avx);
}

Function* report_function(Module& module, Constant* hook, bool has_avx) {
  Type *pointer = PointerType::getUnqual(module.getContext()),
       *i64 = Type::getInt64Ty(module.getContext());
  return telling_function(module, "__photofinish_tell_5", hook, {pointer, pointer, i64}, has_avx);
}

Function* report_at_function(Module& module, Constant* hook, bool has_avx) {
  Type *pointer = PointerType::getUnqual(module.getContext()),
       *i64 = Type::getInt64Ty(module.getContext());
  return telling_function(module, "__photofinish_tell_at_1", hook, {pointer, pointer, i64}, has_avx,
                          Location::LastArgument);
}

Function* loaded_function(Module& module, Constant* hook, bool has_avx) {
  Type *pointer = PointerType::getUnqual(module.getContext()),
       *i64 = Type::getInt64Ty(module.getContext());
  return telling_function(module, "__photofinish_loaded_1", hook, {pointer, pointer, i64}, has_avx,
                          Location::LastArgument);
}

Function* stored_function(Module& module, Constant* hook, bool has_avx) {
  Type *pointer = PointerType::getUnqual(module.getContext()),
       *i64 = Type::getInt64Ty(module.getContext());
  return telling_function(module, "__photofinish_stored_1", hook, {pointer, pointer, i64}, has_avx,
                          Location::LastArgument);
}

Function* range_function(Module& module, Constant* gate, Constant* low, Constant* high,
                         Constant* hook) {
  constexpr const char* kName = "__photofinish_range_1";
  if (Function* known = module.getFunction(kName)) return known;
  LLVMContext& context = module.getContext();
  Type *nothing = Type::getVoidTy(context), *pointer = PointerType::getUnqual(context),
       *i64 = Type::getInt64Ty(context);
  auto* type = FunctionType::get(nothing, {pointer, pointer, i64, i64, i64, i64, i64}, false);
  Function* function = Function::Create(type, GlobalValue::LinkOnceODRLinkage, kName, module);
  share(module, *function);
  for (const Attribute::AttrKind attribute :
       {Attribute::Cold, Attribute::NoInline, Attribute::NoUnwind})
    function->addFnAttr(attribute);
  const auto block = [&] { return BasicBlock::Create(context, "", function); };
  BasicBlock *entry = block(), *near = block(), *marked = block(), *none = block();
  IRBuilder<> builder(entry);
  Value* zero = builder.getInt64(0);
  Value* first = builder.CreatePtrToInt(function->getArg(1), i64);
  Value* end = builder.CreateAdd(
      first, builder.CreateAnd(function->getArg(2),
                               builder.getInt64((std::uint64_t{1} << PHOTOFINISH_UNIT_BITS) - 1)));
  for (const unsigned count : {3U, 5U}) {
    Value* span = builder.CreateMul(builder.CreateSub(function->getArg(count), builder.getInt64(1)),
                                    function->getArg(count + 1));
    Value* up = builder.CreateICmpSGT(span, zero);
    first = builder.CreateAdd(first, builder.CreateSelect(up, zero, span));
    end = builder.CreateAdd(end, builder.CreateSelect(up, span, zero));
  }
  Value* meets = builder.CreateAnd(builder.CreateICmpULT(first, builder.CreateLoad(i64, high)),
                                   builder.CreateICmpULT(builder.CreateLoad(i64, low), end));
  builder.CreateCondBr(meets, near, none);
  builder.SetInsertPoint(near);
  builder.CreateCondBr(builder.CreateCall(marked_function(module), {gate, first, end}), marked,
                       none);
  builder.SetInsertPoint(marked);
  SmallVector<Value*> arguments;
  for (Argument& argument : function->args()) arguments.push_back(&argument);
  // The hook finds the access site as its return address.
  builder.CreateCall(type, builder.CreateLoad(pointer, hook), arguments)
      ->setTailCallKind(CallInst::TCK_MustTail);
  builder.CreateRetVoid();
  builder.SetInsertPoint(none);
  builder.CreateRetVoid();
  return function;
}

}  // namespace photofinish::compiler

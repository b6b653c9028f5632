// Limits. These accesses are missed: strings and outputs of formats that are not constants; the
// text of numbers beyond the first byte; the bytes that strcasecmp reads behind the first letter
// that differs in case; vectors of buffers (readv).
#include "compiler/libc.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_map>

namespace photofinish::compiler {

using namespace llvm;

enum class Manner { Nothing, Read, Write, WriteBehind, Free, FreeBytes, Print, Scan, CallBack };

// Argument numbers; kResult: the value that the call returns.
constexpr int kNone = -1, kResult = -2;
struct Numbers {
  Extent::Kind kind = Extent::Bytes;
  int a = kNone, b = kNone, c = kNone;
};
constexpr int kFirst = -3;    // one byte
constexpr int kExactly = 64;  // kExactly + n: n bytes

struct Touch {
  Manner use = Manner::Nothing;
  int pointer = kNone;
  Numbers extent;
};

struct LibcCall {
  const char* name;
  Touch touches[3];
};

namespace {

#define R(pointer, extent) {Manner::Read, pointer, extent}
#define W(pointer, extent) {Manner::Write, pointer, extent}
#define W_BEHIND(pointer, extent) {Manner::WriteBehind, pointer, extent}
#define FREES(pointer)        \
  {                           \
    Manner::Free, pointer, {} \
  }
#define FREES_BYTES(pointer, n)                      \
  {                                                  \
    Manner::FreeBytes, pointer, { Extent::Bytes, n } \
  }
#define PRINTS(n)        \
  {                      \
    Manner::Print, n, {} \
  }
#define SCANS(n)        \
  {                     \
    Manner::Scan, n, {} \
  }
#define CALLS_BACK(n)       \
  {                         \
    Manner::CallBack, n, {} \
  }
#define NONE \
  {          \
  }
#define BYTES(n) {Extent::Bytes, n}
#define PRODUCT(n, m) {Extent::Bytes, n, m}
#define FIRST {Extent::Bytes, kFirst}
#define STRING(n) {Extent::String, n, n}
#define STRING_UP_TO(n, limit) {Extent::String, n, n, limit}
#define COMMON(n, m) {Extent::String, n, m}
#define COMMON_UP_TO(n, m, limit) {Extent::String, n, m, limit}
#define RETURNED {Extent::Returned, kResult}
#define RETURNED_TIMES(n) {Extent::Returned, kResult, n}
#define FOUND(n) {Extent::Found, kResult, n}
#define FOUND_UP_TO(n, limit) {Extent::Found, kResult, n, limit}
#define RETURNED_STRING {Extent::ReturnedString, kResult}
#define PRINTED {Extent::Printed, kResult}
#define PRINTED_UP_TO(limit) {Extent::Printed, kResult, limit}
#define ARRAY {Extent::Array, kFirst}
#define ARRAY_THEN {Extent::ArrayThen, kFirst}
#define EXACTLY(n) {Extent::Bytes, kExactly + (n)}
constexpr LibcCall kLibcCalls[] = {
#define LIBC(name, ...) {#name, {__VA_ARGS__}},
#define FORTRAN(name, ...) {"_FortranA" #name, {__VA_ARGS__}},
#include "compiler/fortran_calls.def"
#include "compiler/libc_calls.def"
#undef LIBC
#undef FORTRAN
};
#undef R
#undef W
#undef NONE

const LibcCall* find(StringRef name) {
  static const auto* const kByName = [] {
    auto* all = new std::unordered_map<std::string, const LibcCall*>;
    for (const LibcCall& call : kLibcCalls) all->emplace(call.name, &call);
    return all;
  }();
  const auto found = kByName->find(name.str());
  return found != kByName->end() ? found->second : nullptr;
}

// --- formats

// How one conversion of a format uses its argument.
struct Conversion {
  char letter = 0;
  std::string length;  // h, ll, …
  int width = -1;      // -1: none
  int precision = -1;  // printf: -1: none; kStar: the preceding argument
  int stars = 0;       // number of arguments for width and precision
  bool stores = true;  // scanf: false for %*d
  bool allocates = false;
};
constexpr int kStar = -2;

// Takes the next conversion from the format. False: none, or one that is not supported.
bool next_conversion(StringRef& format, bool scans, Conversion& made) {
  made = {};
  const std::size_t begin = format.find('%');
  if (begin == StringRef::npos) return false;
  format = format.drop_front(begin + 1);
  const auto number = [&](int& value) {
    if (!format.empty() && format.front() == '*' && !scans) {
      format = format.drop_front();
      ++made.stars;
      value = kStar;
      return;
    }
    unsigned digits = 0;
    if (!format.consumeInteger(10, digits)) value = static_cast<int>(digits);
  };
  if (!scans)
    format = format.drop_while([](char c) { return StringRef("-+ #0'I").contains(c); });
  else
    for (; !format.empty() && StringRef("*'").contains(format.front());
         format = format.drop_front())
      made.stores = made.stores && format.front() != '*';
  number(made.width);
  if (!format.empty() && format.front() == '$') return false;
  if (!scans && format.consume_front(".")) {
    made.precision = 0;
    number(made.precision);
  }
  if (scans && format.consume_front("m")) made.allocates = true;
  const std::size_t size =
      format.find_if_not([](char c) { return StringRef("hlqLjzZt").contains(c); });
  if (size == StringRef::npos) return false;
  made.length = format.take_front(size).str();
  format = format.drop_front(size);
  made.letter = format.front();
  format = format.drop_front();
  if (scans && made.letter == '[') {
    format.consume_front("^");
    const std::size_t end = format.find(']', 1);
    if (end == StringRef::npos) return false;
    format = format.drop_front(end + 1);
  }
  return true;
}

std::uint64_t bytes_stored(const Conversion& conversion) {
  if (conversion.allocates || conversion.letter == 'p') return 8;
  const bool real = StringRef("aefgAEFG").contains(conversion.letter);
  return StringSwitch<std::uint64_t>(conversion.length)
      .Case("hh", 1)
      .Case("h", 2)
      .Case("L", real ? 16 : 8)
      .Cases("l", "ll", "q", "j", 8)
      .Cases("z", "Z", "t", 8)
      .Default(4);
}

class Reader {
 public:
  Reader(CallBase& call, std::vector<MemoryAccess>& accesses)
      : call_(call), accesses_(accesses), i64_(Type::getInt64Ty(call.getContext())) {}

  void touch(const Touch& touch) {
    switch (touch.use) {
      case Manner::Nothing:
      case Manner::CallBack:
        return;
      case Manner::Print:
        return formatted(touch.pointer, false);
      case Manner::Scan:
        return formatted(touch.pointer, true);
      case Manner::Free:
        return add(argument(touch.pointer), {Extent::Bytes, number(0)}, true, true);
      case Manner::FreeBytes:
        return add(argument(touch.pointer), {Extent::Bytes, argument(touch.extent.a)}, true, true);
      default:
        break;
    }
    const Numbers& n = touch.extent;
    const Extent extent{n.kind, argument(n.a), argument(n.b), argument(n.c)};
    if ((n.a != kNone && extent.a == nullptr) || (n.b != kNone && extent.b == nullptr) ||
        (n.c != kNone && extent.c == nullptr))
      return;
    add(argument(touch.pointer), extent, touch.use != Manner::Read, false,
        touch.use == Manner::WriteBehind);
  }

 private:
  Constant* number(std::uint64_t value) const { return ConstantInt::get(i64_, value); }
  Value* argument(int index) const {
    if (index == kFirst) return number(1);
    if (index >= kExactly) return number(static_cast<std::uint64_t>(index - kExactly));
    if (index == kResult) return call_.getType()->isVoidTy() ? nullptr : &call_;
    return index >= 0 && static_cast<unsigned>(index) < call_.arg_size()
               ? call_.getArgOperand(static_cast<unsigned>(index))
               : nullptr;
  }

  // A program may declare a function of this name with other types.
  static bool is_well_typed(const Extent& extent) {
    const auto is_number = [](const Value* value) {
      return value == nullptr || value->getType()->isIntegerTy();
    };
    const auto is_pointer = [](const Value* value) {
      return value == nullptr ||
             (value->getType()->isPointerTy() && value->getType()->getPointerAddressSpace() == 0);
    };
    switch (extent.kind) {
      case Extent::String:
      case Extent::Found:
        return is_pointer(extent.a) && is_pointer(extent.b) && is_number(extent.c);
      case Extent::ReturnedString:
        return is_pointer(extent.a);
      default:
        return is_number(extent.a) && is_number(extent.b) && is_number(extent.c);
    }
  }

  void add(Value* address, Extent extent, bool writes, bool releases = false, bool behind = false) {
    if (address == nullptr || !address->getType()->isPointerTy() || extent.a == nullptr ||
        !is_well_typed(extent))
      return;
    if (extent.comes_after() && call_.isMustTailCall()) return;
    MemoryAccess access{&call_, address, 0, extent, writes};
    access.releases = releases;
    access.behind_string = behind;
    if (const auto* constant = dyn_cast<ConstantInt>(extent.a);
        extent.kind == Extent::Bytes && extent.b == nullptr && constant != nullptr && !releases) {
      access.bytes = constant->getZExtValue();
      if (access.bytes == 0) return;
    }
    accesses_.push_back(access);
  }

  void formatted(int at, bool scans) {
    StringRef format;
    Value* text = argument(at);
    if (text == nullptr || !getConstantStringInfo(text, format)) return;
    unsigned assigned = 0;
    Conversion conversion;
    for (int next = at + 1; next_conversion(format, scans, conversion);) {
      if (conversion.letter == '%' || conversion.letter == 'm') continue;
      if (scans) {
        if (!conversion.stores) continue;
        scanned(argument(next++), conversion, assigned);
        if (conversion.letter != 'n') ++assigned;
      } else {
        next += conversion.stars;
        printed(next, conversion);
        ++next;
      }
    }
  }

  void printed(int at, const Conversion& conversion) {
    Value* value = argument(at);
    if (conversion.letter == 'n')
      return add(value, {Extent::Bytes, number(bytes_stored(conversion))}, true);
    if (conversion.letter != 's' || !conversion.length.empty()) return;
    Value* limit = nullptr;
    if (conversion.precision == kStar)
      limit = argument(at - 1);
    else if (conversion.precision >= 0)
      limit = number(static_cast<std::uint64_t>(conversion.precision));
    add(value, {Extent::String, value, value, limit}, false);
  }

  void scanned(Value* location, const Conversion& conversion, unsigned index) {
    Constant* bytes = nullptr;
    if (conversion.allocates)
      bytes = number(8);
    else if (conversion.letter == 'c')
      bytes = number(conversion.width > 0 ? static_cast<std::uint64_t>(conversion.width) : 1);
    else if (conversion.letter != 's' && conversion.letter != '[')
      bytes = number(bytes_stored(conversion));
    if (bytes == nullptr && !conversion.length.empty()) return;  // of wide characters
    add(location, {Extent::Assigned, &call_, number(index), bytes}, true);
  }

  CallBase& call_;
  std::vector<MemoryAccess>& accesses_;
  Type* i64_;
};

}  // namespace

const LibcCall* libc_call(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return nullptr;
  StringRef name = callee->getName();
  if (const LibcCall* known = find(name)) return known;
  if (name.starts_with("_FortranA")) {  // one variant for each type
    const std::size_t type =
        std::min({name.find("Integer"), name.find("Real"), name.find("Complex"),
                  name.find("Logical"), name.find("Character")});
    return type != StringRef::npos ? find(name.take_front(type)) : nullptr;
  }
  if (name.consume_front("__isoc99_") || name.consume_front("__isoc23_")) return find(name);
  if (name.consume_front("__") && name.consume_back("_chk")) return find(name);
  return nullptr;
}

const Value* called_back(const CallBase& call, const LibcCall& known) {
  for (const Touch& touch : known.touches)
    if (touch.use == Manner::CallBack && static_cast<unsigned>(touch.pointer) < call.arg_size())
      return call.getArgOperand(static_cast<unsigned>(touch.pointer));
  return nullptr;
}

void add_libc_call(CallBase& call, const LibcCall& known, std::vector<MemoryAccess>& accesses) {
  Reader reader(call, accesses);
  for (const Touch& touch : known.touches) reader.touch(touch);
}

bool is_quiet_name(StringRef name) {
  if (name.starts_with("_FortranA")) return true;
  static constexpr const char* kNames[] = {
#define QUIET(name) #name,
#include "compiler/quiet_calls.def"
#undef QUIET
  };
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](const char* known) { return name == known; });
}

}  // namespace photofinish::compiler

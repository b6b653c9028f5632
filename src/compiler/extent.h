// How many bytes an access touches, where only the run knows. It is worked out behind the check, so
// that a program that nobody watches does not pay for it.
#pragma once

#include <llvm/IR/Value.h>

namespace photofinish::compiler {

struct Extent {
  enum Kind {
    Bytes,     // a; times b, if given
    Scalable,  // a, times the length of the machine's vectors
    Lanes,     // a for each lane that is set in b
    String,  // what the strings a and b have in common, and one more, but at most c; of one string,
             // all of it and its zero
    Returned,        // the number a, if positive; times b, if given
    Found,           // from b to the pointer a; if that is null, the string at b, or c bytes
    ReturnedString,  // the string at a, if that is not null
    Printed,         // the number a and one more, but at most b; nothing if a is negative
    Assigned,        // if the number a is larger than the number b: c bytes, or the string that was
                     // stored
    Array,           // as the Fortran descriptor at the address says
    ArrayThen,       // the same, when the call has returned
  };
  Kind kind = Bytes;
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  llvm::Value* c = nullptr;

  // Known only when the call has returned.
  bool comes_after() const {
    return kind == Returned || kind == Found || kind == ReturnedString || kind == Printed ||
           kind == Assigned || kind == ArrayThen;
  }
  // The address is that of a descriptor.
  bool is_array() const { return kind == Array || kind == ArrayThen; }
};

}  // namespace photofinish::compiler

// The number of bytes of an access whose size is known only at run time. It is computed behind the
// check, so that a run without the tool does not pay for it.
#pragma once

#include <llvm/IR/Value.h>

namespace photofinish::compiler {

struct Extent {
  enum Kind {
    Bytes,     // a; times b, if given
    Scalable,  // a times vscale
    Lanes,     // a for each lane set in b
    String,    // the common prefix of strings a and b plus one byte, at most c; for one string, its
               // length with the zero
    Returned,  // a, if positive; times b, if given
    Found,     // from b to the pointer a; if a is null, the string at b, or c bytes
    ReturnedString,  // the string at a, if a is not null
    Printed,         // a plus one, at most b; none if a is negative
    Assigned,        // if a is greater than b: c bytes, or the stored string
    Array,           // as the Fortran descriptor at the address says
    ArrayThen,       // the same, after the call has returned
  };
  Kind kind = Bytes;
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  llvm::Value* c = nullptr;

  // Known only after the call has returned.
  bool comes_after() const {
    return kind == Returned || kind == Found || kind == ReturnedString || kind == Printed ||
           kind == Assigned || kind == ArrayThen;
  }
  // The address is that of a Fortran descriptor.
  bool is_array() const { return kind == Array || kind == ArrayThen; }
};

}  // namespace photofinish::compiler

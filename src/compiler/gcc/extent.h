// How many bytes a library call accesses, if only the run knows. The plugin passes the kind and its
// three numbers to a support function, which computes the bytes.
#pragma once

#include <cstdint>

namespace photofinish::gcc {

struct Extent {
  enum Kind {
    Bytes,           // a; times b, if given
    String,          // the common prefix of strings a and b plus one byte, at most c
    Returned,        // a, if positive; times b, if given
    Found,           // from b to the pointer a; if a is null, the string at b, or c bytes
    ReturnedString,  // the string at a, if a is not null
    Printed,         // a plus one, at most b; none if a is negative
    Assigned,        // if a is greater than b: c bytes, or the stored string
    Array,           // as gfortran's descriptor at the address says
    ArrayThen,       // the same, after the call has returned
  };
};

// Whether the size is known only after the call has returned.
constexpr bool is_known_after(Extent::Kind kind) {
  return kind == Extent::Returned || kind == Extent::Found || kind == Extent::ReturnedString ||
         kind == Extent::Printed || kind == Extent::Assigned || kind == Extent::ArrayThen;
}

// Flags in the kind that a support function gets.
constexpr std::uint64_t kHasB = 1 << 8, kHasC = 1 << 9, kBehindString = 1 << 10;

}  // namespace photofinish::gcc

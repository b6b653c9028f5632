// The interface between code of gfortran 8 to 12 and its coarray library, as in libcaf.h of
// OpenCoarrays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace photofinish::caf {

struct Dimension {
  std::ptrdiff_t stride;  // in elements
  std::ptrdiff_t lower, upper;
  std::ptrdiff_t extent() const { return upper >= lower ? upper - lower + 1 : 0; }
};

// An array, or a scalar: rank 0.
struct Descriptor {
  void* base;
  std::size_t offset;
  struct {
    std::size_t element;  // bytes
    int version;
    signed char rank, type;
    std::int16_t attribute;
  } dtype;
  std::ptrdiff_t span;
  Dimension dimensions[15];  // `rank` of them exist
};
static_assert(offsetof(Descriptor, dimensions) == 40, "the layout of gfc_array_descriptor_t");

// A subscript of one dimension: the values of a vector if `count` is not 0, otherwise a range.
struct Subscript {
  std::size_t count;
  union {
    struct {
      void* values;
      int kind;
    } vector;
    struct {
      std::ptrdiff_t lower, upper, stride;
    } range;
  };
};

enum class ReferenceType : int { Component, Array, StaticArray };
enum class Mode : unsigned char { None, Vector, Full, Range, Single, OpenEnd, OpenStart };

// A part of a derived type or of an array; the parts of it follow in `next`.
struct Reference {
  Reference* next;
  ReferenceType type;
  std::size_t item;  // bytes
  struct Bounds {
    std::ptrdiff_t start, end, stride;
  };
  struct Values {
    void* values;
    std::size_t count;
    int kind;
  };
  union {
    struct {
      std::ptrdiff_t offset, token_offset;  // token_offset 0: not allocatable
    } component;
    struct {
      Mode mode[15];
      int static_type;
      union {
        Bounds bounds;
        Values vector;
      } dimensions[15];
    } array;
  };
};

// What a token points to starts with these.
struct Token {
  void* memory;
};

enum class RegisterType : int {
  Static,
  Allocatable,
  LockStatic,
  LockAllocatable,
  Critical,
  EventStatic,
  EventAllocatable,
  ComponentOnly,  // no memory yet
  ComponentAllocate
};

}  // namespace photofinish::caf

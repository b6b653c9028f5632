// upc_all_reduce and upc_all_prefix_reduce for each type.
#include <algorithm>
#include <string>
#include <vector>

#include "upc_runtime/api.h"
#include "upc_runtime/collectives.h"
#include "upc_runtime/operations.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {
namespace {

// A shared array of T with blocks of `block` elements; 0: indefinite.
template <class T>
class Array {
 public:
  Array(Generic first, std::size_t elements, std::size_t block)
      : block_(block * sizeof(T)),
        elements_(elements),
        first_(typed_pointer(position_of(first), block_)) {}

  // Calls action(position, index, count) for each piece that is contiguous.
  template <class Action>
  void each_piece(Action action) const {
    for (std::size_t i = 0; i < elements_;) {
      const Position at = position_of(first_ + i * sizeof(T), block_);
      const std::size_t rest = block_ == 0 ? elements_ : (block_ - at.phase) / sizeof(T);
      const std::size_t count = std::min(rest, elements_ - i);
      action(at, i, count);
      i += count;
    }
  }

  std::vector<T> values() const {
    std::vector<T> result(elements_);
    each_piece([&](const Position& at, std::size_t index, std::size_t count) {
      start_get(result.data() + index, at, count * sizeof(T));
    });
    complete_all();
    return result;
  }

 private:
  std::uint64_t block_;
  std::size_t elements_;
  Typed first_;
};

template <class T>
using Function = T (*)(T, T);

template <class T>
T apply(int operation, Function<T> function, T a, T b) {
  return (operation & (kFunction | kOrderedFunction)) != 0 ? function(a, b)
                                                           : combined(operation, a, b);
}

template <class T>
void check(int operation, Function<T> function, const char* name) {
  const bool called = (operation & (kFunction | kOrderedFunction)) != 0;
  if (called ? function == nullptr : !has_operation<T>(operation))
    die(std::string(name) +
        ": the type does not have the operation, or the function is a null pointer");
}

// Each thread combines its own elements; then all values are combined where the result goes.
template <class T>
T reduced_by_parts(const Array<T>& array, int operation, Function<T> function) {
  struct Part {
    T value;
    bool used;
  };
  Part own{};
  array.each_piece([&](const Position& at, std::size_t, std::size_t count) {
    if (!is_mine(at)) return;
    const T* values = reinterpret_cast<const T*>(local(at.offset));
    for (std::size_t i = 0; i < count; ++i) {
      own.value = own.used ? apply(operation, function, own.value, values[i]) : values[i];
      own.used = true;
    }
  });
  std::vector<Part> parts(threads());
  MPI_Allgather(&own, sizeof own, MPI_BYTE, parts.data(), sizeof own, MPI_BYTE, communicator());
  Part result{};
  for (const Part& part : parts)
    if (part.used)
      result = {result.used ? apply(operation, function, result.value, part.value) : part.value,
                true};
  return result.value;
}

template <class T>
void reduce(Generic to, Generic from, int operation, std::size_t elements, std::size_t block,
            Function<T> function, int mode) {
  check(operation, function, "upc_all_reduce");
  enter_collective(mode);
  const Position target = position_of(to);
  const Array<T> array(from, elements, block);
  T result{};
  if ((operation & kOrderedFunction) == 0) {
    result = reduced_by_parts(array, operation, function);
  } else if (is_mine(target)) {
    const std::vector<T> values = array.values();
    if (!values.empty()) result = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) result = function(result, values[i]);
  }
  if (is_mine(target)) put(target, &result, sizeof result);
  leave_collective(mode);
}

// Each thread computes all sums and stores those of its own elements: simple, but no faster with
// more threads.
template <class T>
void prefix_reduce(Generic to, Generic from, int operation, std::size_t elements, std::size_t block,
                   Function<T> function, int mode) {
  check(operation, function, "upc_all_prefix_reduce");
  enter_collective(mode);
  std::vector<T> values = Array<T>(from, elements, block).values();
  for (std::size_t i = 1; i < values.size(); ++i)
    values[i] = apply(operation, function, values[i - 1], values[i]);
  // The target may be the source: all have read it.
  MPI_Barrier(communicator());
  Array<T>(to, elements, block)
      .each_piece([&](const Position& at, std::size_t index, std::size_t count) {
        if (is_mine(at)) put(at, values.data() + index, count * sizeof(T));
      });
  leave_collective(mode);
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

#define REDUCTION(letter, type)                                                        \
  UPC_API void upc_all_reduce##letter(Generic to, Generic from, int operation,         \
                                      std::size_t elements, std::size_t block,         \
                                      type (*function)(type, type), int mode) {        \
    reduce<type>(to, from, operation, elements, block, function, mode);                \
  }                                                                                    \
  UPC_API void upc_all_prefix_reduce##letter(Generic to, Generic from, int operation,  \
                                             std::size_t elements, std::size_t block,  \
                                             type (*function)(type, type), int mode) { \
    prefix_reduce<type>(to, from, operation, elements, block, function, mode);         \
  }
REDUCTION(C, signed char)
REDUCTION(UC, unsigned char)
REDUCTION(S, short)
REDUCTION(US, unsigned short)
REDUCTION(I, int)
REDUCTION(UI, unsigned)
REDUCTION(L, long)
REDUCTION(UL, unsigned long)
REDUCTION(F, float)
REDUCTION(D, double)
REDUCTION(LD, long double)

// UPC 1.3 atomics, with compare-and-swap of MPI: all types have 4 or 8 bytes.
#include <cstring>
#include <string>
#include <vector>

#include "upc_runtime/api.h"
#include "upc_runtime/operations.h"
#include "upc_runtime/segment.h"

namespace photofinish::upc {
namespace {

struct Domain {
  int type, operations;
};
// Domains are created collectively, so that all threads number them alike. A domain's pointer is
// its number: nothing accesses it.
std::vector<Domain> domains;

struct Request {
  void* fetched;
  int operation;
  Position target;
  const void *operand1, *operand2;
};

template <class T>
T value_at(const void* pointer) {
  T value{};
  if (pointer == nullptr) die("upc_atomic: the operation needs another operand");
  std::memcpy(&value, pointer, sizeof value);
  return value;
}

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T next_value(const Request& request, T old) {
  switch (request.operation) {
    case kGet:
      return old;
    case kSet:
      return value_at<T>(request.operand1);
    case kSwap:
      return old == value_at<T>(request.operand1) ? value_at<T>(request.operand2) : old;
    case kInc:
      return static_cast<T>(old + 1);
    case kDec:
      return static_cast<T>(old - 1);
    default:
      return combined(request.operation, old, value_at<T>(request.operand1));
  }
}

template <class T>
void execute(const Request& request) {
  const int others = kGet | kSet | kSwap | kInc | kDec;
  if (!has_operation<T>(request.operation) && (request.operation & others) == 0)
    die("upc_atomic: the type does not have the operation");
  T old{};
  atomic_read(&old, request.target, sizeof old);
  while (request.operation != kGet) {
    const std::uint64_t expected = bits_of(old);
    const std::uint64_t found =
        compare_and_swap(request.target, expected, bits_of(next_value(request, old)), sizeof old);
    if (found == expected) break;
    std::memcpy(&old, &found, sizeof old);
  }
  if (request.fetched != nullptr) std::memcpy(request.fetched, &old, sizeof old);
}

// The numbers of upc_types.h.
void execute(int type, const Request& request) {
  switch (type) {
    case 5:
    case 15:
      return execute<std::int32_t>(request);
    case 6:
    case 16:
      return execute<std::uint32_t>(request);
    case 7:
    case 9:
    case 17:
      return execute<std::int64_t>(request);
    case 8:
    case 10:
    case 18:
      return execute<std::uint64_t>(request);
    case 19:
      return execute<float>(request);
    case 20:
      return execute<double>(request);
    // A pointer to shared: get, set and compare-and-swap.
    case 22:
      return execute<std::uint64_t>(request);
    default:
      die("upc_atomic: atomics have no type " + std::to_string(type));
  }
}

void atomic(Typed domain, const Request& request) {
  if (domain == 0 || domain > domains.size()) die("upc_atomic: the domain is not valid");
  const Domain& one = domains[domain - 1];
  if ((one.operations & request.operation) == 0)
    die("upc_atomic: the domain does not have the operation");
  if (one.type == 22 && (request.operation & (kGet | kSet | kSwap)) == 0)
    die("upc_atomic: UPC_PTS has UPC_GET, UPC_SET and UPC_CSWAP only");
  execute(one.type, request);
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API Typed upc_all_atomicdomain_alloc(int type, int operations, int) {
  domains.push_back({type, operations});
  MPI_Barrier(communicator());
  return domains.size();
}

UPC_API void upc_all_atomicdomain_free(Typed) { MPI_Barrier(communicator()); }

UPC_API void upc_atomic_relaxed(Typed domain, void* fetched, int operation, Generic target,
                                const void* operand1, const void* operand2) {
  atomic(domain, {fetched, operation, position_of(target), operand1, operand2});
}

UPC_API void upc_atomic_strict(Typed domain, void* fetched, int operation, Generic target,
                               const void* operand1, const void* operand2) {
  complete_all();
  fence();
  atomic(domain, {fetched, operation, position_of(target), operand1, operand2});
  fence();
}

UPC_API int upc_atomic_isfast(int, int, Generic) { return 0; }

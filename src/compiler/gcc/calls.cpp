#include "compiler/gcc/calls.h"

namespace photofinish::gcc {
namespace {

tree argument(const gimple* call, unsigned index) {
  return index < gimple_call_num_args(call) ? gimple_call_arg(call, index) : nullptr;
}

struct Order {
  bool releases = true, acquires = true;  // of an order that is not a constant
};
Order order_of(tree value) {
  if (value == nullptr || TREE_CODE(value) != INTEGER_CST) return {};
  const auto order = static_cast<memmodel>(TREE_INT_CST_LOW(value) & MEMMODEL_BASE_MASK);
  return {order == MEMMODEL_RELEASE || order == MEMMODEL_ACQ_REL || order == MEMMODEL_SEQ_CST,
          order == MEMMODEL_CONSUME || order == MEMMODEL_ACQUIRE || order == MEMMODEL_ACQ_REL ||
              order == MEMMODEL_SEQ_CST};
}

// A trailing _1, _2, _4, _8 or _16 is the number of bytes.
std::uint64_t take_size(std::string_view& name) {
  const std::size_t at = name.rfind('_');
  if (at == std::string_view::npos || at + 1 == name.size()) return 0;
  std::uint64_t bytes = 0;
  for (const char digit : name.substr(at + 1)) {
    if (digit < '0' || digit > '9') return 0;
    bytes = 10 * bytes + static_cast<std::uint64_t>(digit - '0');
  }
  name = name.substr(0, at);
  return bytes;
}

std::uint64_t pointed_bytes(tree pointer) {
  tree type = TREE_TYPE(TREE_TYPE(pointer));
  tree size = POINTER_TYPE_P(TREE_TYPE(pointer)) ? TYPE_SIZE_UNIT(type) : nullptr;
  return size != nullptr && tree_fits_uhwi_p(size) ? tree_to_uhwi(size) : 1;
}

std::optional<Atomic> internal_atomic(const gimple* call) {
  unsigned pointer = 0, order = 3;
  std::uint64_t bytes = 0;
  switch (gimple_call_internal_fn(call)) {
    case IFN_ATOMIC_COMPARE_EXCHANGE:
      order = 4;
      bytes = TREE_INT_CST_LOW(gimple_call_arg(call, 3)) & 255;
      break;
    case IFN_ATOMIC_BIT_TEST_AND_SET:
    case IFN_ATOMIC_BIT_TEST_AND_COMPLEMENT:
    case IFN_ATOMIC_BIT_TEST_AND_RESET:
      bytes = pointed_bytes(gimple_call_arg(call, 0));
      break;
    case IFN_ATOMIC_ADD_FETCH_CMP_0:
    case IFN_ATOMIC_SUB_FETCH_CMP_0:
    case IFN_ATOMIC_AND_FETCH_CMP_0:
    case IFN_ATOMIC_OR_FETCH_CMP_0:
    case IFN_ATOMIC_XOR_FETCH_CMP_0:
      pointer = 1;
      bytes = pointed_bytes(gimple_call_arg(call, 1));
      break;
    default:
      return {};
  }
  const Order made = order_of(argument(call, order));
  return Atomic{gimple_call_arg(call, pointer), bytes, true, made.releases, made.acquires};
}

}  // namespace

std::string_view name_of(const gimple* call) {
  tree callee = gimple_call_fndecl(call);
  if (callee == nullptr) return {};
  // A builtin has the name of the library function that stands for it.
  tree identifier =
      DECL_ASSEMBLER_NAME_SET_P(callee) ? DECL_ASSEMBLER_NAME(callee) : DECL_NAME(callee);
  if (identifier == nullptr) return {};
  std::string_view name = IDENTIFIER_POINTER(identifier);
  if (begins(name, "*")) name.remove_prefix(1);
  if (begins(name, "__builtin_")) name.remove_prefix(10);
  return name;
}

const KnownCall* known_call(const gimple* call) {
  tree callee = gimple_call_fndecl(call);
  if (callee == nullptr || gimple_has_body_p(callee)) return nullptr;
  return find_known_call(name_of(call));
}

std::optional<Atomic> atomic_of(const gimple* call) {
  if (!is_gimple_call(call)) return {};
  if (gimple_call_internal_p(call)) return internal_atomic(call);
  std::string_view name = name_of(call);
  tree first = argument(call, 0);
  if (name == "__cxa_guard_acquire") return Atomic{first, 0, false, false, true};
  if (name == "__cxa_guard_release") return Atomic{first, 0, false, true, false};
  if (name == "__sync_synchronize") return Atomic{nullptr, 0, false, true, true};
  if (name == "__atomic_thread_fence") {
    const Order order = order_of(first);
    return Atomic{nullptr, 0, false, order.releases, order.acquires};
  }
  if (begins(name, "__sync_")) {
    const std::uint64_t bytes = take_size(name);
    if (bytes == 0) return {};
    return Atomic{first, bytes, true, name != "__sync_lock_test_and_set",
                  name != "__sync_lock_release"};
  }
  if (!begins(name, "__atomic_")) return {};
  if (name == "__atomic_test_and_set" || name == "__atomic_clear") {
    const Order order = order_of(argument(call, 1));
    const bool sets = name == "__atomic_test_and_set";
    return Atomic{first, 1, true, order.releases, sets && order.acquires};
  }
  std::uint64_t bytes = take_size(name);
  unsigned shift = 0;  // the variant for any size has the size in front
  if (bytes == 0) {
    if (first == nullptr || !tree_fits_uhwi_p(first)) return {};
    bytes = tree_to_uhwi(first);
    first = argument(call, shift = 1);
  }
  unsigned order = 2 + shift;
  const bool loads = name == "__atomic_load", stores = name == "__atomic_store";
  if (loads) order = 1 + 2 * shift;
  if (name == "__atomic_exchange") order = 2 + 2 * shift;
  if (name == "__atomic_compare_exchange") order = 4;
  if (!loads && !stores && name != "__atomic_exchange" && name != "__atomic_compare_exchange" &&
      !begins(name, "__atomic_fetch_") && !ends(name, "_fetch"))
    return {};
  const Order made = order_of(argument(call, order));
  return Atomic{first, bytes, !loads, made.releases && !loads, made.acquires && !stores};
}

}  // namespace photofinish::gcc

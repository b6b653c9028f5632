// Which call completes which OpenSHMEM operations, and which are complete when they return. This is
// the only place that knows.
//
//   call                                  operations of         at
//   shmem_quiet                           SHMEM_CTX_DEFAULT     return
//   shmem_ctx_quiet, shmem_ctx_destroy    the context           return
//   shmem_barrier, shmem_barrier_all      SHMEM_CTX_DEFAULT     start
//   shmem_clear_lock                      SHMEM_CTX_DEFAULT     start
//   shmem_malloc … shmem_free             SHMEM_CTX_DEFAULT     start
//   shmem_finalize                        all contexts          start
//   shmem_fence, shmem_sync, shmem_sync_all, collectives: none
//
// Completion at the start: the call releases other PEs after it. All these calls complete
// operations at the target, and free their buffers.
#pragma once

#include <cstdint>
#include <optional>

#include "effects/effects.h"
#include "frontend/shmem/table/shmem_call.h"
#include "model/event.h"

namespace photofinish::shmem_meaning {

struct CompletionRule {
  enum class Contexts : std::uint8_t { Default, One, All };
  Contexts contexts = Contexts::Default;
  At at = At::Start;
};

constexpr std::optional<CompletionRule> completion_of(Action action) {
  using Contexts = CompletionRule::Contexts;
  switch (action) {
    case Action::Quiet:
    case Action::ContextDestroy:
      return CompletionRule{.contexts = Contexts::One, .at = At::Return};
    case Action::Barrier:
    case Action::LockRelease:
    case Action::SymmetricAllocate:
    case Action::SymmetricFree:
      return CompletionRule{};
    case Action::Finalize:
      return CompletionRule{.contexts = Contexts::All};
    default:
      return std::nullopt;
  }
}

// Whether the buffers of the call stay in use after it returns.
constexpr bool is_nonblocking(Call call) {
  switch (value_of(call)) {
    case value_of(ShmemCall::shmem_put_nbi):
    case value_of(ShmemCall::shmem_get_nbi):
    case value_of(ShmemCall::shmem_put_signal_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_nbi):
    case value_of(ShmemCall::shmem_atomic_swap_nbi):
    case value_of(ShmemCall::shmem_atomic_compare_swap_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_add_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_inc_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_and_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_or_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_xor_nbi):
      return true;
    default:
      return false;
  }
}

// Whether it returns data: then it is complete at the target when its buffer is free.
constexpr bool fetches(Action action) { return action == Action::Get || is_fetch(action); }

// Whether shmem_fence orders its delivery. It does not order what returns data later.
constexpr bool is_ordered(Call call, Action action) {
  return action != Action::Get && !(fetches(action) && is_nonblocking(call));
}

}  // namespace photofinish::shmem_meaning

// The access sites of code that GCC compiled with -fsanitize=thread. The hooks get an address only,
// so a site is found by the return address of the hook.
//
// Rule: the key of a site is its return address, and the index of the access for a library call
// that makes several. A key is entered once and never removed. Sites are numbered in the order in
// which their keys were entered, so that they share pages. Nothing waits: a thread that sees a key
// without a number takes one itself, and the first number counts. Limit: the first kSites sites
// that reach marked pages are recorded, others are not.
#pragma once

#include "compiler/gcc/support.h"
#include "compiler/gcc/tsan/key.h"

namespace photofinish::gcc {

struct Sites {
  static constexpr std::uint32_t kSites = 1 << 17, kSlots = 2 * kSites;
  std::uint64_t keys[kSlots];
  std::uint32_t numbers[kSlots];
  std::uint32_t used;
  photofinish_site sites[kSites];
};

}  // namespace photofinish::gcc

SHARED photofinish::gcc::Sites sites __asm__("__photofinish_gcc_sites_1")
    __attribute__((aligned(64)));

// The site of the calling thread. Null: there are too many.
FUNCTION photofinish_site* __photofinish_gcc_site_1(std::uint64_t key) {
  using photofinish::gcc::Sites;
  std::uint32_t slot = static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15ull >> 46);
  static_assert(Sites::kSlots == 1 << (64 - 46));
  for (;; slot = (slot + 1) % Sites::kSlots) {
    std::uint64_t found = __atomic_load_n(&sites.keys[slot], __ATOMIC_RELAXED);
    if (found == 0) {
      if (__atomic_load_n(&sites.used, __ATOMIC_RELAXED) >= Sites::kSites) return nullptr;
      if (__atomic_compare_exchange_n(&sites.keys[slot], &found, key, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
        found = key;
    }
    if (found == key) break;
  }
  std::uint32_t number = __atomic_load_n(&sites.numbers[slot], __ATOMIC_RELAXED);
  if (number == 0) {
    const std::uint32_t fresh = __atomic_add_fetch(&sites.used, 1, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&sites.numbers[slot], &number, fresh, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      number = fresh;
  }
  return number < Sites::kSites ? of_this_thread(&sites.sites[number]) : nullptr;
}

// An access to marked memory. `bytes` as in the `access` hook. `always` as many at this site: only
// then may a bit stand for the access.
[[gnu::always_inline]] inline void report(std::uint64_t key, const void* address,
                                          std::uint64_t bytes, bool always) {
  photofinish_site* const site = __photofinish_gcc_site_1(key);
  if (site == nullptr || (always && sets_bit(*site, address, bytes))) return;
  state.access(site, address, bytes,
               reinterpret_cast<const void*>(key >> photofinish::gcc::kIndexBits));
}

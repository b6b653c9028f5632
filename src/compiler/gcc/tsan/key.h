// The key of an access site: the return address of the hook, and the index of the access for a
// library call that makes several.
#pragma once

#include <cstdint>

namespace photofinish::gcc {

constexpr unsigned kIndexBits = 2;

[[gnu::always_inline]] inline std::uint64_t key_of(const void* location, unsigned index = 0) {
  return reinterpret_cast<std::uint64_t>(location) << kIndexBits | index;
}

}  // namespace photofinish::gcc

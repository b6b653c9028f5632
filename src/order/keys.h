// Keys of signals: a hash of what both ends know.
#pragma once

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/ids.h"

namespace photofinish {

enum class Channel : std::uint64_t { Message, Rendezvous, Partition, Collective, Neighbour, Post, Complete, Atomic };

template <class... Parts>
std::uint64_t signal_key(Channel channel, Parts... parts) {
  const std::uint64_t words[] = {static_cast<std::uint64_t>(channel), static_cast<std::uint64_t>(parts)...};
  return XXH3_64bits(words, sizeof words);
}

}  // namespace photofinish

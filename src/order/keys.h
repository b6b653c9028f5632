// Keys of edges: hashes of what both ends know.
#pragma once

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/ids.h"

namespace photofinish {

enum class Channel : std::uint64_t {
  Message,
  Rendezvous,
  Partition,
  Collective,
  Neighbor,
  Post,
  Complete,
  Atomic,
  Unsettled,
  Annotated,
  SyncPoint,
  Lock,
  Flush,
  Request,
  Serial,
  Matched
};

template <class... Parts>
std::uint64_t edge_key(Channel channel, Parts... parts) {
  const std::uint64_t words[] = {static_cast<std::uint64_t>(channel),
                                 static_cast<std::uint64_t>(parts)...};
  // The lowest bit marks a rendezvous.
  return (XXH3_64bits(words, sizeof words) & ~std::uint64_t{1}) |
         (channel == Channel::Rendezvous ? 1 : 0);
}

inline bool is_rendezvous(std::uint64_t key) { return (key & 1) != 0; }
// Released by receives whose match is not known yet.
inline std::uint64_t unsettled_key() { return edge_key(Channel::Unsettled); }

}  // namespace photofinish

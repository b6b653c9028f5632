#include "model/confirmation.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace photofinish {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t words[] = {a, b};
  return XXH3_64bits(words, sizeof words);
}

std::uint64_t key_of(const FindingSide& side) {
  const std::string_view name = traits(side.call).name;
  return mix(side.site_key,
             mix(static_cast<std::uint64_t>(side.kind), XXH3_64bits(name.data(), name.size())));
}

}  // namespace

std::uint64_t key_of(const Finding& finding) {
  const auto [low, high] = std::minmax({key_of(finding.sides[0]), key_of(finding.sides[1])});
  return mix(low, high);
}

std::uint64_t key_of(const MessageFinding& finding) {
  return mix(finding.receive.site_key, 1 + static_cast<std::uint64_t>(finding.taker));
}

}  // namespace photofinish

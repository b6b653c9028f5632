// What the detector found: two places in the program whose accesses race, with how often and where.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/access.h"
#include "model/scopes.h"

namespace photofinish {

// Why the two accesses are concurrent, as far as one sentence can say.
enum class Reason : std::uint8_t {
  NotComplete,  // the first is one rank's operation that was still in flight when the same rank
                // made the second
  NoOrder,  // different ranks, and no synchronization leads from the end of either to the begin of
            // the other
  SeparateModel,    // a store and an update of one window in the separate memory model, apart
  MixedElements,    // accumulates with different types, or whose elements do not coincide
  MixedOperations,  // accumulates with different operations (strict_accumulate_ops, or
                    // accumulate_ops=same_op)
};

// One side of the example that is shown: ids are those of `rank`'s trace.
struct FindingSide {
  WorldRank rank;
  AccessKind kind{};
  Call call{};
  SiteId site;
  std::uint64_t site_key = 0;
  SiteId opened, closed;  // of its epoch; null: none, or never
  Timestamp begin = 0, end = kNever;
  std::uint32_t task = 0;  // of the rank
  std::uint32_t part = 0;  // which operation of its call, for the detector alone: it is not stored
  std::uint64_t bytes = 0;
  ByteRange range;  // of the owner's addresses, if its bytes are contiguous; else empty
  ReduceOp op = ReduceOp::None;
  Epoch epoch;
  bool operator==(const FindingSide&) const = default;
};

struct Finding {
  Reason reason{};
  FindingSide sides[2];
  WorldRank owner;          // whose memory, in the example
  ByteRange where;          // addresses of the owner, common bytes
  Uid win;                  // the window they met in; null: a buffer
  std::int64_t offset = 0;  // of `where` in the window
  std::uint64_t times = 1;
  std::set<WorldRank> ranks;  // of both sides
  std::set<WorldRank> owners;
  bool operator==(const Finding&) const = default;
};

// One side is where the program says that its races are intended.
inline bool is_intended(const Finding& finding) {
  return is_intended(finding.sides[0].site_key) || is_intended(finding.sides[1].site_key);
}

// Findings with the same two places, (site_key, kind, call) of each side in either order, and the
// same reason (NotComplete and NoOrder count as one) are one: its times are added, its ranks and
// owners united, and the example is the one with the smallest owner, ranks and begins. The result
// does not depend on the order of the input, and merging what is merged changes nothing. Sides
// stand as they are told: the remote operation before the load or store, then the lower rank, then
// the earlier begin.
std::vector<Finding> merge_findings(std::vector<Finding> findings);
// The same of two analyses of one run, each merged: what both have found is counted once.
std::vector<Finding> unite_findings(std::vector<Finding> one, std::vector<Finding> other);

}  // namespace photofinish

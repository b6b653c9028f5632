// A finding: two access sites whose accesses race, with counts and ranks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/access.h"
#include "model/scopes.h"

namespace photofinish {

// Why the accesses race.
enum class Reason : std::uint8_t {
  // The first is an operation that was still pending when the same rank made the second.
  NotComplete,
  NoOrder,  // different ranks: no happens-before path in either direction
  // A store and an update, without common bytes, of one window in the separate memory model.
  SeparateModel,
  MixedElements,    // accumulates with different types, or whose elements do not coincide
  MixedOperations,  // accumulates with different operations (strict_accumulate_ops, or
                    // accumulate_ops=same_op)
};

// A window lock that the rank of an access held, for the report.
struct AccessLock {
  Uid win;
  WorldRank target;  // kAnySource: all targets
  bool exclusive = false;
  auto operator<=>(const AccessLock&) const = default;
};

// One access of the example in the report. Ids are those of `rank`'s trace.
struct FindingSide {
  WorldRank rank;
  AccessKind kind{};
  Call call{};
  SiteId site;
  std::uint64_t site_key = 0;
  SiteId opened, closed;  // of its epoch; null: none, or never
  Timestamp begin = 0, end = kNever;
  std::uint32_t task = 0;  // of the rank
  std::uint32_t part = 0;  // operation of its call, for the detector only: not stored
  std::uint64_t bytes = 0;
  ByteRange range;  // addresses of the owner if its bytes are contiguous, otherwise empty
  ReduceOp op = ReduceOp::None;
  Epoch epoch;
  Uid win;                        // null: its own memory, by address
  std::int64_t offset = 0;        // of the common bytes in `win`
  std::vector<AccessLock> locks;  // without those taken with MPI_MODE_NOCHECK
  bool operator==(const FindingSide&) const = default;
};

struct Finding {
  Reason reason{};
  FindingSide sides[2];
  WorldRank owner;          // of the memory in the example
  ByteRange where;          // common bytes, as addresses of the owner
  Uid win;                  // null: a buffer
  std::int64_t offset = 0;  // of `where` in the window
  std::uint64_t times = 1;
  std::set<WorldRank> ranks;  // of both sides
  std::set<WorldRank> owners;
  bool operator==(const Finding&) const = default;
};

// The program declares races at one of the sites as intended.
inline bool is_intended(const Finding& finding) {
  return is_intended(finding.sides[0].site_key) || is_intended(finding.sides[1].site_key);
}

// Merges findings with the same two access sites, that is (site_key, kind, call) of each side in
// either order, and the same reason. NotComplete and NoOrder count as one reason. Counts are added;
// ranks and owners are united. The example is one between two ranks, if there is
// one; of these, that with the smallest owner, ranks and begins. The result does not depend on the
// order of the input, and merging twice changes nothing. Side order is as in reports: the remote
// operation before the load or store, then the lower rank, then the earlier begin.
std::vector<Finding> merge_findings(std::vector<Finding> findings);
// Unites two merged analyses of one run: findings in both are counted once.
std::vector<Finding> unite_findings(std::vector<Finding> one, std::vector<Finding> other);

}  // namespace photofinish

// Random findings that collide often: few sites and few ranks, all other fields random.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "frontend/mpi/table/mpi_call.h"
#include "model/finding.h"

namespace photofinish::testing {

class RandomFindings {
 public:
  explicit RandomFindings(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  std::uint64_t any() {
    return std::uniform_int_distribution<std::uint64_t>()(random_) >> below(64);
  }
  WorldRank rank() { return WorldRank(static_cast<std::int32_t>(below(4))); }

  FindingSide side() {
    constexpr Call kCalls[] = {MpiCall::MPI_Put, MpiCall::MPI_Get, Call::load, MpiCall::MPI_Irecv};
    return {.rank = rank(),
            .kind = static_cast<AccessKind>(below(5)),
            .call = kCalls[below(4)],
            .site = SiteId(static_cast<std::uint32_t>(below(3))),
            .site_key = below(2),
            .opened = SiteId(static_cast<std::uint32_t>(any())),
            .closed = SiteId(static_cast<std::uint32_t>(any())),
            .begin = below(3),
            .end = below(2) ? kNever : any(),
            .bytes = any(),
            .op = static_cast<ReduceOp>(below(16)),
            .epoch = {static_cast<EpochKind>(below(4)), below(3)},
            .win = Uid(below(3)),
            .offset = static_cast<std::int64_t>(any()),
            .locks = std::vector<AccessLock>(below(3),
                                             AccessLock{Uid(below(3)), rank(), below(2) != 0})};
  }
  Finding finding() {
    Finding made{.reason = static_cast<Reason>(below(5)),
                 .sides = {side(), side()},
                 .owner = rank(),
                 .where = {static_cast<std::int64_t>(any()), static_cast<std::int64_t>(any())},
                 .win = Uid(below(3)),
                 .offset = static_cast<std::int64_t>(any()),
                 .times = 1 + below(1000)};
    for (int i = 0; i < 3; ++i) made.ranks.insert(rank());
    for (int i = 0; i < 2; ++i) made.owners.insert(rank());
    return made;
  }
  std::vector<Finding> findings(std::size_t count) {
    std::vector<Finding> made;
    while (made.size() < count) made.push_back(finding());
    return made;
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    std::shuffle(list.begin(), list.end(), random_);
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace photofinish::testing

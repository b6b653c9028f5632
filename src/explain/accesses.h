// The accesses of a group of recorded ranks to memory that others can reach, with their contents:
// what their replays report (record/access_records.h), with the locations and times of their
// traces.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "explain/recorded_group.h"
#include "explain/writers.h"
#include "record/access_records.h"
#include "report/site_text.h"

namespace photofinish {

// The access records of one rank's replay, with the names of their access sites.
struct RankAccount {
  std::vector<AccessRecord> access_records;
  std::map<std::uint64_t, std::string> locations;  // of loads and stores, by return address
};
using Accounts = std::map<WorldRank, RankAccount>;

// One end of a transfer.
struct TransferEnd {
  WorldRank rank;
  std::string what;  // "MPI_Put halo.c:12", "load flag.c:31"
  // The event of this number, or the last one before a load or store.
  std::uint64_t event = 0;
  auto operator<=>(const TransferEnd&) const = default;
};

inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

// How an access was made.
struct AccessEnd {
  enum class Kind : std::uint8_t { Load, Store, Operation };
  TransferEnd end;
  Kind kind{};
  std::uint64_t completed = kForever;  // Operation: by this event
  ReduceOp op = ReduceOp::None;        // of the accumulate family
  Element element = {};
};

struct GroupAccesses {
  std::vector<Reading> readings;
  std::vector<Writing> writings;
  std::vector<AccessEnd> readers, writers;  // of the same index
  std::vector<WorldRank> owners;            // by memory, as in Contents
};
GroupAccesses collect_accesses(const std::vector<RecordedRank>& group, const Accounts& accounts);

// The stores of each rank that other ranks of the group may have read: what a second replay has to
// report.
std::map<WorldRank, AccessRecordFilter> wanted_stores(const std::vector<RecordedRank>& group,
                                                      const Accounts& accounts);

// Null if it is not in the group.
const RecordedRank* find_rank(const std::vector<RecordedRank>& group, WorldRank rank);

// Names of calls with their sites.
class CallNames {
 public:
  std::string call(const RecordedRank& rank, Call call, SiteId site);

 private:
  Symbolizer symbolizer_;
  std::map<std::tuple<WorldRank, Call, SiteId>, std::string> names_;
};

}  // namespace photofinish

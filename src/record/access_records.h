// The accesses of a replayed rank to memory that other ranks can reach, with their contents: for
// photofinish explain. They are stored in the journal lanes of the replay's trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "record/journal.h"
#include "trace/reader.h"

namespace photofinish {

struct AccessRecord {
  // Carried, Brought: what a one-sided call transferred to its target, or back. Loaded, Stored:
  // accesses of the program to its windows.
  enum class Kind : std::uint8_t { Carried, Brought, Loaded, Stored };
  Kind kind{};
  std::uint64_t step = 0;  // the call's step, or the last one before a load or store (model/call.h)
  // Loads and stores: the return address into the program. It cannot be a SiteId: these depend on
  // the order of first use, and the journal already uses them.
  std::uint64_t pc = 0;
  std::uint64_t address = 0;  // loads and stores only
  std::uint64_t tick = 0;     // loads only: when the value was recorded
  std::string content = {};   // in ascending order of addresses
  TaskId task = {};           // not stored: follows from the lane of the record
};
template <class A>
void describe(A& a, AccessRecord& d) {
  a(d.kind, d.step, d.pc, d.address, d.tick, d.content);
}

// Selects what a replay logs: calls and loads, or, if `stores` is set, only stores to the ranges in
// `where`.
struct AccessRecordFilter {
  bool stores = false;
  std::vector<ByteRange> where;  // sorted, disjoint
};
template <class A>
void describe(A& a, AccessRecordFilter& d) {
  a(d.stores, d.where);
}

Result<bool> write_order(const std::string& path, const AccessRecordFilter& order);
Result<AccessRecordFilter> read_order(const std::string& path);

class AccessRecordLog {
 public:
  AccessRecordLog(Lane* lane, const AccessRecordFilter& order) : order_(order), journal_(lane) {}
  bool wants_stores() const { return order_.stores; }
  bool wants(const void* address, std::size_t bytes) const;
  void add(AccessRecord access_record);

 private:
  const AccessRecordFilter& order_;
  Journal journal_;
};

// All access records of a rank's replay.
std::vector<AccessRecord> read_access_records(RankTrace& trace);

}  // namespace photofinish

// What a replayed rank did to memory that others reach, and what it found there, with contents: for
// photofinish explain. It is kept where a recorded rank keeps its journal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "record/journal.h"
#include "trace/reader.h"

namespace photofinish {

struct AccessRecord {
  // By the calls of one-sided communication: what they carried to their target, and what they
  // brought back. By the program itself, in its windows.
  enum class Kind : std::uint8_t { Carried, Brought, Loaded, Stored };
  Kind kind{};
  std::uint64_t step = 0;  // of the call, or the last one before a load or store (model/call.h)
  std::uint64_t pc = 0;    // of a load or store: where it returned to. (No site: those are numbered
                           // as they come, and a journal knows them by number.)
  std::uint64_t address = 0;  // of a load or store
  std::uint64_t tick = 0;     // of a load: when it was recorded
  std::string content = {};   // in the order of addresses
  TaskId task = {};           // is not kept: it is known by where a deed is kept
};
template <class A>
void describe(A& a, AccessRecord& d) {
  a(d.kind, d.step, d.pc, d.address, d.tick, d.content);
}

// Which deeds are wanted: those of calls and loads; or stores alone, to these addresses.
struct AccessRecordFilter {
  bool stores = false;
  std::vector<ByteRange> where;  // sorted, apart
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

// All that a rank's replay wrote.
std::vector<AccessRecord> read_access_records(RankTrace& trace);

}  // namespace photofinish

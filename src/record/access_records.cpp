#include "record/access_records.h"

#include <algorithm>

#include "trace/sealed_file.h"

namespace photofinish {
namespace {
constexpr char kMagic[8] = {'P', 'F', 'O', 'R', 'D', 'E', 'R', '1'};
}

Result<bool> write_order(const std::string& path, const AccessRecordFilter& order) {
  return write_sealed(path, kMagic, encoded(order));
}
Result<AccessRecordFilter> read_order(const std::string& path) {
  return read_sealed_value<AccessRecordFilter>(path, kMagic);
}

bool AccessRecordLog::wants(const void* address, std::size_t bytes) const {
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
  const auto next =
      std::upper_bound(order_.where.begin(), order_.where.end(), begin,
                       [](std::int64_t at, const ByteRange& range) { return at < range.end; });
  return next != order_.where.end() && next->begin < begin + static_cast<std::int64_t>(bytes);
}

void AccessRecordLog::add(AccessRecord access_record) {
  journal_.ask(static_cast<std::uint32_t>(access_record.kind), SiteId(0));
  journal_.exchange(access_record);
  journal_.done();
}

std::vector<AccessRecord> read_access_records(RankTrace& trace) {
  std::vector<AccessRecord> access_records;
  for (const auto& [id, task] : trace.definitions().tasks) {
    Journal journal([&trace, id = id](std::vector<std::uint8_t>& entries) {
      return trace.next_of_journal(id, entries);
    });
    while (journal.ask(0, SiteId(0)) != Journal::Asked::End && journal.ok()) {
      journal.exchange(access_records.emplace_back());
      access_records.back().task = id;
      if (!journal.ok()) access_records.pop_back();
    }
  }
  return access_records;
}

}  // namespace photofinish

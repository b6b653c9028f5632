#include "record/deeds.h"

#include <algorithm>

#include "trace/sealed_file.h"

namespace photofinish {
namespace {
constexpr char kMagic[8] = {'P', 'F', 'O', 'R', 'D', 'E', 'R', '1'};
}

Result<bool> write_order(const std::string& path, const DeedOrder& order) {
  return write_sealed(path, kMagic, encoded(order));
}
Result<DeedOrder> read_order(const std::string& path) {
  return read_sealed_value<DeedOrder>(path, kMagic);
}

bool DeedLog::wants(const void* address, std::size_t bytes) const {
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
  const auto next =
      std::upper_bound(order_.where.begin(), order_.where.end(), begin,
                       [](std::int64_t at, const ByteRange& range) { return at < range.end; });
  return next != order_.where.end() && next->begin < begin + static_cast<std::int64_t>(bytes);
}

void DeedLog::add(Deed deed) {
  journal_.ask(static_cast<std::uint32_t>(deed.kind), SiteId(0));
  journal_.exchange(deed);
  journal_.done();
}

std::vector<Deed> read_deeds(RankTrace& trace) {
  std::vector<Deed> deeds;
  for (const auto& [id, task] : trace.definitions().tasks) {
    Journal journal([&trace, id = id](std::vector<std::uint8_t>& entries) {
      return trace.next_of_journal(id, entries);
    });
    while (journal.ask(0, SiteId(0)) != Journal::Asked::End && journal.ok()) {
      journal.exchange(deeds.emplace_back());
      deeds.back().task = id;
      if (!journal.ok()) deeds.pop_back();
    }
  }
  return deeds;
}

}  // namespace photofinish

#include "memory/sweep.h"

#include <algorithm>

#include "base/check.h"
#include "memory/span_sort.h"

namespace photofinish {
namespace {

using GroupSet = std::vector<std::uint64_t>;  // 64 per word

bool contains(const GroupSet& set, std::uint32_t group) {
  return set[group / 64] >> group % 64 & 1;
}
void insert(GroupSet& set, std::uint32_t group) {
  set[group / 64] |= std::uint64_t{1} << group % 64;
}

// Groups without a conflicting group in this batch, such as gets among gets. Their spans need not
// even be sorted.
GroupSet groups_without_partner(const std::vector<Span>& spans, const GroupConflicts& conflicts) {
  const std::size_t words = (conflicts.groups() + 63) / 64;
  GroupSet present(words);
  for (const Span& span : spans) {
    CHECK(span.group < conflicts.groups());
    insert(present, span.group);
  }
  GroupSet result(words);
  for (std::uint32_t group = 0; group < conflicts.groups(); ++group) {
    if (!contains(present, group)) continue;
    const auto row = conflicts.row(group);
    std::uint64_t partners = 0;
    for (std::size_t word = 0; word < words; ++word) partners |= row[word] & present[word];
    if (partners == 0) insert(result, group);
  }
  return result;
}

}  // namespace

void GroupConflicts::add(std::uint32_t a, std::uint32_t b) {
  CHECK(a < groups_ && b < groups_);
  bits_[a * words_ + b / 64] |= std::uint64_t{1} << b % 64;
  bits_[b * words_ + a / 64] |= std::uint64_t{1} << a % 64;
}

void Sweeper::prepare(std::vector<Span>& spans, const GroupConflicts& conflicts) {
  // Clears the lists of the previous sweep.
  for (Open& open : open_) {
    open.spans.clear();
    open.next_check = kFirstCheck;
  }
  if (open_.size() < conflicts.groups()) open_.resize(conflicts.groups());
  active_.assign((conflicts.groups() + 63) / 64, 0);

  const GroupSet alone = groups_without_partner(spans, conflicts);
  std::erase_if(spans, [&](const Span& span) {
    return span.end <= span.begin || contains(alone, span.group);
  });
  sort_by_begin(spans, scratch_);
}

void Sweeper::drop_ended(Open& open, std::uint64_t position) {
  std::erase_if(open.spans, [&](const Span& span) { return span.end <= position; });
  open.next_check = std::max(kFirstCheck, 2 * open.spans.size());
}

}  // namespace photofinish

// Finds the accesses of one batch that share bytes and conflict: append spans in any order, then
// sweep over them once.
//
// Rule: spans are sorted by begin. Two of them share a byte if the earlier one is still open where
// the later one begins. Each group has a list of the spans that may still be open. A span is
// compared only with the lists of conflicting groups. Each span there either overlaps, which is a
// pair to report, or has ended and is dropped. So the cost is that of sorting, plus the pairs:
// spans of groups that do not conflict are never compared.
//
// Example: put [0, 8), load [4, 6), get [5, 7), in this order. The load overlaps the open put; the
// get overlaps the put and is not compared with the load. Two pairs.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace photofinish {

// Bytes [begin, end) of an access; groups are kinds of access with the same conflicts. Empty if end
// <= begin.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t item = 0;
  std::uint32_t group = 0;
  bool operator==(const Span&) const = default;
};
static_assert(sizeof(Span) == 24, "sorting moves them around; each byte costs");

// The conflict relation of groups: symmetric. A group may conflict with itself (puts) or not
// (gets).
class GroupConflicts {
 public:
  explicit GroupConflicts(std::uint32_t groups)
      : groups_(groups), words_((groups + 63) / 64), bits_(groups * words_) {}

  void add(std::uint32_t a, std::uint32_t b);
  bool conflict(std::uint32_t a, std::uint32_t b) const { return row(a)[b / 64] >> b % 64 & 1; }
  std::uint32_t groups() const { return groups_; }
  // The groups that conflict with `group`, 64 per word.
  std::span<const std::uint64_t> row(std::uint32_t group) const {
    return {bits_.data() + group * words_, words_};
  }

 private:
  std::uint32_t groups_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Reuses its memory in the next sweep.
class Sweeper {
 public:
  // Calls visit(earlier, later) once for each pair of spans that share a byte and whose groups
  // conflict; `earlier` begins first, or both begin together. If visit returns a bool, false ends
  // the sweep. Every group is below conflicts.groups(). The caller clears `spans`, which are
  // reordered, and of which some are removed.
  template <class Visit>
  void sweep(std::vector<Span>& spans, const GroupConflicts& conflicts, Visit&& visit);

 private:
  struct Open {
    std::vector<Span> spans;  // some have ended
    std::size_t next_check = kFirstCheck;
  };
  static constexpr std::size_t kFirstCheck = 64;

  void prepare(std::vector<Span>& spans, const GroupConflicts& conflicts);
  void add(const Span& span);
  template <class Visit>
  static bool meet(std::vector<Span>& open, const Span& span, Visit& visit);
  static void drop_ended(Open& open, std::uint64_t position);

  std::vector<Span> scratch_;
  std::vector<Open> open_;             // by group
  std::vector<std::uint64_t> active_;  // groups with a nonempty list, 64 per word
};

template <class Visit>
void Sweeper::sweep(std::vector<Span>& spans, const GroupConflicts& conflicts, Visit&& visit) {
  prepare(spans, conflicts);
  // From here on spans are sorted by begin, and each has a conflicting group in this batch.
  for (const Span& span : spans) {
    const auto row = conflicts.row(span.group);
    for (std::size_t word = 0; word < row.size(); ++word) {
      for (std::uint64_t groups = row[word] & active_[word]; groups != 0; groups &= groups - 1) {
        auto& open = open_[word * 64 + std::countr_zero(groups)].spans;
        if (!meet(open, span, visit)) return;
        if (open.empty()) active_[word] &= ~(groups & -groups);
      }
    }
    add(span);
  }
}

// False if visit ends the sweep.
template <class Visit>
inline bool Sweeper::meet(std::vector<Span>& open, const Span& span, Visit& visit) {
  std::size_t kept = 0;
  for (const Span& other : open) {
    if (other.end <= span.begin) continue;
    if constexpr (std::is_same_v<std::invoke_result_t<Visit&, const Span&, const Span&>, bool>) {
      if (!visit(other, span)) return false;
    } else {
      visit(other, span);
    }
    open[kept++] = other;
  }
  open.resize(kept);
  return true;
}

// Lists that no span is compared with are pruned here each time they have doubled, so that their
// length stays proportional to the open spans.
inline void Sweeper::add(const Span& span) {
  Open& open = open_[span.group];
  if (open.spans.size() >= open.next_check) [[unlikely]]
    drop_ended(open, span.begin);
  open.spans.push_back(span);
  active_[span.group / 64] |= std::uint64_t{1} << span.group % 64;
}

}  // namespace photofinish

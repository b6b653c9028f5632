// Compares the sweep with a comparison of all pairs.
#include "memory/sweep.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "memory/span_sort.h"
#include "property.h"

namespace photofinish {

void PrintTo(const Span& span, std::ostream* out) {
  *out << "[" << span.begin << ", " << span.end << ") item " << span.item << " group "
       << span.group;
}
void showValue(const Span& span, std::ostream& out) { PrintTo(span, &out); }

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr std::uint32_t kWrites = 0, kReads = 1;

GroupConflicts writes_and_reads() {
  GroupConflicts conflicts(2);
  conflicts.add(kWrites, kWrites);
  conflicts.add(kWrites, kReads);
  return conflicts;
}

Pairs sorted(Pairs pairs) {
  for (auto& [a, b] : pairs)
    if (a > b) std::swap(a, b);
  std::ranges::sort(pairs);
  return pairs;
}

Pairs pairs_of(Sweeper& sweeper, std::vector<Span> spans, const GroupConflicts& conflicts) {
  Pairs pairs;
  sweeper.sweep(spans, conflicts, [&](const Span& a, const Span& b) {
    EXPECT_LE(a.begin, b.begin);
    pairs.emplace_back(a.item, b.item);
  });
  return sorted(pairs);
}

Pairs pairs_of(std::vector<Span> spans, const GroupConflicts& conflicts) {
  Sweeper sweeper;
  return pairs_of(sweeper, std::move(spans), conflicts);
}

Pairs twin(const std::vector<Span>& spans, const GroupConflicts& conflicts) {
  Pairs pairs;
  for (std::size_t i = 0; i < spans.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::max(spans[i].begin, spans[j].begin) < std::min(spans[i].end, spans[j].end) &&
          conflicts.conflict(spans[i].group, spans[j].group))
        pairs.emplace_back(spans[i].item, spans[j].item);
  return sorted(pairs);
}

std::vector<Span> random_spans(std::mt19937_64& random, std::size_t count, std::uint64_t memory,
                               std::uint64_t length, std::uint32_t groups) {
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t begin = random() % memory;
    spans.push_back(
        {begin, begin + random() % (length + 1), i, static_cast<std::uint32_t>(random() % groups)});
  }
  return spans;
}

GroupConflicts random_conflicts(std::mt19937_64& random, std::uint32_t groups,
                                std::uint32_t pairs) {
  GroupConflicts conflicts(groups);
  for (std::uint32_t i = 0; i < pairs; ++i)
    conflicts.add(static_cast<std::uint32_t>(random() % groups),
                  static_cast<std::uint32_t>(random() % groups));
  return conflicts;
}

RC_GTEST_PROP(SweepTwin, FewSpans, ()) {
  const auto groups = *rc::gen::inRange<std::uint32_t>(1, 6);
  GroupConflicts conflicts(groups);
  const auto any_group = rc::gen::inRange(0u, groups);
  for (const auto& [a, b] : *rc::gen::container<Pairs>(rc::gen::pair(any_group, any_group)))
    conflicts.add(a, b);
  auto spans = *rc::gen::container<std::vector<Span>>(
      rc::gen::build<Span>(rc::gen::set(&Span::begin, rc::gen::inRange<std::uint64_t>(0, 60)),
                           rc::gen::set(&Span::end, rc::gen::inRange<std::uint64_t>(0, 12)),
                           rc::gen::set(&Span::group, any_group)));
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    spans[i].end += spans[i].begin;
    spans[i].item = i;
  }
  RC_ASSERT(pairs_of(spans, conflicts) == twin(spans, conflicts));
}

// Enough spans for the radix sort, for lists that are pruned lazily, and for more than one word of
// groups. One sweeper for all, as in the analysis.
TEST(Sweep, ManySpansAgreeWithAllPairs) {
  Sweeper sweeper;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const std::uint32_t groups = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 20 : 200;
    const std::uint64_t memory = std::uint64_t{1} << (6 + random() % 40);
    const std::uint64_t length = 1 + random() % (random() % 2 == 0 ? 16 : memory / 8);
    const GroupConflicts conflicts = random_conflicts(random, groups, 1 + random() % (2 * groups));
    auto spans = random_spans(random, random() % 700, memory, length, groups);
    switch (random() % 4) {
      case 0:
        std::ranges::sort(spans, {}, &Span::begin);
        break;
      case 1:
        std::ranges::sort(spans, std::ranges::greater(), &Span::begin);
        break;
    }
    EXPECT_EQ(pairs_of(sweeper, spans, conflicts), twin(spans, conflicts));
    if (HasFailure()) return;
  }
}

TEST(Sweep, NothingAndOneSpan) {
  EXPECT_EQ(pairs_of({}, writes_and_reads()), Pairs());
  EXPECT_EQ(pairs_of({}, GroupConflicts(0)), Pairs());
  EXPECT_EQ(pairs_of({{0, 8, 0, kWrites}}, writes_and_reads()), Pairs());
}

TEST(Sweep, TouchingSpansShareNothing) {
  EXPECT_EQ(pairs_of({{8, 16, 0, kWrites}, {0, 8, 1, kWrites}}, writes_and_reads()), Pairs());
  EXPECT_EQ(pairs_of({{8, 16, 0, kWrites}, {0, 9, 1, kWrites}}, writes_and_reads()),
            (Pairs{{0, 1}}));
}

TEST(Sweep, EmptySpansAreIgnored) {
  const std::vector<Span> spans{
      {0, 100, 0, kWrites}, {5, 5, 1, kWrites}, {9, 7, 2, kReads}, {0, 0, 3, kWrites}};
  EXPECT_EQ(pairs_of(spans, writes_and_reads()), Pairs());
}

TEST(Sweep, GroupsThatDoNotConflictNeverMeet) {
  const std::vector<Span> spans{
      {0, 8, 0, kReads}, {0, 8, 1, kReads}, {4, 12, 2, kWrites}, {8, 9, 3, kReads}};
  EXPECT_EQ(pairs_of(spans, writes_and_reads()), (Pairs{{0, 2}, {1, 2}, {2, 3}}));
}

TEST(Sweep, EndsOfMemory) {
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  const std::vector<Span> spans{
      {0, kEnd, 0, kWrites}, {kEnd - 1, kEnd, 1, kReads}, {0, 1, 2, kReads}, {9, 10, 3, kReads}};
  EXPECT_EQ(pairs_of(spans, writes_and_reads()), (Pairs{{0, 1}, {0, 2}, {0, 3}}));
}

TEST(Sweep, VisitMayStopIt) {
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < 1000; ++i) spans.push_back({i % 10, 100, i, kWrites});
  Sweeper sweeper;
  int visits = 0;
  auto copy = spans;
  sweeper.sweep(copy, writes_and_reads(), [&](const Span&, const Span&) { return ++visits < 5; });
  EXPECT_EQ(visits, 5);
  // Spans open at that point are forgotten.
  EXPECT_EQ(pairs_of(sweeper, {{50, 51, 0, kWrites}, {60, 61, 1, kReads}}, writes_and_reads()),
            Pairs());
  EXPECT_EQ(pairs_of(sweeper, spans, writes_and_reads()).size(), 499500u);
}

TEST(Sweep, SweeperForgetsGroups) {
  Sweeper sweeper;
  GroupConflicts many(3000);
  many.add(2999, 2999);
  EXPECT_EQ(pairs_of(sweeper, {{0, 8, 0, 2999}, {0, 8, 1, 2999}, {0, 8, 2, 7}}, many),
            (Pairs{{0, 1}}));
  EXPECT_EQ(pairs_of(sweeper, {{0, 8, 0, kReads}, {0, 8, 1, kWrites}}, writes_and_reads()),
            (Pairs{{0, 1}}));
}

// The tests below would take hours if the cost were quadratic in the number of spans.
constexpr std::uint32_t kMillion = 1'000'000;

TEST(SweepIsLinear, MillionReadsOfOneByteAndOneWrite) {
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < kMillion; ++i) spans.push_back({100, 101, i, kReads});
  EXPECT_EQ(pairs_of(spans, writes_and_reads()), Pairs());
  spans.push_back({200, 201, kMillion, kWrites});
  EXPECT_EQ(pairs_of(spans, writes_and_reads()), Pairs());
  spans.back() = {50, 101, kMillion, kWrites};
  EXPECT_EQ(pairs_of(spans, writes_and_reads()).size(), kMillion);
  spans.back() = {100, 101, kMillion, kWrites};
  EXPECT_EQ(pairs_of(spans, writes_and_reads()).size(), kMillion);
}

TEST(SweepIsLinear, NestedSpansAndAFewOthers) {
  std::vector<Span> spans;
  for (std::uint64_t i = 0; i < kMillion; ++i)
    spans.push_back({i, 4 * kMillion - i, static_cast<std::uint32_t>(i), kReads});
  for (std::uint32_t i = 5 * kMillion; i < 5 * kMillion + 1000; ++i)
    spans.push_back({i, i + 1, i, kWrites});
  EXPECT_EQ(pairs_of(spans, writes_and_reads()), Pairs());
  // One write in the middle of the nest overlaps those around it.
  spans.push_back({10, 11, 2 * kMillion, kWrites});
  EXPECT_EQ(pairs_of(spans, writes_and_reads()).size(), 11u);
}

TEST(SweepIsLinear, StairsWithWritesBetween) {
  // Each step overlaps the next 1000; every 1000th has a write at its first byte, which overlaps
  // 1000 steps.
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < kMillion; ++i) {
    spans.push_back({i, std::uint64_t{i} + 1000, i, kReads});
    if (i % 1000 == 999) spans.push_back({i, std::uint64_t{i} + 1, kMillion + i, kWrites});
  }
  EXPECT_EQ(pairs_of(spans, writes_and_reads()).size(), kMillion);
}

TEST(SweepIsLinear, ThousandsOfGroups) {
  // Accumulates with operation i conflict with those of every other operation; each has its own
  // bytes.
  constexpr std::uint32_t kGroups = 2000;
  GroupConflicts conflicts(kGroups);
  for (std::uint32_t a = 0; a < kGroups; ++a)
    for (std::uint32_t b = 0; b < a; ++b) conflicts.add(a, b);
  std::mt19937_64 random(1);
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < kMillion; ++i) {
    const auto group = static_cast<std::uint32_t>(random() % kGroups);
    spans.push_back({group * std::uint64_t{8}, group * std::uint64_t{8} + 8, i, group});
  }
  EXPECT_EQ(pairs_of(spans, conflicts), Pairs());
}

TEST(SortByBegin, KeepsSpansTogetherInAnyOrder) {
  std::vector<Span> scratch;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    // Few differing bits, at any position of the address.
    const auto shift = random() % 58;
    auto spans = random_spans(random, random() % 2000, 1 + random() % 500, 9, 5);
    for (Span& span : spans) span.begin <<= shift;
    auto expected = spans;
    sort_by_begin(spans, scratch);
    EXPECT_TRUE(std::ranges::is_sorted(spans, {}, &Span::begin));
    std::ranges::sort(expected, {}, &Span::item);
    std::ranges::sort(spans, {}, &Span::item);
    EXPECT_EQ(spans, expected);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace photofinish

// Finds the writer of each value that was read: in synthetic executions with a known result, and
// compared with a search through all writes.
#include "explain/writers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace photofinish {
namespace {

constexpr std::uint64_t kBegin = 4096;

// Real memory; each access takes effect at one point of its time span.
struct Execution {
  std::vector<Writing> writings;
  std::vector<Reading> readings;
  std::vector<std::vector<std::size_t>>
      truth;  // for each byte read; kElsewhere: it was there before
};

struct Happening {
  std::uint64_t at;
  bool writes;
  std::size_t index;
};

void happen(Execution& execution, std::vector<Happening> happenings, std::size_t bytes) {
  std::sort(happenings.begin(), happenings.end(),
            [](const Happening& a, const Happening& b) { return a.at < b.at; });
  std::string memory(bytes, '\0');
  std::vector<std::size_t> writer(bytes, Origin::kElsewhere);
  execution.truth.resize(execution.readings.size());
  for (const Happening& happening : happenings) {
    for (Contents& piece : happening.writes ? execution.writings[happening.index].pieces
                                            : execution.readings[happening.index].pieces) {
      const std::size_t from = piece.begin - kBegin;
      for (std::size_t i = 0; i < piece.content.size(); ++i) {
        if (happening.writes)
          memory[from + i] = piece.content[i], writer[from + i] = happening.index;
        else
          piece.content[i] = memory[from + i],
          execution.truth[happening.index].push_back(writer[from + i]);
      }
    }
  }
}

// Accesses of 4 bytes at 4 addresses, or of 8 bytes at 2 of them, with few values that last for a
// while.
Execution random_execution(unsigned seed, bool one_size) {
  std::mt19937 random(seed);
  Execution execution;
  std::vector<Happening> happenings;
  const unsigned accesses = 2 + random() % 20, values = 1 + random() % 4;
  for (unsigned i = 0; i < accesses; ++i) {
    // All timestamps are different, so that the order is known.
    const std::uint64_t start = random() % 100, length = random() % 20;
    const std::uint64_t at = (start + (length > 0 ? random() % length : 0)) * 1000 + 1 + i;
    const TimeSpan when{start * 1000, (start + length) * 1000 + 999};
    const bool wide = !one_size && random() % 3 == 0;
    Contents piece{0, kBegin + (wide ? random() % 2 * 8 : random() % 4 * 4),
                   std::string(wide ? 8 : 4, '\0')};
    const bool writes = random() % 2 == 0;
    if (writes)
      for (std::size_t half = 0; half < piece.content.size(); half += 4)
        piece.content[half] = static_cast<char>(1 + random() % values);
    happenings.push_back(
        {at, writes, writes ? execution.writings.size() : execution.readings.size()});
    if (writes)
      execution.writings.push_back({when, {piece}});
    else
      execution.readings.push_back({when, {piece}});
  }
  happen(execution, happenings, 16);
  return execution;
}

// All writes of these bytes that a read may have seen.
std::set<std::size_t> possible(const Execution& execution, const Reading& reading,
                               std::uint64_t begin, std::uint64_t end) {
  const Contents& read = reading.pieces[0];
  const auto covers = [&](const Writing& w) {
    return w.pieces[0].begin <= begin && end <= w.pieces[0].begin + w.pieces[0].content.size();
  };
  std::set<std::size_t> result;
  for (std::size_t i = 0; i < execution.writings.size(); ++i) {
    const Writing& w = execution.writings[i];
    if (!covers(w) || w.when.start > reading.when.end) continue;
    if (w.pieces[0].content.substr(begin - w.pieces[0].begin, end - begin) !=
        read.content.substr(begin - read.begin, end - begin))
      continue;
    const bool gone = std::any_of(execution.writings.begin(), execution.writings.end(),
                                  [&](const Writing& other) {
                                    return covers(other) && w.when.end < other.when.start &&
                                           other.when.end < reading.when.start;
                                  });
    if (!gone) result.insert(i);
  }
  return result;
}

TEST(Writers, AreThoseOfASearchThroughAll) {
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    const Execution execution = random_execution(seed, true);
    const auto origins = find_origins(execution.readings, execution.writings);
    for (std::size_t r = 0; r < execution.readings.size(); ++r) {
      const Reading& reading = execution.readings[r];
      const auto candidates =
          possible(execution, reading, reading.pieces[0].begin, reading.pieces[0].begin + 4);
      ASSERT_EQ(origins[r].size(), 1u) << seed;
      const Origin& origin = origins[r][0];
      if (candidates.empty()) {
        ASSERT_EQ(origin.writing, Origin::kElsewhere) << seed;
        ASSERT_EQ(execution.truth[r][0], Origin::kElsewhere)
            << seed;  // the real writer is never excluded
        continue;
      }
      ASSERT_TRUE(candidates.contains(origin.writing)) << seed;
      for (const std::size_t other : candidates)
        ASSERT_LE(execution.writings[other].when.start,
                  execution.writings[origin.writing].when.start)
            << seed;
      const std::size_t truth = execution.truth[r][0];
      ASSERT_TRUE(truth == Origin::kElsewhere || candidates.contains(truth)) << seed;
      ASSERT_TRUE(truth == Origin::kElsewhere || candidates.size() > 1 || origin.writing == truth)
          << seed;
    }
  }
}

TEST(Writers, OfPartsOfAValueAreReportedApart) {
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    const Execution execution = random_execution(seed, false);
    const auto origins = find_origins(execution.readings, execution.writings);
    for (std::size_t r = 0; r < execution.readings.size(); ++r) {
      const Reading& reading = execution.readings[r];
      std::uint64_t bytes = 0;
      for (const Origin& origin : origins[r]) bytes += origin.bytes;
      ASSERT_EQ(bytes, reading.pieces[0].content.size()) << seed;
      // The real writer is named wherever it is the only possible one.
      for (std::size_t i = 0; i < reading.pieces[0].content.size(); i += 4) {
        const std::uint64_t begin = reading.pieces[0].begin + i;
        const auto candidates = possible(execution, reading, begin, begin + 4);
        const std::size_t truth = execution.truth[r][i];
        if (truth == Origin::kElsewhere || candidates.size() != 1) continue;
        ASSERT_TRUE(std::any_of(origins[r].begin(), origins[r].end(), [&](const Origin& origin) {
          return origin.writing == truth;
        })) << seed;
      }
    }
  }
}

// The program of Table 3 of the paper: one rank writes 0, 1, 2 … to a variable, another one reads
// it and then writes 0, 1, 2 … itself. Values do not identify the writer; times do, except for
// accesses that overlap.
TEST(Writers, OfARaceAreNamedRightly) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    Execution execution;
    std::vector<Happening> happenings;
    const auto value = [](std::uint32_t n) {
      return std::string(reinterpret_cast<const char*>(&n), 4);
    };
    const auto add = [&](bool writes, std::uint32_t n, std::uint64_t& now) {
      const TimeSpan when{now, now + 500 + random() % 500};
      now = when.end + 1 + random() % 500;
      happenings.push_back({when.start + 1 + random() % (when.end - when.start - 1), writes,
                            writes ? execution.writings.size() : execution.readings.size()});
      if (writes)
        execution.writings.push_back({when, {{0, kBegin, value(n)}}});
      else
        execution.readings.push_back({when, {{0, kBegin, std::string(4, '\0')}}});
    };
    std::uint64_t first = 1, second = 1 + random() % 100'000;
    for (std::uint32_t n = 0; n < 5000; ++n) {
      add(true, n, first);
      if (n % 2 == 0) first += random() % 2000;
      add(false, 0, second);
      add(true, n, second);
    }
    happen(execution, happenings, 4);
    const auto origins = find_origins(execution.readings, execution.writings);
    std::size_t right = 0;
    for (std::size_t r = 0; r < origins.size(); ++r)
      right += origins[r][0].writing == execution.truth[r][0];
    EXPECT_GE(static_cast<double>(right), 0.999 * static_cast<double>(origins.size()))
        << right << " of " << origins.size();
  }
}

TEST(Writers, CannotHaveWrittenWhatWasGone) {
  const std::vector<Writing> writings{{{10, 20}, {{0, kBegin, "aaaa"}}},
                                      {{30, 40}, {{0, kBegin, "bbbb"}}}};
  const std::vector<Reading> readings{{{50, 60}, {{0, kBegin, "aaaa"}}},
                                      {{50, 60}, {{0, kBegin, "cccc"}}},
                                      {{35, 60}, {{0, kBegin, "aaaa"}}},
                                      {{5, 8}, {{0, kBegin, "bbbb"}}}};
  const auto origins = find_origins(readings, writings);
  EXPECT_EQ(origins[0], (std::vector<Origin>{{Origin::kElsewhere, 4, true}}));
  EXPECT_EQ(origins[1], (std::vector<Origin>{{Origin::kElsewhere, 4, false}}));
  EXPECT_EQ(origins[2],
            (std::vector<Origin>{{0, 4, false}}));  // the second one may not have been written yet
  EXPECT_EQ(origins[3], (std::vector<Origin>{{Origin::kElsewhere, 4, true}}));
}

TEST(Writers, MayBeUpdates) {
  const std::vector<Writing> writings{{{10, 20}, {{0, kBegin, "aaaa"}}},
                                      {{30, 40}, {{0, kBegin, "bbbb"}}, true}};
  const auto origins = find_origins(
      {{{50, 60}, {{0, kBegin, "zzzz"}}}, {{12, 15}, {{0, kBegin, "aaaa"}}}}, writings);
  EXPECT_EQ(origins[0], (std::vector<Origin>{{1, 4, false}}));
  EXPECT_EQ(origins[1], (std::vector<Origin>{{0, 4, false}}));
}

TEST(Writers, AreNotTheReadersThemselves) {
  const std::vector<Writing> writings{{{10, 20}, {{0, kBegin, "aaaa"}}},
                                      {{30, 40}, {{0, kBegin, "aaaa"}}}};
  EXPECT_EQ(find_origins({{{30, 40}, {{0, kBegin, "aaaa"}}, 1}}, writings)[0],
            (std::vector<Origin>{{0, 4, false}}));
}

}  // namespace
}  // namespace photofinish

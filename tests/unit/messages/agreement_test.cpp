// Compares three ways to find the message races of a random execution: all states, the closure, and
// the detector during the run.
//
// PHOTOFINISH_RANDOM_EXECUTIONS: their total number (default 40000). PHOTOFINISH_RANDOM_SEED: the
// seed (default 1).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "feed.h"
#include "program.h"

namespace photofinish::testing {
namespace {

constexpr std::size_t kMostStates = 3000;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::string difference(const Execution& execution, const std::set<Pair>& right,
                       const std::set<Pair>& found) {
  std::ostringstream out;
  for (const auto& [receive, send] : right)
    if (found.count({receive, send}) == 0)
      out << "missing: " << text(execution, receive) << " | " << text(execution, send) << '\n';
  for (const auto& [receive, send] : found)
    if (right.count({receive, send}) == 0)
      out << "is none: " << text(execution, receive) << " | " << text(execution, send) << '\n';
  return out.str();
}

std::string difference(const SitePairs& right, const SitePairs& found) {
  std::ostringstream out;
  const auto show = [&](const auto& pair) {
    out << std::hex << pair.first << " | " << pair.second << std::dec << '\n';
  };
  for (const auto& pair : right)
    if (found.count(pair) == 0) out << "missing: ", show(pair);
  for (const auto& pair : found)
    if (right.count(pair) == 0) out << "is none: ", show(pair);
  return out.str();
}

void agree(Focus focus) {
  int racing = 0, free = 0, large = 0, more = 0;
  const auto property = [&] {
    const Program program = *programs(focus);
    const Execution execution = run(program);
    const auto explored = explore(execution, kMostStates);
    if (!explored) {
      ++large;
      return;
    }
    const Closure closure = close(execution);
    if (closure.pairs != *explored)
      RC_FAIL("by closure:\n" + difference(execution, *explored, closure.pairs));
    if (execution.whole && closure.conflicts.empty() != explored->empty())
      RC_FAIL("Theorem 2.2:\n" + difference(execution, *explored, closure.conflicts));
    more += closure.conflicts != closure.pairs;
    ++(explored->empty() ? free : racing);
    std::uint32_t seed = static_cast<std::uint32_t>(program.steps.size() * 977 + program.stop);
    const std::vector<Happening> order =
        linearise(execution, [&] { return (seed = seed * 1664525 + 1013904223) >> 16; });
    // With a site for each event: pair by pair. With few sites, or one: discarded events must not
    // cause a missed race.
    const SiteOf sites[] = {own_site,
                            [](Ref ref) { return static_cast<std::uint64_t>(ref.event % 2); },
                            [](Ref) { return std::uint64_t{0}; }};
    for (const SiteOf& site_of : sites) {
      const SitePairs right = sites_of(*explored, site_of),
                      found = detected(execution, order, site_of);
      if (found != right) RC_FAIL("on the fly:\n" + difference(right, found));
    }
  };
  const std::uint64_t executions = from_environment("PHOTOFINISH_RANDOM_EXECUTIONS", 40000);
  rc::detail::TestParams params;
  params.maxSuccess = static_cast<int>(executions / std::size(kFocuses));
  params.seed = from_environment("PHOTOFINISH_RANDOM_SEED", 1);
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = name_of(focus);
  const auto result = rc::detail::checkTestable(property, metadata, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  if (!result.is<rc::detail::SuccessResult>())
    FAIL() << message.str() << "\nAgain: PHOTOFINISH_RANDOM_SEED=" << params.seed
           << " PHOTOFINISH_RANDOM_EXECUTIONS=" << executions
           << " unit_messages --gtest_filter=MessageAgreement."
           << ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::cout << racing << " with races, " << free << " without, " << large
            << " too large; the theorem names more pairs in " << more << '\n';
}

TEST(MessageAgreement, Everything) { agree(Focus::Everything); }
TEST(MessageAgreement, Posted) { agree(Focus::Posted); }
TEST(MessageAgreement, Blocking) { agree(Focus::Blocking); }
TEST(MessageAgreement, Synchronous) { agree(Focus::Synchronous); }
TEST(MessageAgreement, Tags) { agree(Focus::Tags); }
TEST(MessageAgreement, Probes) { agree(Focus::Probes); }
TEST(MessageAgreement, Cancels) { agree(Focus::Cancels); }
TEST(MessageAgreement, Order) { agree(Focus::Order); }
TEST(MessageAgreement, Locks) { agree(Focus::Locks); }

}  // namespace
}  // namespace photofinish::testing

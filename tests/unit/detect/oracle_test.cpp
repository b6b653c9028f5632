// Tests the oracle with cases whose verdict is evident; agreement_test.cpp runs analyze() on the
// same cases.
#include "oracle.h"

#include <gtest/gtest.h>

#include "cases.h"

namespace photofinish::testing {
namespace {

TEST(Oracle, AgreesWithHandMadeCases) {
  const std::vector<Case> cases = hand_made_cases();
  EXPECT_GT(cases.size(), 100u);
  for (const Case& one : cases) {
    const Verdict verdict = judge(one.execution);
    EXPECT_EQ(verdict.open, "") << one.name << '\n' << text(one.execution);
    EXPECT_TRUE(events_of(verdict.races) == one.races)
        << one.name << '\n'
        << text(one.execution) << text(verdict.races);
  }
}

}  // namespace
}  // namespace photofinish::testing

#include "model/recursion.h"

#include <gtest/gtest.h>

#include <string>

#include "model/scopes.h"

namespace photofinish {
namespace {

// Letters are functions, innermost first.
std::string folded(const std::string& stack) {
  std::string kept;
  for (const std::size_t i : without_recursion(stack, [](char frame) { return frame; }))
    kept += stack[i];
  return kept;
}

TEST(Recursion, IsLeftOutAtEveryDepth) {
  EXPECT_EQ(folded(""), "");
  EXPECT_EQ(folded("pwm"), "pwm");
  EXPECT_EQ(folded("pwwm"), "pwm");
  EXPECT_EQ(folded("pwwwwwwm"), "pwm");
  EXPECT_EQ(folded("wwm"), "wm");
}

TEST(Recursion, ThroughOtherFunctionsToo) {
  EXPECT_EQ(folded("poem"), "poem");
  EXPECT_EQ(folded("poeoem"), "poem");
  EXPECT_EQ(folded("poeoeoeoem"), "poem");
  EXPECT_EQ(folded("pabcabdcabm"), "pabm");
  EXPECT_EQ(folded("pabbam"), "pam");
}

TEST(Recursion, MakesNoOtherLocationOfALocation) {
  Definitions definitions;
  const auto add = [&](std::uint32_t id, std::vector<std::uint64_t> addresses) {
    SiteDefinition site{SiteId(id), {}};
    for (const std::uint64_t address : addresses) site.frames.push_back({ModuleId(1), address});
    definitions.add(site);
  };
  add(1, {100, 200, 300});
  add(2, {100, 200, 200, 200, 300});
  add(3, {100, 200, 250, 200, 250, 200, 300});
  add(4, {100, 250, 300});
  const auto key = [&](std::uint32_t id) { return call_site_key(definitions, SiteId(id)); };
  EXPECT_EQ(key(1), key(2));
  EXPECT_EQ(key(1), key(3));
  EXPECT_NE(key(1), key(4));
}

}  // namespace
}  // namespace photofinish

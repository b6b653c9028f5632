// Checks a property on random executions. The environment sets their number and the seed; a failing
// one is shrunk.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

namespace photofinish {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

// Checks one in `share` of all executions; fails the current test if the property fails.
template <class Property>
void hold_for_random_executions(const std::string& name, std::size_t share, Property property) {
  const std::uint64_t executions = from_environment("PHOTOFINISH_RANDOM_EXECUTIONS", 20000);
  rc::detail::TestParams params;
  params.maxSuccess = static_cast<int>(executions / share);
  params.seed = from_environment("PHOTOFINISH_RANDOM_SEED", 1);
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = name;
  const auto result = rc::detail::checkTestable(property, metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  FAIL() << message.str() << "\nAgain: PHOTOFINISH_RANDOM_SEED=" << params.seed
         << " PHOTOFINISH_RANDOM_EXECUTIONS=" << executions
         << " unit_detect --gtest_filter=" << test->test_suite_name() << "." << test->name();
}

}  // namespace photofinish

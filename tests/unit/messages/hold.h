// Checks a property on random programs of each focus.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "program.h"

namespace photofinish::testing {

template <class Property>
void hold_for_each_focus(Property property) {
  for (const Focus focus : kFocuses) {
    rc::detail::TestParams params;
    params.maxSuccess = 1000;
    params.seed = 1;
    rc::detail::TestMetadata metadata;
    metadata.id = metadata.description = name_of(focus);
    const auto result = rc::detail::checkTestable([&] { property(focus); }, metadata, params);
    std::ostringstream message;
    rc::detail::printResultMessage(result, message);
    EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
  }
}

}  // namespace photofinish::testing

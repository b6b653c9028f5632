#include "model/scopes.h"
#include "frontend/mpi/table/mpi_call.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

struct Program {
  Definitions definitions;
  Scopes scopes;

  void say(Call call, std::uint32_t text = 0, std::uint32_t task = 1) {
    Event event;
    event.call = call;
    event.task = TaskId(task);
    event.site = SiteId(text);
    if (text != 0) event.fields.set(Field::text, TextId(text));
    scopes.follow(event, definitions);
  }
  std::uint64_t key(std::uint32_t task = 1) {
    say(MpiCall::MPI_Barrier, 0, task);
    return scopes.key_of(1000);
  }
};

TEST(Scopes, WithoutAnyALocationIsItself) {
  Program program;
  EXPECT_EQ(program.key(), 1000u);
  program.say(Call::region_end);
  program.say(Call::intended_end);
  EXPECT_EQ(program.key(), 1000u);
}

TEST(Scopes, ARegionMakesItAnotherLocationByItsName) {
  Program one, other;
  one.definitions.add(TextDefinition{TextId(1), "halo"});
  other.definitions.add(TextDefinition{TextId(1), "solve"});
  other.definitions.add(TextDefinition{TextId(2), "halo"});
  one.say(Call::region_begin, 1);
  other.say(Call::region_begin, 2);
  EXPECT_NE(one.key(), 1000u);
  EXPECT_EQ(one.key(), other.key());  // ids are local to a rank
  EXPECT_FALSE(is_intended(one.key()));
  other.say(Call::region_begin, 1);
  EXPECT_NE(one.key(), other.key());
  other.say(Call::region_end);
  EXPECT_EQ(one.key(), other.key());
  one.say(Call::region_end);
  EXPECT_EQ(one.key(), 1000u);
}

TEST(Scopes, WhatIsIntendedReportsSo) {
  Program program;
  program.say(Call::intended_begin, 1);
  program.say(Call::region_begin, 2);
  EXPECT_TRUE(is_intended(program.key()));
  ASSERT_EQ(program.scopes.open().size(), 2u);
  EXPECT_EQ(program.scopes.open()[0].site, SiteId(1));
  program.say(Call::intended_end);  // the region continues
  EXPECT_FALSE(is_intended(program.key()));
  EXPECT_NE(program.key(), 1000u);
  ASSERT_EQ(program.scopes.open().size(), 1u);
  EXPECT_FALSE(program.scopes.open()[0].intended);
}

TEST(Scopes, EachTaskHasItsOwn) {
  Program program;
  program.say(Call::intended_begin, 1, 1);
  EXPECT_FALSE(is_intended(program.key(2)));
  EXPECT_TRUE(is_intended(program.key(1)));
  program.say(Call::intended_end, 0, 2);
  EXPECT_TRUE(is_intended(program.key(1)));
}

TEST(Scopes, AHashNeverChecksIntended) {
  Definitions definitions;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    definitions.add(SiteDefinition{SiteId(i), {{ModuleId(1), i}}});
    EXPECT_FALSE(is_intended(call_site_key(definitions, SiteId(i))));
  }
}

}  // namespace
}  // namespace photofinish

#include "symbols/saved_symbols.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../launch/temp_dir.h"

namespace photofinish {
namespace {

using testing::TempDir;

TEST(SavedSymbols, WhatWasWrittenIsRead) {
  TempDir dir;
  const std::string path = dir / "symbols.json";
  const SavedSymbols::Site site{"/home/me/app", 0x1234, true, "0abc"};
  const SavedSymbols::Place place{"/home/me/app", 0x4010, "grid"};
  const Frame frame{.function = "main", .file = "/home/me/app.c", .line = 31, .module = "app"};
  SavedSymbols saved(path);
  EXPECT_EQ(saved.frames(site), nullptr);
  EXPECT_FALSE(saved.variable(place).has_value());
  EXPECT_FALSE(saved.local(place).has_value());
  saved.add_frames(site, {frame});
  saved.add_variable(place, Variable{.name = "grid", .bytes = 64});
  saved.add_local(place, std::nullopt);
  saved.add_lines("/home/me/app.c", 31, {"one", "tw\xff"});
  saved.add_remark("a", "b");
  saved.write();

  const SavedSymbols read(path);
  ASSERT_NE(read.frames(site), nullptr);
  EXPECT_EQ(read.frames(site)->front().function, "main");
  EXPECT_EQ(read.frames(site)->front().line, 31);
  ASSERT_TRUE(read.variable(place).has_value() && read.variable(place)->has_value());
  EXPECT_EQ((*read.variable(place))->name, "grid");
  ASSERT_TRUE(read.local(place).has_value());
  EXPECT_FALSE(read.local(place)->has_value());
  EXPECT_EQ(read.lines("/home/me/app.c", 31, 12).size(), 2u);
  EXPECT_EQ(read.lines("/home/me/app.c", 32, 1).size(), 1u);
  EXPECT_TRUE(read.lines("/home/me/app.c", 33, 1).empty());
  ASSERT_NE(read.remark("a"), nullptr);
  EXPECT_EQ(*read.remark("a"), "b");
}

TEST(SavedSymbols, ADamagedFileCountsAsEmpty) {
  TempDir dir;
  for (const char* text : {"", "{", "[]", "{\"version\": 1}", "{\"version\": 99}"}) {
    std::ofstream(dir / "symbols.json") << text;
    SavedSymbols saved(dir / "symbols.json");
    EXPECT_EQ(saved.frames({"m", 1, true, ""}), nullptr) << text;
    EXPECT_FALSE(saved.local({"m", 1, "x"}).has_value()) << text;
  }
}

TEST(SavedSymbols, UnresolvedFramesAreNotStored) {
  TempDir dir;
  SavedSymbols saved(dir / "symbols.json");
  saved.add_frames({"m", 1, true, ""}, {Frame{.module = "m", .offset = 1}});
  EXPECT_EQ(saved.frames({"m", 1, true, ""}), nullptr);
}

}  // namespace
}  // namespace photofinish

#include "base/printable.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

TEST(Printable, LeavesWordsOfAnyScriptAlone) {
  for (const char* text : {"", "halo", "a b~", "Größe", "窓", "окно", "🏁", "\"quoted\" \\ <b>"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatChangesATerminalOrALine) {
  EXPECT_EQ(printable("\033[31mred\033[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f");
  EXPECT_EQ(printable("a\tb\n", true), "a\tb\\n");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc"),
            "\\xe2\\x80\\xae"
            "abc");  // right-to-left mark
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\\xff"
            "b");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // truncated
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong encoding
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(printable("\xc3(\xc3\xbc"), "\\xc3(\xc3\xbc");
}

}  // namespace
}  // namespace photofinish

#include "options/options.h"

#include <gtest/gtest.h>

#include <set>

namespace photofinish {
namespace {

std::string error_of(std::string_view text) {
  const auto options = parse_options(text);
  return options ? "" : options.error().message;
}

TEST(Options, Choices) {
  EXPECT_EQ(choices_of("mpi"), (std::vector<std::string>{"auto", "openmpi", "mpich"}));
  EXPECT_TRUE(choices_of("output").empty());
  for (const OptionInfo& info : option_table())
    for (const std::string& choice : choices_of(info.name))
      EXPECT_TRUE(parse_options(std::string(info.name) + "=" + choice))
          << info.name << " " << choice;
}

TEST(Options, NothingGivesTheDefaults) {
  const auto options = parse_options("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->output, "photofinish.run");
  EXPECT_FALSE(options->overwrite);
  EXPECT_EQ(options->mpi, "auto");
  EXPECT_EQ(options->stack_depth, 32);
  EXPECT_EQ(format_options(*options), "");
}

TEST(Options, AreSeparatedByColons) {
  const auto options =
      parse_options("output=/tmp/x:stack_depth=5:overwrite=yes:progress=off:mpi=mpich");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->output, "/tmp/x");
  EXPECT_EQ(options->stack_depth, 5);
  EXPECT_TRUE(options->overwrite);
  EXPECT_FALSE(options->progress);
  EXPECT_EQ(options->mpi, "mpich");
}

TEST(Options, TheNameOfASwitchAloneMeansOne) {
  EXPECT_TRUE(parse_options("overwrite")->overwrite);
  EXPECT_TRUE(parse_options("verbose:overwrite")->verbose);
  const auto options = parse_options("stack_depth:verbose");
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message, "option stack_depth needs a value: stack_depth=…");
}

TEST(Options, EmptyPartsAreNothing) {
  EXPECT_TRUE(parse_options("::verbose:::stack_depth=7:")->verbose);
}

TEST(Options, QuotesHoldColons) {
  EXPECT_EQ(parse_options("output='C:/a b:c':verbose")->output, "C:/a b:c");
  EXPECT_TRUE(parse_options("output='C:/a b:c':verbose")->verbose);
  EXPECT_EQ(parse_options("output=\"it's\"")->output, "it's");
  EXPECT_EQ(parse_options("output='say \"x\"'")->output, "say \"x\"");
  EXPECT_EQ(parse_options("output=a=b")->output, "a=b");
}

TEST(Options, TheLastOneWins) {
  EXPECT_EQ(parse_options("stack_depth=3:stack_depth=4")->stack_depth, 4);
}

TEST(Options, StartFromThoseGiven) {
  Options from;
  from.stack_depth = 9;
  const auto options = parse_options("verbose", from);
  EXPECT_EQ(options->stack_depth, 9);
  EXPECT_TRUE(options->verbose);
}

TEST(Options, ErrorsNameTheOptionAndWhatIsRight) {
  EXPECT_EQ(error_of("colour=red"), "there is no option 'colour' (see photofinish --help)");
  EXPECT_EQ(error_of("stack_depth=deep"), "option stack_depth: 'deep' is not a number");
  EXPECT_EQ(error_of("stack_depth=3x"), "option stack_depth: '3x' is not a number");
  EXPECT_EQ(error_of("stack_depth="), "option stack_depth: '' is not a number");
  EXPECT_EQ(error_of("stack_depth=99999999999999"),
            "option stack_depth: '99999999999999' is not a number");
  EXPECT_EQ(error_of("overwrite=maybe"), "option overwrite: 'maybe' is not 1 or 0");
  EXPECT_EQ(error_of("output='unclosed"), "option output: a quote is not closed");
  EXPECT_EQ(error_of("mpi=lam"), "option mpi: 'lam' is not auto, openmpi or mpich");
  EXPECT_NE(error_of("stack_depth=0"), "");
  EXPECT_NE(error_of("stack_depth=129"), "");
  EXPECT_NE(error_of("output="), "");
  EXPECT_NE(error_of("verbose:nonsense:overwrite"), "");
}

TEST(Options, FormattedAndParsedAreTheSame) {
  for (const char* output : {"plain", "with space", "with:colon", "it's", "say \"x\"", "=", "a=b",
                             "'quoted'", "/deep/path"}) {
    Options options;
    options.output = output;
    options.overwrite = true;
    options.progress = false;
    options.stack_depth = 128;
    const std::string text = format_options(options);
    const auto parsed = parse_options(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->output, options.output) << text;
    EXPECT_EQ(parsed->overwrite, options.overwrite) << text;
    EXPECT_EQ(parsed->progress, options.progress) << text;
    EXPECT_EQ(parsed->stack_depth, options.stack_depth) << text;
    EXPECT_EQ(format_options(*parsed), text);
  }
}

TEST(Options, TheTableReportsEachOptionOnceWithADefaultThatParses) {
  std::set<std::string_view> names;
  for (const OptionInfo& info : option_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_TRUE(info.type == "bool" || info.type == "int" || info.type == "text") << info.name;
    Options options;
    EXPECT_TRUE(set_option(options, info.name, info.default_value)) << info.name;
    EXPECT_EQ(format_options(options), "") << info.name;
  }
  EXPECT_TRUE(names.contains("output"));
}

TEST(Options, ABudgetIsASlowdown) {
  EXPECT_DOUBLE_EQ(*slowdown_of("1.1x"), 1.1);
  EXPECT_DOUBLE_EQ(*slowdown_of("2"), 2);
  EXPECT_DOUBLE_EQ(*slowdown_of(""), 0);
  EXPECT_EQ(parse_options("budget=1.25x:sample=on")->budget, "1.25x");
  for (const char* wrong : {"x", "1x", "0.9x", "1.1y", "1.1xx", "-2x", "101x", "nan", "10%"})
    EXPECT_EQ(error_of(std::string("budget=") + wrong),
              std::string("option budget: '") + wrong +
                  "' is not a slowdown: give a factor above 1 and up to 100, such as 1.1x");
}

TEST(Options, SamplingIsOnOrOff) {
  EXPECT_EQ(parse_options("")->sample, "off");
  EXPECT_EQ(error_of("sample=often"), "option sample: 'often' is not off or on");
}

}  // namespace
}  // namespace photofinish

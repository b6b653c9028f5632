#include "report/sampling_text.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

RankSampling rank(int number, SamplingDefinition sampling) { return {WorldRank(number), sampling}; }

TEST(SamplingText, NothingWhereNobodySampled) { EXPECT_EQ(sampling_lines({}), ""); }

TEST(SamplingText, SumsTheRanksAndTellsWhatTheDearestPaid) {
  const std::string text = sampling_lines({rank(0, {.looked = 10,
                                                    .skipped = 90,
                                                    .places = 3,
                                                    .thinned = 1,
                                                    .own_ns = 50,
                                                    .recording_ns = 10,
                                                    .run_ns = 1000,
                                                    .wall_ns = 1000}),
                                           rank(1, {.looked = 40,
                                                    .skipped = 60,
                                                    .places = 3,
                                                    .thinned = 2,
                                                    .own_ns = 200,
                                                    .recording_ns = 100,
                                                    .run_ns = 1000,
                                                    .wall_ns = 1000})});
  EXPECT_EQ(text,
            "NOTE: photofinish: sampled: looked 50 times of 200 (25.0%) at loads and stores that "
            "others could reach, a whole loop may be one time; "
            "of 6 places that were come to 3 were not looked at each time, and their races may be "
            "missing\n"
            "NOTE: photofinish: sampled: the tool took 20.0% of the processor time of rank 1, a "
            "slowdown of 1.25x; 10.0% were for MPI calls, of which none is skipped\n");
}

TEST(SamplingText, SaysWhetherTheBudgetWasKept) {
  const auto told = [](std::uint64_t own, std::uint64_t recording) {
    return sampling_lines({rank(0, {.slowdown = 1.1,
                                    .looked = 1,
                                    .own_ns = own,
                                    .recording_ns = recording,
                                    .run_ns = 1000,
                                    .wall_ns = 1000})});
  };
  EXPECT_NE(told(80, 10).find("a slowdown of 1.09x (budget 1.1x); 1.0%"), std::string::npos)
      << told(80, 10);
  EXPECT_NE(told(200, 10).find("(budget 1.1x, exceeded)"), std::string::npos) << told(200, 10);
  EXPECT_NE(told(200, 150).find("(budget 1.1x, too little for the MPI calls alone)"),
            std::string::npos)
      << told(200, 150);
}

TEST(SamplingText, SaysWhatIsNotCounted) {
  const std::string text = sampling_lines(
      {rank(0, {.slowdown = 1.1, .looked = 1, .run_ns = 1000, .lifted_ns = 500, .wall_ns = 1000}),
       rank(3, {.slowdown = 1.1})});
  EXPECT_NE(
      text.find("no load or store was looked at or counted for up to 50.0% of the time (rank 0)\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("what rank 3 skipped is not counted, for it did not come to its end\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace photofinish

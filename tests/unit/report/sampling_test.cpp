#include "report/sampling_text.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

RankSampling rank(int number, SamplingDefinition sampling) { return {WorldRank(number), sampling}; }

TEST(SamplingText, NothingWhereNobodySampled) { EXPECT_EQ(sampling_lines({}), ""); }

TEST(SamplingText, SumsTheRanksAndReportsWhatTheDearestPaid) {
  const std::string text = sampling_lines({rank(0, {.checked = 10,
                                                    .skipped = 90,
                                                    .locations = 3,
                                                    .thinned = 1,
                                                    .own_ns = 50,
                                                    .recording_ns = 10,
                                                    .run_ns = 1000,
                                                    .wall_ns = 1000}),
                                           rank(1, {.checked = 40,
                                                    .skipped = 60,
                                                    .locations = 3,
                                                    .thinned = 2,
                                                    .own_ns = 200,
                                                    .recording_ns = 100,
                                                    .run_ns = 1000,
                                                    .wall_ns = 1000})});
  EXPECT_EQ(text,
            "NOTE: photofinish: sampled 50 of 200 accesses to shared memory (25.0%; a whole loop "
            "may count as one); 3 of 6 sites were subsampled, so races there may be missed\n"
            "NOTE: photofinish: sampling cost 20.0% of the CPU time of rank 1, a slowdown of "
            "at least 1.25x; 10.0% was for MPI calls, which are never skipped. Not included: the "
            "test before each access\n");
}

TEST(SamplingText, SaysWhetherTheBudgetWasKept) {
  const auto reported = [](std::uint64_t own, std::uint64_t recording) {
    return sampling_lines({rank(0, {.slowdown = 1.1,
                                    .checked = 1,
                                    .own_ns = own,
                                    .recording_ns = recording,
                                    .run_ns = 1000,
                                    .wall_ns = 1000})});
  };
  EXPECT_NE(reported(80, 10).find("a slowdown of at least 1.09x (budget 1.1x); 1.0%"),
            std::string::npos)
      << reported(80, 10);
  EXPECT_NE(reported(200, 10).find("(budget 1.1x, exceeded)"), std::string::npos)
      << reported(200, 10);
  EXPECT_NE(reported(200, 150).find("(budget 1.1x, exceeded by the MPI calls alone)"),
            std::string::npos)
      << reported(200, 150);
}

TEST(SamplingText, SaysWhatIsNotCounted) {
  const std::string text = sampling_lines(
      {rank(0, {.slowdown = 1.1, .checked = 1, .run_ns = 1000, .lifted_ns = 500, .wall_ns = 1000}),
       rank(3, {.slowdown = 1.1})});
  EXPECT_NE(text.find("sampling was suspended for up to 50.0% of the run time"), std::string::npos)
      << text;
  EXPECT_NE(text.find("accesses skipped by rank 3 are not counted: it did not finish\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace photofinish

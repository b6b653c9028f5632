#include <gtest/gtest.h>

#include "../report/made_up_run.h"
#include "cli/commands.h"
#include "trace/findings_file.h"

namespace photofinish {

// main.cpp's, without a line on standard error.
std::string g_failure;
int fail(const std::string& message, int code) {
  g_failure = message;
  return code;
}

namespace {

TEST(ReportCommand, ExitCodes) {
  testing::MadeUpRun run(1);
  EXPECT_EQ(run_report({}, {.run = run.path}), kExitToolError);
  EXPECT_EQ(g_failure, run.path + " was never analysed: photofinish analyze " + run.path + " does it");
  EXPECT_EQ(run_report({}, {.run = run.dir / "nowhere"}), kExitToolError);

  ::testing::internal::CaptureStdout();
  ASSERT_TRUE(write_findings(analysis_path(run.path), {}));
  EXPECT_EQ(run_report({}, {.run = run.path}), kExitOk);
  ASSERT_TRUE(write_findings(analysis_path(run.path), {Finding{}}));
  EXPECT_EQ(run_report({}, {.run = run.path}), kExitFindings);
  const std::string out = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(out.find("SUMMARY: photofinish: no findings"), std::string::npos) << out;
  EXPECT_NE(out.find("SUMMARY: photofinish: 1 buffer race"), std::string::npos) << out;
}

TEST(ReportCommand, AfterARunItGoesToStandardError) {
  testing::MadeUpRun run(1);
  EXPECT_FALSE(tell_findings(run.path, {.output = "my.run"}));
  ASSERT_TRUE(write_findings(findings_path(run.path, WorldRank(0)), {Finding{}}));
  ::testing::internal::CaptureStderr();
  const auto found = tell_findings(run.path, {.output = "my.run"});
  const std::string err = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(*found);
  EXPECT_TRUE(err.ends_with("SUMMARY: photofinish: 1 buffer race · run my.run\n")) << err;
}

}  // namespace
}  // namespace photofinish

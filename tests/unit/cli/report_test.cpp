#include <gtest/gtest.h>

#include "../report/made_up_run.h"
#include "cli/commands.h"
#include "trace/findings_file.h"

namespace photofinish {

// Replaces the one of main.cpp, without output on standard error.
std::string g_failure;
int fail(const std::string& message, int code) {
  g_failure = message;
  return code;
}
int fail_to_read(const std::string&, const Error& error) { return fail(error.message); }

namespace {

TEST(ReportCommand, ExitCodes) {
  testing::MadeUpRun run(1);
  EXPECT_EQ(run_report({}, {.run = run.path}), kExitToolError);
  EXPECT_EQ(g_failure, run.path + " is not analyzed yet: run photofinish analyze " + run.path);
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
  EXPECT_FALSE(report_findings(run.path, {.output = "my.run"}, {}));
  ASSERT_TRUE(write_findings(findings_path(run.path, WorldRank(0)), {Finding{}}));
  ::testing::internal::CaptureStderr();
  const auto found = report_findings(run.path, {.output = "my.run"}, {});
  const std::string err = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(*found);
  EXPECT_TRUE(
      err.ends_with("SUMMARY: photofinish: 1 buffer race, but not everything was checked: messages "
                    "were not analyzed · in my.run\nNext: photofinish confirm my.run\n"))
      << err;
}

TEST(ReportOptions, AreNotForTheRanks) {
  Options options{.output = "a.run"};
  const std::string before = format_options(options);
  for (const auto& [name, value] : {std::pair{"suppressions", "a b:c"},
                                    {"builtin_suppressions", "0"},
                                    {"gen_suppressions", "1"},
                                    {"baseline", "x"},
                                    {"max_findings", "3"},
                                    {"group_by", "file"},
                                    {"source_root", "/x"},
                                    {"exit_zero", "1"},
                                    {"error_exitcode", "3"},
                                    {"quiet", "1"}})
    ASSERT_TRUE(set_option(options, name, value)) << name;
  EXPECT_NE(format_options(options), before);
  forget_report_options(options);
  EXPECT_EQ(format_options(options), before);
}

TEST(ReportOptions, AreCheckedAtBeforeTheRun) {
  testing::TempDir dir;
  EXPECT_TRUE(check_report_options({}));
  EXPECT_EQ(check_report_options({.suppressions = dir / "none"}).error().message,
            "cannot read the suppressions " + (dir / "none") + ": No such file or directory");
  EXPECT_EQ(check_report_options({.baseline = dir / "none"}).error().message,
            "cannot read " + (dir / "none") + ": No such file or directory");
  EXPECT_EQ(check_report_options({.group_by = "colour"}).error().message,
            "option group_by: 'colour' is not kind, file, window, state, rank or none");
}

TEST(ReportCommand, SuppressedFindingsAreNoFindings) {
  testing::MadeUpRun run(1);
  Finding finding;
  finding.win = testing::kHalo;
  ASSERT_TRUE(write_findings(analysis_path(run.path), {finding}));
  run.dir.write("my.supp", "window:halo\n");
  const std::string known = run.dir / "known.json";
  ::testing::internal::CaptureStdout();
  run_report({}, {.run = run.path, .report = {.format = "json", .file = known}});
  for (const char* format :
       {"text", "json", "sarif", "html", "perfetto"}) {  // the remaining format is a folder
    EXPECT_EQ(run_report({}, {.run = run.path, .report = {.format = format, .file = "-"}}),
              kExitFindings)
        << format;
    EXPECT_EQ(run_report({.suppressions = run.dir / "my.supp"},
                         {.run = run.path, .report = {.format = format, .file = "-"}}),
              kExitOk)
        << format;
    EXPECT_EQ(run_report({.baseline = known},
                         {.run = run.path, .report = {.format = format, .file = "-"}}),
              kExitOk)
        << format;
  }
  ::testing::internal::GetCapturedStdout();
}

}  // namespace
}  // namespace photofinish

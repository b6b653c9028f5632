// Runs programs that respond as badly as possible.
#include "doctor/detect.h"

#include <gtest/gtest.h>

#include <chrono>

#include "../launch/temp_dir.h"
#include "doctor/ask.h"
#include "doctor/program.h"
#include "symbols/debug_lines.h"

namespace photofinish {
namespace {

using testing::ScopedEnv;
using testing::TempDir;

TEST(Ask, TakesBothOutputsAndTheExitCode) {
  const Answer answer = ask({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_TRUE(answer.started && answer.ended);
  EXPECT_EQ(answer.code, 3);
  EXPECT_FALSE(answer.well());
  EXPECT_EQ(answer.text, "out\nerr\n");
  EXPECT_TRUE(ask({"true"}).well());
  EXPECT_EQ(ask({"sh", "-c", "kill -9 $$"}).code, 128 + 9);
}

TEST(Ask, WhatIsNotThere) {
  EXPECT_FALSE(ask({"/nowhere/at-all"}).well());
  EXPECT_FALSE(ask({}).started);
}

TEST(Ask, NeverWaitsLongerThanItMay) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* script : {"sleep 60", "sleep 60 >/dev/null 2>&1", "sleep 60 & sleep 60"}) {
    const Answer answer = ask({"sh", "-c", script}, 1);
    EXPECT_FALSE(answer.ended) << script;
    EXPECT_FALSE(answer.well()) << script;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Ask, FirstLineThatSaysSomething) {
  EXPECT_EQ((Answer{.text = "-----------\n\n  There is no host.  \nmore\n"}).first_line(),
            "There is no host.");
  EXPECT_EQ((Answer{.text = "---\n"}).first_line(), "");
}

TEST(CheckFor, Versions) {
  EXPECT_EQ(version_in("mpirun (Open MPI) 4.1.4\n\nReport bugs"), "4.1.4");
  EXPECT_EQ(version_in("HYDRA build details:\n    Version:  4.0.2\n"), "4.0.2");
  EXPECT_EQ(version_in("build 17 of 5.0.0rc1."), "5.0.0");
  EXPECT_EQ(version_in("none. 7."), "");
}

TEST(CheckFor, LaunchersAndCompilers) {
  TempDir dir;
  const std::string ours = dir / "lib";
  dir.write("lib/libphotofinish-mpich.so", "");
  dir.write("bin/mpirun.mpich",
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'HYDRA 4.9.9'; else echo -----; echo "
            "'cannot resolve node7' >&2; exit 1; fi\n",
            true);
  dir.write("bin/mpicc", "#!/bin/sh\n[ \"$1\" = -v ] && echo 'mpicc for MPICH version 4.9.9'\n",
            true);
  ScopedEnv path("PATH", dir / "bin:/usr/bin:/bin");
  const MpiFacts mpich = check_for_mpi(MpiFlavour::Mpich, ours);
  EXPECT_EQ(mpich.launcher, "mpirun.mpich");
  EXPECT_EQ(mpich.version, "4.9.9");
  EXPECT_TRUE(mpich.has_library);
  EXPECT_FALSE(mpich.has_analysis);
  EXPECT_EQ(mpich.trouble, "cannot resolve node7");
}

TEST(CheckFor, ClangsOfThePassesThatAreThere) {
  TempDir dir;
  for (const char* name :
       {"photofinish-pass-77.so", "photofinish-pass-78.so", "photofinish-pass-old.so", "other.so"})
    dir.write(name, "");
  dir.write("bin/clang-77",
            "#!/bin/sh\necho 'error: unable to load plugin: bad ELF magic' >&2\nexit 1\n", true);
  dir.write("bin/clang",
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 'clang version 78.1.0' || true\n", true);
  ScopedEnv path("PATH", dir / "bin");
  const auto clangs = check_for_clangs(dir.path());
  ASSERT_EQ(clangs.size(), 2u);
  EXPECT_EQ(clangs[0].version, 78);
  EXPECT_EQ(clangs[0].clang, "clang");
  EXPECT_EQ(clangs[0].trouble, "");
  EXPECT_EQ(clangs[1].clang, "clang-77");
  EXPECT_EQ(clangs[1].trouble, "error: unable to load plugin: bad ELF magic");
  EXPECT_EQ(clangs[1].flang, "");
}

TEST(CheckAtProgram, WhatAReportWillBeAbleToReport) {
  TempDir dir;
  testing::build_fake_program(dir, "app", "libmpich.so.12");
  dir.write("bin/mpirun.mpich", "#!/bin/sh\n", true);
  dir.write("tool/lib/photofinish/libphotofinish-mpich.so", "");
  ScopedEnv path("PATH", dir / "bin:/usr/bin:/bin");
  const ProgramFacts facts = inspect_program(dir / "app", dir / "tool/bin/photofinish");
  EXPECT_EQ(facts.trouble, "");
  EXPECT_EQ(facts.flavour, MpiFlavour::Mpich);
  EXPECT_TRUE(facts.has_library);
  EXPECT_TRUE(facts.with.empty());
  EXPECT_FALSE(inspect_program(dir / "app", dir / "elsewhere/bin/photofinish").has_library);
  EXPECT_NE(inspect_program("/bin/sh", dir / "tool/bin/photofinish").trouble, "");
  EXPECT_NE(inspect_program(dir / "nothing", dir / "tool/bin/photofinish").trouble, "");
}

TEST(CheckAtProgram, LineInformation) {
  TempDir dir;
  dir.write("a.c", "int main(void) { return 0; }\n");
  dir.run(
      "cc a.c -o without && cc -g a.c -o with && cp with stripped && strip stripped && objcopy "
      "--only-keep-debug with debug && cp stripped linked && objcopy --add-gnu-debuglink=debug "
      "linked");
  EXPECT_TRUE(has_debug_lines(dir / "with"));
  EXPECT_TRUE(has_debug_lines(dir / "linked"));
  EXPECT_FALSE(has_debug_lines(dir / "stripped"));
  EXPECT_FALSE(has_debug_lines(dir / "a.c"));
  EXPECT_FALSE(has_debug_lines(dir / "nothing"));
}

}  // namespace
}  // namespace photofinish

#include "launch/launcher.h"

#include <sstream>

#include "temp_dir.h"

namespace photofinish {
namespace {

using testing::build_fake_program;
using testing::ScopedDirectory;
using testing::ScopedEnv;
using testing::TempDir;

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

class LauncherLine : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TempDir;
    build_fake_program(*dir_, "app", "libmpi.so.40");
    build_fake_program(*dir_, "other", "libmpich.so.12");
    dir_->write("run.sh", "#!/bin/sh\n", true);
    dir_->write("x.py", "#!/usr/bin/python3\n", true);
    dir_->write("hosts", "localhost\n");
    // Fake programs in PATH, so that the tests do not depend on the machine; "node" is also a value
    // of --map-by.
    for (const char* name : {"python3", "numactl", "valgrind", "node", "timeout"})
      dir_->write(std::string("bin/") + name, "#!/bin/sh\n", true);
  }
  static void TearDownTestSuite() {
    delete dir_;
    dir_ = nullptr;
  }

  // The line with P at the position of the wrapper, or the error.
  static std::string wrap(const std::string& line) {
    const auto wrapped = wrap_program(words(line), {"P"});
    return wrapped ? joined(*wrapped) : "error: " + wrapped.error().message;
  }

  static TempDir* dir_;
  ScopedDirectory here_{dir_->path()};
  ScopedEnv path_{"PATH", *dir_ / "bin"};
};
TempDir* LauncherLine::dir_ = nullptr;

TEST_F(LauncherLine, WrapsTheProgram) {
  EXPECT_EQ(wrap("mpirun -n 2 ./app 1 2"), "mpirun -n 2 P ./app 1 2");
  EXPECT_EQ(wrap("/opt/bin/mpirun.openmpi --mca btl tcp,self -x A=b -H h1,h2 ./app"),
            "/opt/bin/mpirun.openmpi --mca btl tcp,self -x A=b -H h1,h2 P ./app");
  EXPECT_EQ(wrap("mpiexec.hydra -genv A b -ppn 2 -f hosts ./app"),
            "mpiexec.hydra -genv A b -ppn 2 -f hosts P ./app");
  EXPECT_EQ(wrap("srun -n4 --ntasks=4 -c 2 --mpi pmix --exclusive ./app -n 5"),
            "srun -n4 --ntasks=4 -c 2 --mpi pmix --exclusive P ./app -n 5");
  EXPECT_EQ(wrap("srun -n 4 -- ./app"), "srun -n 4 -- P ./app");
  EXPECT_EQ(wrap("oshrun -np 2 ./app"), "oshrun -np 2 P ./app");
  EXPECT_EQ(wrap("aprun -n 8 -N 4 -cc cpu ./app"), "aprun -n 8 -N 4 -cc cpu P ./app");
  EXPECT_EQ(wrap("jsrun -n2 -a 1 --smpiargs none ./app"), "jsrun -n2 -a 1 --smpiargs none P ./app");
  EXPECT_EQ(wrap("flux run -n4 -o cpu-affinity=off ./app"),
            "flux run -n4 -o cpu-affinity=off P ./app");
  EXPECT_EQ(wrap("flux mini run -n4 ./app : x"), "flux mini run -n4 P ./app : x");
}

TEST_F(LauncherLine, KeepsTheWholePrefix) {
  const auto wrapped =
      wrap_program(words("srun ./app a"), {"/x/photofinish", "exec", "--mpi=mpich", "--"});
  ASSERT_TRUE(wrapped) << wrapped.error().message;
  EXPECT_EQ(joined(*wrapped), "srun /x/photofinish exec --mpi=mpich -- ./app a");
}

TEST_F(LauncherLine, KeepsEmptyAndBlankWords) {
  const auto wrapped = wrap_program({"mpirun", "", "./app", "", "a b"}, {"P"});
  ASSERT_TRUE(wrapped) << wrapped.error().message;
  EXPECT_EQ(*wrapped, (std::vector<std::string>{"mpirun", "", "P", "./app", "", "a b"}));
}

TEST_F(LauncherLine, WrapsEachProgramOfAJob) {
  EXPECT_EQ(wrap("mpirun -n 2 ./app x : -n 2 ./other : ./run.sh"),
            "mpirun -n 2 P ./app x : -n 2 P ./other : P ./run.sh");
  EXPECT_NE(wrap("mpirun -n 2 ./app : -n 2 ./missing")
                .find("error: no program found in '-n 2 ./missing'"),
            std::string::npos);
}

TEST_F(LauncherLine, WrapsAProgramWithoutLauncher) {
  EXPECT_EQ(wrap("./app a"), "P ./app a");
  EXPECT_EQ(wrap("site_launcher -k 3 ./app a"), "site_launcher -k 3 P ./app a");
  EXPECT_EQ(wrap("./app srun ./other"), "P ./app srun ./other");
}

TEST_F(LauncherLine, SeesThroughHelpers) {
  EXPECT_EQ(wrap("timeout 60 mpirun -n 2 ./app"), "timeout 60 mpirun -n 2 P ./app");
  EXPECT_EQ(wrap("mpirun -n 2 numactl -l ./app"), "mpirun -n 2 numactl -l P ./app");
  EXPECT_EQ(wrap("srun valgrind -q ./app"), "srun valgrind -q P ./app");
}

TEST_F(LauncherLine, TakesScriptsAndInterpreters) {
  EXPECT_EQ(wrap("mpirun -n 2 ./run.sh a"), "mpirun -n 2 P ./run.sh a");
  EXPECT_EQ(wrap("mpirun -n 2 python3 ./x.py"), "mpirun -n 2 P python3 ./x.py");
  EXPECT_EQ(wrap("mpirun --map-by node ./run.sh"), "mpirun --map-by node P ./run.sh");
  EXPECT_EQ(wrap("mpirun --map-by node python3 ./x.py"), "mpirun --map-by node P python3 ./x.py");
  // --odd is unknown: "node" may be its value, so ./run.sh is the safer choice. Alone, "node" must
  // be the program.
  EXPECT_EQ(wrap("mpirun --odd node ./run.sh"), "mpirun --odd node P ./run.sh");
  EXPECT_EQ(wrap("mpirun --odd node script.js"), "mpirun --odd P node script.js");
}

TEST_F(LauncherLine, FindsAProgramOfTheCurrentDirectory) {
  EXPECT_EQ(wrap("mpiexec.mpich -n 2 app"), "mpiexec.mpich -n 2 P ./app");
}

TEST_F(LauncherLine, LeavesAWrappedLineAlone) {
  EXPECT_EQ(wrap("srun -n 4 /x/photofinish exec ./app"), "srun -n 4 /x/photofinish exec ./app");
}

TEST_F(LauncherLine, ErrorsSayWhatToDo) {
  EXPECT_NE(wrap("mpirun -n 2 ./missing").find("check its path"), std::string::npos);
  EXPECT_NE(wrap("bash -c './job.sh'")
                .find("put 'photofinish exec' before it in the script, and run the script itself"),
            std::string::npos);
  EXPECT_NE(wrap("mpirun").find("error: no program"), std::string::npos);
  EXPECT_NE(wrap("flux").find("error: no program"), std::string::npos);
  EXPECT_NE(wrap("srun -n").find("error: no program"), std::string::npos);
  EXPECT_NE(wrap("").find("error: nothing to run"), std::string::npos);
  EXPECT_NE(wrap("./run.sh").find("error: no program"), std::string::npos);
}

TEST_F(LauncherLine, ProgramsInAFileAreTheUsersToWrap) {
  dir_->write("plain.conf", "0-3 ./app\n");
  dir_->write("wrapped.conf", "0-3 photofinish exec ./app\n");
  EXPECT_NE(wrap("srun -n 4 --multi-prog plain.conf").find("error: the programs are named in"),
            std::string::npos);
  EXPECT_EQ(wrap("srun -n 4 --multi-prog wrapped.conf"), "srun -n 4 --multi-prog wrapped.conf");
  EXPECT_EQ(wrap("mpiexec --configfile=wrapped.conf"), "mpiexec --configfile=wrapped.conf");
  EXPECT_EQ(wrap("mpirun -n 2 ./app --app x"), "mpirun -n 2 P ./app --app x");
}

class Launcher : public ::testing::Test {
 protected:
  // A launcher that prints its version.
  std::string fake(const std::string& name, const std::string& version) {
    return dir_.write(name, "#!/bin/sh\necho '" + version + "'\n", true);
  }

  TempDir dir_;
  ScopedEnv path_{"PATH", dir_.path()};
  ScopedEnv slurm_{"SLURM_JOB_ID", std::nullopt};
};

TEST_F(Launcher, PrefersItsOwnName) {
  fake("mpirun", "HYDRA build details:");
  fake("mpirun.openmpi", "");
  fake("mpiexec.hydra", "");
  EXPECT_EQ((*launcher_for(MpiFlavour::OpenMpi, 1))[0], "mpirun.openmpi");
  EXPECT_EQ((*launcher_for(MpiFlavour::Mpich, 3)),
            (std::vector<std::string>{"mpiexec.hydra", "-n", "3"}));
}

TEST_F(Launcher, AsksACommonNameWhatItIs) {
  fake("mpirun", "mpirun (Open MPI) 4.1.4");
  fake("mpiexec", "HYDRA build details:");
  EXPECT_EQ((*launcher_for(MpiFlavour::OpenMpi, 1))[0], "mpirun");
  EXPECT_EQ((*launcher_for(MpiFlavour::Mpich, 1))[0], "mpiexec");
}

TEST_F(Launcher, PrefersTheOneBesideTheLibrary) {
  fake("mpirun", "mpirun (Open MPI) 4.1.4");
  const std::string beside = fake("opt/bin/mpirun", "mpirun (Open MPI) 5.0.3");
  EXPECT_EQ((*launcher_for(MpiFlavour::OpenMpi, 1, dir_ / "opt/lib/libmpi.so.40"))[0], beside);
  EXPECT_EQ((*launcher_for(MpiFlavour::OpenMpi, 1, dir_ / "opt/lib/arch/libmpi.so.40"))[0], beside);
}

TEST_F(Launcher, OversubscribesOnlyWithoutResourceManager) {
  fake("mpirun.openmpi", "");
  EXPECT_EQ(launcher_for(MpiFlavour::OpenMpi, 100000)->back(), "--oversubscribe");
  EXPECT_EQ(launcher_for(MpiFlavour::OpenMpi, 1)->back(), "1");
  const ScopedEnv job("SLURM_JOB_ID", "7");
  EXPECT_EQ(launcher_for(MpiFlavour::OpenMpi, 100000)->back(), "100000");
}

TEST_F(Launcher, ErrorsSayWhatToDo) {
  fake("mpirun", "HYDRA build details:");
  const auto none = launcher_for(MpiFlavour::OpenMpi, 2);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("photofinish check -- LAUNCHER"), std::string::npos);
  EXPECT_FALSE(launcher_for(MpiFlavour::Mpich, 0));
}

// A launcher that hangs, like one that waits for its cluster, is ended. Takes ten seconds.
TEST_F(Launcher, DoesNotWaitForever) {
  dir_.write("mpirun", "#!/bin/sh\nexec /bin/sleep 1000\n", true);
  EXPECT_FALSE(launcher_for(MpiFlavour::OpenMpi, 2));
}

}  // namespace
}  // namespace photofinish

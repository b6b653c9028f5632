#include "launch/mpi_program.h"

#include <elf.h>

#include "launch/library_search.h"
#include "temp_dir.h"

namespace photofinish {
namespace {

using testing::build_fake_mpi;
using testing::build_fake_program;
using testing::read_file;
using testing::ScopedDirectory;
using testing::ScopedEnv;
using testing::TempDir;

#define EXPECT_ERROR(result, part)                                                               \
  do {                                                                                           \
    const auto& outcome = (result);                                                              \
    ASSERT_FALSE(outcome);                                                                       \
    EXPECT_NE(outcome.error().message.find(part), std::string::npos) << outcome.error().message; \
    EXPECT_EQ(outcome.error().message.find('\n'), std::string::npos);                            \
  } while (false)

void expect_flavour(const std::string& program, MpiFlavour flavour) {
  const auto found = find_mpi(program);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, flavour) << program;
}

TEST(MpiProgram, KnowsBothFlavours) {
  TempDir dir;
  expect_flavour(build_fake_program(dir, "a", "libmpi.so.40"), MpiFlavour::OpenMpi);
  expect_flavour(build_fake_program(dir, "b", "libmpich.so.12"), MpiFlavour::Mpich);
  expect_flavour(build_fake_program(dir, "c", "libmpi_usempif08-gfortran.so.40"),
                 MpiFlavour::OpenMpi);
  expect_flavour(build_fake_program(dir, "d", "libmpichfort.so.12"), MpiFlavour::Mpich);
  EXPECT_EQ(inspect_program(dir / "a")->mpi_library, dir / "libmpi.so.40");
}

TEST(MpiProgram, KnowsInstalledOnes) {
  TempDir dir;
  dir.write("m.c", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n");
  const std::pair<const char*, MpiFlavour> compilers[] = {{"mpicc.openmpi", MpiFlavour::OpenMpi},
                                                          {"mpicc.mpich", MpiFlavour::Mpich}};
  for (const auto& [compiler, flavour] : compilers) {
    if (!testing::have(compiler)) continue;
    dir.run(std::string(compiler) + " m.c -o app");
    expect_flavour(dir / "app", flavour);
    EXPECT_NE(inspect_program(dir / "app")->mpi_library, "");
  }
}

// The program itself needs only its own library. That one is found by rpath or runpath, and so is
// its MPI library.
TEST(MpiProgram, FindsMpiBehindTheProgramsOwnLibrary) {
  TempDir dir;
  build_fake_mpi(dir, "libmpich.so.12");
  dir.write("own.c", "int MPI_Init(void);\nint own(void) { return MPI_Init(); }\n");
  dir.write("main.c", "int own(void);\nint main(void) { return own(); }\n");
  dir.run("mkdir -p lib deep && mv libmpich.so.12 deep");
  // Only the program's DT_RPATH also applies to its libraries.
  dir.run("cc -shared -fPIC own.c deep/libmpich.so.12 -o lib/libown.so");
  dir.run(
      "cc main.c -Llib -lown "
      "-Wl,--allow-shlib-undefined,--disable-new-dtags,-rpath,'$ORIGIN/lib:${ORIGIN}/deep'"
      " -o by_rpath");
  expect_flavour(dir / "by_rpath", MpiFlavour::Mpich);
  EXPECT_EQ(inspect_program(dir / "by_rpath")->mpi_library, dir / "deep/libmpich.so.12");
  // A DT_RUNPATH applies to its own file only.
  dir.run(
      "cc -shared -fPIC own.c deep/libmpich.so.12 -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../deep' "
      "-o lib/libown.so");
  dir.run(
      "cc main.c -Llib -lown -Wl,--allow-shlib-undefined,--enable-new-dtags,-rpath,'$ORIGIN/lib' "
      "-o by_runpath");
  EXPECT_EQ(inspect_program(dir / "by_runpath")->mpi_library, dir / "lib/../deep/libmpich.so.12");
  // $ORIGIN is the directory of the program, not that of a link to it.
  dir.run("mkdir links && ln -s ../by_runpath links/by_link");
  expect_flavour(dir / "links/by_link", MpiFlavour::Mpich);
}

TEST(MpiProgram, UsesLdLibraryPath) {
  TempDir dir;
  build_fake_mpi(dir, "libmpi.so.40");
  dir.write("own.c", "int MPI_Init(void);\nint own(void) { return MPI_Init(); }\n");
  dir.write("main.c", "int own(void);\nint main(void) { return own(); }\n");
  dir.run("mkdir lib && cc -shared -fPIC own.c ./libmpi.so.40 -o lib/libown_of_test.so");
  dir.run("cc main.c -Llib -lown_of_test -Wl,--allow-shlib-undefined -o app");
  EXPECT_ERROR(find_mpi(dir / "app"), "libown_of_test.so");
  const ScopedEnv path("LD_LIBRARY_PATH", "/nowhere:" + (dir / "lib"));
  expect_flavour(dir / "app", MpiFlavour::OpenMpi);
}

TEST(MpiProgram, KnowsMpiThatIsNamedButNotFound) {
  TempDir dir;
  const std::string app = build_fake_program(dir, "app", "libmpich.so.12");
  dir.run("rm libmpich.so.12");
  expect_flavour(app, MpiFlavour::Mpich);
}

TEST(MpiProgram, ErrorsSayWhatToDo) {
  TempDir dir;
  const ScopedDirectory here(dir.path());
  dir.write("m.c", "int main(void) { return 0; }\n");
  dir.run(
      "cc m.c -o plain_program && cc -static m.c -o static_program && cc -shared m.c -fPIC -o "
      "lib.so");
  dir.run("mkdir folder");
  dir.write("data", "hello");
  EXPECT_ERROR(find_mpi("./plain_program"), "--mpi=openmpi or --mpi=mpich");
  EXPECT_ERROR(find_mpi("./static_program"), "without -static");
  EXPECT_ERROR(find_mpi("./lib.so"), "shared library");
  EXPECT_ERROR(find_mpi("plain_program"), "write ./plain_program");
  EXPECT_ERROR(find_mpi("no_such_program_here"), "not found in PATH");
  EXPECT_ERROR(find_mpi("./no_such_program_here"), "not found");
  EXPECT_ERROR(find_mpi("./folder"), "a directory");
  EXPECT_ERROR(find_mpi("folder"), "a directory");
  EXPECT_ERROR(find_mpi("./data"), "chmod +x");
  EXPECT_ERROR(find_mpi(""), "empty");
}

TEST(MpiProgram, StaticMpiIsSaidSo) {
  TempDir dir;
  dir.write("m.c",
            "int PMPI_Init(void) { return 0; }\nint MPI_Init(void) { return PMPI_Init(); }\n"
            "int main(void) { return MPI_Init(); }\n");
  dir.run("cc m.c -o app");
  EXPECT_ERROR(find_mpi(dir / "app"), "statically");
}

// A PMPI layer in the program is no static MPI library.
TEST(MpiProgram, OwnWrappersAreFine) {
  TempDir dir;
  build_fake_mpi(dir, "libmpi.so.40");
  dir.write("m.c",
            "int PMPI_Init(void);\nint MPI_Init(void) { return PMPI_Init(); }\nint main(void) { "
            "return MPI_Init(); }\n");
  dir.run("cc m.c ./libmpi.so.40 -Wl,-rpath,'$ORIGIN' -o app");
  expect_flavour(dir / "app", MpiFlavour::OpenMpi);
}

TEST(MpiProgram, NamesAnUnknownMpi) {
  TempDir dir;
  EXPECT_ERROR(find_mpi(build_fake_program(dir, "a", "libmpi.so.12")),
               "libmpi.so.12, an MPI with MPICH's");
  EXPECT_ERROR(find_mpi(dir / "a"), "--mpi=mpich");
  EXPECT_ERROR(find_mpi(build_fake_program(dir, "b", "libmpi_cray.so.12")), "libmpi_cray.so.12");
  EXPECT_ERROR(find_mpi(build_fake_program(dir, "c", "libmpi.so.20")), "libmpi.so.20");
  EXPECT_ERROR(find_mpi(build_fake_program(dir, "d", "libvendor.so.1")), "libvendor.so.1");
  dir.run("rm libmpi.so.20");
  EXPECT_ERROR(find_mpi(dir / "c"), "libmpi.so.20");
}

TEST(MpiProgram, ScriptsAreNotErrors) {
  TempDir dir;
  const auto script = inspect_program(dir.write("run.sh", "#!/bin/sh\nexec ./app\n", true));
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_FALSE(script->flavour);
  EXPECT_TRUE(inspect_program(dir.write("bare", "echo hello\n", true)));
  EXPECT_ERROR(find_mpi(dir / "run.sh"), "--mpi=");
}

TEST(MpiProgram, OtherMachinesAreSaidSo) {
  TempDir dir;
  std::string bytes = read_file(build_fake_program(dir, "app", "libmpi.so.40"));
  bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_RISCV);
  EXPECT_ERROR(find_mpi(dir.write("foreign", bytes, true)), "another machine");
}

TEST(MpiProgram, ChecksInPath) {
  TempDir dir;
  build_fake_program(dir, "app_in_path", "libmpi.so.40");
  const ScopedEnv path("PATH", "/nowhere:" + dir.path() + ":" + std::getenv("PATH"));
  EXPECT_EQ(*find_program("app_in_path"), dir / "app_in_path");
  expect_flavour("app_in_path", MpiFlavour::OpenMpi);
  dir.run("chmod -x app_in_path");
  EXPECT_ERROR(find_program("app_in_path"), "chmod +x");
}

TEST(LibrarySearch, SplitsSearchPaths) {
  EXPECT_EQ(split_search_path("/a::/b:"), (std::vector<std::string>{"/a", ".", "/b", "."}));
}

TEST(LibrarySearch, ReadsTheCacheAndSurvivesADamagedOne) {
  TempDir dir;
  build_fake_mpi(dir, "libcached.so.1");
  if (!std::filesystem::exists("/sbin/ldconfig")) GTEST_SKIP() << "no ldconfig";
  dir.write("conf", dir.path() + "\n");
  dir.run("/sbin/ldconfig -f conf -C cache -X");
  const LoadedFile asking{*read_elf("/proc/self/exe"), dir.path(), nullptr};
  EXPECT_EQ(LibrarySearch(dir / "cache").find("libcached.so.1", asking), dir / "libcached.so.1");
  EXPECT_EQ(LibrarySearch(dir / "missing").find("libcached.so.1", asking), std::nullopt);
  const std::string cache = read_file(dir / "cache");
  for (size_t size = 0; size < cache.size(); size += 1 + cache.size() / 100)
    LibrarySearch(dir.write("cut", cache.substr(0, size))).find("libcached.so.1", asking);
}

}  // namespace
}  // namespace photofinish

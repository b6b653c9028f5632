// Synthetic machines, and what doctor says about each. The tests start from a machine without
// problems and break one thing each.
#include "doctor/judge.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace photofinish {
namespace {

Machine well() {
  Machine machine{.version = "1.0", .executable = "/usr/bin/photofinish"};
  machine.mpis = {{.flavour = MpiFlavour::OpenMpi,
                   .launcher = "mpirun.openmpi",
                   .version = "4.1.6",
                   .compiler = "mpicc.openmpi",
                   .has_library = true,
                   .has_analysis = true},
                  {.flavour = MpiFlavour::Mpich,
                   .launcher = "mpirun.mpich",
                   .version = "4.0.2",
                   .compiler = "mpicc.mpich",
                   .has_library = true,
                   .has_analysis = true}};
  machine.clangs = {{.version = 19,
                     .clang = "clang-19",
                     .clangxx = "clang++-19",
                     .flang = "flang-new-19",
                     .has_modules = true}};
  machine.environment = {{"OMPI_MCA_memory", "^patcher"}, {"UCX_MEM_EVENTS", "no"}};
  machine.cores = 8;
  machine.directory = "/home/me";
  machine.free_bytes = 50'000'000'000;
  machine.shared_bytes = 8'000'000'000;
  machine.ptrace_scope = 0;
  machine.randomised = 2;
  return machine;
}

struct Found {
  int problems = 0, notes = 0;
  std::string text;  // of both sections
};

Found found_in(const std::vector<Section>& sections) {
  Found found;
  for (const Section& section : sections)
    for (const Judgement& one : section.judgements) {
      found.problems += one.level == Level::Problem;
      found.notes += one.level == Level::Note;
      if (one.level != Level::Ok) found.text += one.what + " -> " + one.advice + "\n";
    }
  return found;
}
Found found_in(const Machine& machine) { return found_in(judge(machine)); }
Found found_in(const ProgramFacts& program) {
  return found_in(std::vector<Section>{judge(program)});
}

void expect(const Found& found, int problems, int notes, const std::string& words) {
  EXPECT_EQ(found.problems, problems) << found.text;
  EXPECT_EQ(found.notes, notes) << found.text;
  EXPECT_NE(found.text.find(words), std::string::npos) << "no '" << words << "' in:\n"
                                                       << found.text;
}

TEST(Doctor, AllIsWell) {
  const Found found = found_in(well());
  EXPECT_EQ(found.text, "");
  for (const Section& section : judge(well()))
    EXPECT_FALSE(section.judgements.empty()) << section.title;
}

TEST(Doctor, OneMpiIsEnough) {
  Machine machine = well();
  machine.mpis[1] = {.flavour = MpiFlavour::Mpich};
  expect(found_in(machine), 0, 1, "MPICH: not here");
  machine.mpis[0].has_library = false;
  const Found found = found_in(machine);
  EXPECT_EQ(found.problems, 2) << found.text;
  EXPECT_NE(found.text.find("build photofinish where Open MPI is installed with its development "
                            "files (libopenmpi-dev)"),
            std::string::npos)
      << found.text;
  EXPECT_NE(found.text.find("install it (mpich and libmpich-dev"), std::string::npos) << found.text;
}

TEST(Doctor, Launchers) {
  Machine machine = well();
  machine.mpis[0].launcher = "";
  expect(found_in(machine), 0, 1, "its mpirun is not in PATH -> install openmpi-bin");
  machine = well();
  machine.mpis[1].trouble = "no route to host";
  expect(found_in(machine), 1, 0,
         "mpirun.mpich does not start a process: no route to host -> find out why: mpirun.mpich -n "
         "1 true");
  machine = well();
  machine.mpis[1].compiler = "";
  expect(found_in(machine), 0, 1, "pfmpicc cannot use it -> install libmpich-dev");
}

TEST(Doctor, CompareAndSwap) {
  Machine machine = well();
  for (const auto& [version, swap, notes] : {std::tuple{"4.1.4", MpiFacts::Swap::Crashes, 1},
                                             {"4.1.4", MpiFacts::Swap::Unknown, 1},
                                             {"4.1.4", MpiFacts::Swap::Works, 0},
                                             {"4.1.2", MpiFacts::Swap::Crashes, 1},
                                             {"5.0.3", MpiFacts::Swap::Unknown, 0}}) {
    machine.mpis[0].version = version;
    machine.mpis[0].swap = swap;
    expect(found_in(machine), 0, notes,
           notes > 0
               ? "MPI_Compare_and_swap on 8 bytes crashes in its component osc/rdma, with and "
                 "without photofinish -> for programs that use it: export "
                 "OMPI_MCA_osc=sm,pt2pt"
               : "");
  }
}

TEST(Doctor, Compilers) {
  Machine machine = well();
  machine.clangs[0].trouble = "undefined symbol: _ZN4llvm";
  expect(found_in(machine), 1, 0, "clang-19 does not load the pass: undefined symbol");
  machine.clangs[0] = {.version = 19};
  expect(found_in(machine), 1, 0, "install clang-19");
  machine.clangs.push_back({.version = 16, .clang = "clang-16", .clangxx = "clang++-16"});
  expect(found_in(machine), 0, 1, "clang 19: not in PATH");
  machine.clangs.clear();
  expect(found_in(machine), 0, 1, "built without LLVM");
  machine = well();
  machine.clangs[0].flang = "";
  expect(found_in(machine), 0, 1, "install flang-19");
}

TEST(Doctor, Preloads) {
  Machine machine = well();
  machine.preloads = {{.path = "/opt/tool/libtool.so", .found = true, .wraps_mpi = true}};
  expect(found_in(machine), 1, 0, "another tool that intercepts MPI: /opt/tool/libtool.so");
  machine.preloads = {{.path = "libgone.so"}};
  expect(found_in(machine), 1, 0, "cannot be read");
  machine.preloads = {{.path = "/usr/lib/photofinish/libphotofinish-mpich.so",
                       .found = true,
                       .ours = true,
                       .wraps_mpi = true}};
  expect(found_in(machine), 1, 0, "-> unset LD_PRELOAD");
  machine.preloads = {{.path = "/usr/lib/libtcmalloc.so", .found = true, .wraps_malloc = true}};
  expect(found_in(machine), 0, 1, "replaces malloc");
  machine.environment.clear();  // exec disables the patches in the ranks
  expect(found_in(machine), 0, 1, "replaces malloc");
  machine.environment["OMPI_MCA_memory"] = "patcher";
  expect(found_in(machine), 1, 1,
         "unset OMPI_MCA_memory UCX_MEM_EVENTS: photofinish disables the patching for its ranks");
  machine.environment["OMPI_MCA_memory"] = "^patcher";
  machine.environment["UCX_MEM_EVENTS"] = "yes";
  expect(found_in(machine), 1, 1, "unset OMPI_MCA_memory UCX_MEM_EVENTS");
}

TEST(Doctor, Environment) {
  Machine machine = well();
  machine.options_trouble = "there is no option 'x'";
  expect(found_in(machine), 1, 0, "PHOTOFINISH_OPTIONS: there is no option 'x'");
  machine = well();
  machine.environment["PHOTOFINISH_OPTIONS"] = "verbose=1";
  expect(found_in(machine), 0, 1, "\"verbose=1\" applies to every command");
  machine = well();
  machine.root = true;
  expect(found_in(machine), 0, 1,
         "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  machine.environment["OMPI_ALLOW_RUN_AS_ROOT"] =
      machine.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  EXPECT_EQ(found_in(machine).text, "");
  machine.environment.erase("OMPI_MCA_memory");
  EXPECT_EQ(found_in(machine).text, "");
  machine.environment["OMPI_MCA_memory"] = "patcher";
  expect(found_in(machine), 0, 1, "if ranks crash in munmap");
}

TEST(Doctor, Root) {
  Machine machine = well();
  machine.root = true;
  machine.mpis.erase(machine.mpis.begin());  // MPICH is not affected
  EXPECT_EQ(found_in(machine).text, "");
}

TEST(Doctor, System) {
  Machine machine = well();
  machine.free_bytes = 20'000'000;
  expect(found_in(machine), 1, 0, "20 MB free for runs in /home/me -> make room");
  machine.free_bytes = 900'000'000;
  expect(found_in(machine), 0, 1, "enough for short runs");
  machine.writable = false;
  expect(found_in(machine), 1, 0, "/home/me is not writable");
  machine = well();
  machine.file_system = "nfs";
  expect(found_in(machine), 0, 1, "on nfs");
  machine = well();
  machine.shared_bytes = 64 << 20;
  expect(found_in(machine), 1, 0, "--shm-size");
  machine = well();
  machine.quota = 2;
  expect(found_in(machine), 0, 1,
         "8 processors, of which this container gets 2: ranks that wait spin, and use it up -> "
         "start no more than 2 ranks");
  machine.quota = 8;
  EXPECT_EQ(found_in(machine).text, "");
  machine = well();
  machine.can_trace = false;
  expect(found_in(machine), 0, 1, "SYS_PTRACE");
  machine = well();
  machine.ptrace_scope = 3;
  expect(found_in(machine), 0, 1, "kernel.yama.ptrace_scope is 3");
  machine = well();
  machine.has_gdb = false;
  expect(found_in(machine), 0, 1, "gdb is not in PATH");
}

ProgramFacts good_program() {
  return {.name = "./app",
          .trouble = "",
          .flavour = MpiFlavour::Mpich,
          .mpi_library = "/usr/lib/libmpich.so.12",
          .launcher = "mpirun.mpich",
          .has_library = true,
          .has_lines = true,
          .wraps_mpi = false,
          .sanitizer = "",
          .with = {"app.c"},
          .without = {}};
}

TEST(Doctor, Program) {
  ProgramFacts program = good_program();
  EXPECT_EQ(found_in(program).text, "");
  program.with.clear();
  expect(found_in(program), 0, 1, "not instrumented");
  program = good_program();
  program.without = {"a.c", "b.c", "c.c", "d.c", "e.c", "f.c"};
  expect(found_in(program), 0, 1, "instrumented, except a.c, b.c, c.c, d.c, e.c and 1 more");
  program = good_program();
  program.has_lines = false;
  expect(found_in(program), 0, 1, "build it with -g");
  program = good_program();
  program.mpi_library = "";
  expect(found_in(program), 1, 0, "LD_LIBRARY_PATH");
  program = good_program();
  program.launcher = "";
  expect(found_in(program), 1, 0, "no launcher in PATH");
  program = good_program();
  program.has_library = false;
  expect(found_in(program), 1, 0, "this photofinish has no library for it");
  program = good_program();
  program.sanitizer = "libasan.so.8";
  expect(found_in(program), 1, 0, "libasan.so.8");
  program = good_program();
  program.wraps_mpi = true;
  expect(found_in(program), 0, 1, "PMPI");
  expect(found_in(ProgramFacts{.name = "run.sh"}), 0, 1, "a script");
  expect(found_in(ProgramFacts{.name = "ls", .trouble = "/bin/ls: not an MPI program; give --mpi"}),
         1, 0, "not an MPI program -> give --mpi");
}

}  // namespace
}  // namespace photofinish

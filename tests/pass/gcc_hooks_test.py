#!/usr/bin/env python3
"""The wrappers with the hooks of GCC's -fsanitize=thread: --compiler=gcc-hooks, and versions of GCC without a plugin.

  gcc_hooks_test.py --bin DIRECTORY --mpi openmpi|mpich
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = None
# Calls and functions that assemble.awk must not confuse: a function of the program with the name of one of the C library, one whose address
# is taken, results and arguments that are floating-point numbers.
MAIN = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int part(int x), threads(int x);
static __attribute__((noinline)) int read(int x) { return x + 1; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char text[40], copy[40];
  snprintf(text, sizeof text, "%s %.2f %d", "text", 2.5, read(3));
  void* (*function)(void*, const void*, size_t) = memcpy;
  function(copy, text, sizeof copy);
  char* block = strdup(copy);
  printf("%s, part %d, threads %d, %g\n", block, part(20), threads(5), strtod("2.25", 0) + atof("1.5"));
  free(block);
  MPI_Finalize();
  return 0;
}
"""
PART = "#include <string.h>\nint values[4];\nint part(int x) { values[x & 3] = x; memset(values + 1, 0, 8); return 2 * values[x & 3] + 2; }\n"
THREADS = r"""#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
namespace {
std::atomic<long> sum;
std::atomic<char> low;
std::atomic<unsigned short> down;
struct Base { virtual ~Base() = default; virtual int value() { return 1; } };
struct Derived : Base { int value() override { return 2; } };
int& once() { static int value = [] { return 7; }(); return value; }
int element(std::vector<int>& all, int i) {
  if (i > 3) throw std::runtime_error("x" + std::to_string(i));
  return all.at(i);
}
}
extern "C" int threads(int x) {
  std::vector<int> all(10, 1);
  int result = 0;
  try { result += element(all, x); } catch (const std::exception& error) { result += error.what()[1] - '0'; }
  std::vector<std::thread> running;
  for (int i = 0; i < 4; ++i) running.emplace_back([] {
    for (int j = 0; j < 1000; ++j) {
      sum += 2, low.fetch_xor(1), down--;
      long expected = sum;
      sum.compare_exchange_strong(expected, expected);
    }
    once();
  });
  for (auto& one : running) one.join();
  Base* made = new Derived;
  result += made->value();
  delete made;
  return result + (int)sum + low + (unsigned short)(down + 4000) + once();
}
"""
EXPECTED = "text 2.50 4, part 42, threads 8014, 3.75\n"
FORTRAN = """program main
  use mpi
  implicit none
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call send(rank)
  call MPI_Finalize(ierr)
contains
  ! gfortran assumes that nothing keeps the address of `values`.
  subroutine send(rank)
    integer, intent(in) :: rank
    integer :: values(10), request, ierr, i
    do i = 1, 10
      values(i) = i + rank
    end do
    if (rank == 0) then
      call MPI_Isend(values, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, ierr)
      do i = 1, 10
        values(i) = 7
      end do
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_Recv(values, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
    if (sum(values) < 0) print *, 'never'
  end subroutine
end program
"""


class Hooks(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pf-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in (("main.c", MAIN), ("part.c", PART), ("threads.cpp", THREADS), ("main.f90", FORTRAN)):
            (self.folder / name).write_text(text)

    def command(self, command, code=0, env=None):
        variables = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **(env or {})}
        done = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def wrapper(self, name, *arguments, code=0, compiler="gcc-hooks", env=None):
        return self.command([str(OPTIONS.bin / name), f"--mpi={OPTIONS.mpi}", f"--compiler={compiler}", *arguments], code, env)

    def check(self, program, ranks=1, code=0):
        return self.command([str(OPTIONS.bin / "photofinish"), "check", "-n", str(ranks), f"./{program}"], code)

    def runs(self, program):
        self.assertEqual(self.command([f"mpirun.{OPTIONS.mpi}", "-n", "1", f"./{program}"]).stdout, EXPECTED)

    def symbols(self, name):
        return self.command(["nm", name]).stdout

    def build(self, program, *flags, compilers=("gcc-hooks",) * 4):
        for name, source, compiler in zip(("pfmpicc", "pfmpicc", "pfmpicxx"), ("main.c", "part.c", "threads.cpp"), compilers):
            done = self.wrapper(name, *flags, "-c", source, compiler=compiler)
            self.assertEqual(done.stdout + done.stderr, "")
        self.wrapper("pfmpicxx", *flags, "main.o", "part.o", "threads.o", "-pthread", "-o", program, compiler=compilers[3])
        self.runs(program)

    def test_program_runs_with_and_without_photofinish(self):
        for flags in (["-O0"], ["-O2", "-D_FORTIFY_SOURCE=2", "-fno-plt"], ["-O3", "-pipe", "-ffunction-sections", "-Wl,--gc-sections", "-fcf-protection"]):
            self.build("program", *flags)
            self.check("program")

    def test_needs_no_library_of_the_sanitizer(self):
        self.build("program", "-O1")
        self.assertNotIn("libtsan", self.command(["ldd", "program"]).stdout)
        doctor = self.command([str(OPTIONS.bin / "photofinish"), "doctor", "./program"]).stdout
        self.assertRegex(doctor, r"ok +instrumented: main\.c, part\.c, threads\.cpp\n")
        self.assertNotIn("anitizer", doctor)

    def test_objects_of_all_compilers_link(self):
        families = ["gcc-hooks"]
        library = OPTIONS.bin.parent / "lib/photofinish"
        if (library / "photofinish-pass-gcc-12.so").exists() and shutil.which("gcc-12"):
            families.append("gcc")
        if (library / "photofinish-pass-19.so").exists():
            families.append("clang")
        for i in range(len(families)):
            turned = (families[i:] + families[:i]) * 4
            self.build("program", "-O1", compilers=turned[:4])
            self.check("program")
        # The MPI's own wrapper links them as well.
        self.command([f"mpicxx.{OPTIONS.mpi}", "main.o", "part.o", "threads.o", "-pthread", "-o", "program"])
        self.check("program")

    def test_shared_library_has_its_own_hooks(self):
        self.wrapper("pfmpicc", "-O2", "-fPIC", "-shared", "part.c", "-o", "libpart.so")
        self.wrapper("pfmpicxx", "-O2", "-fPIC", "-shared", "threads.cpp", "-o", "libthreads.so", "-pthread")
        self.wrapper("pfmpicc", "-O2", "main.c", "-L.", "-lpart", "-lthreads", "-Wl,-rpath,$ORIGIN", "-o", "program")
        self.runs("program")
        self.check("program")
        self.assertNotIn("__tsan", self.command(["nm", "-D", "libpart.so"]).stdout)

    def test_calls_of_the_library_are_seen_unless_the_object_defines_the_function(self):
        self.wrapper("pfmpicc", "-O2", "-c", "main.c", "part.c")
        main = self.symbols("main.o")
        for name in ("snprintf", "strdup", "free", "strtod"):
            self.assertIn(f"__photofinish_hook_{name}\n", main)
        self.assertNotIn("__photofinish_hook_read", main)
        self.assertIn("__photofinish_hook_memset", self.symbols("part.o"))

    def test_assembler_files(self):
        (self.folder / "low.S").write_text(".text\n.globl low\nlow: ret\n .section .note.GNU-stack\n")
        self.wrapper("pfmpicc", "-c", "low.S")
        self.assertNotIn("photofinish", self.symbols("low.o"))
        self.wrapper("pfmpicc", "-O2", "-S", "part.c", "-o", "part.s")
        self.wrapper("pfmpicc", "-c", "part.s")
        self.assertIn("__photofinish_state", self.symbols("part.o"))

    def test_fortran_sees_local_arrays(self):
        for level in ("-O0", "-O2"):
            self.wrapper("pfmpifort", level, "main.f90", "-o", "program")
            self.assertIn("conflicts with store of 40 bytes", self.check("program", ranks=2, code=66).stderr)

    def test_refuses_what_would_see_nothing(self):
        for flag in ("-static", "-flto", "-fsanitize=address", "-fsanitize=thread", "-fsanitize=leak", "-wrapper"):
            refused = self.wrapper("pfmpicc", flag, "-c", "part.c", code=64)
            self.assertRegex(refused.stderr, rf"^photofinish: {flag} cannot be used: [^\n]*leave it out\n$")

    def test_reports_errors_of_the_compiler(self):
        (self.folder / "wrong.c").write_text("int x = ;\n")
        self.assertIn("wrong.c:1:9: error", self.wrapper("pfmpicc", "-c", "wrong.c", code=1).stderr)
        self.assertFalse((self.folder / "wrong.o").exists())

    def test_unknown_names_of_compilers(self):
        for name in ("gcc-", "gcc-x", "gcc-hooks-12", "hooks", "clang-hooks"):
            self.assertRegex(self.wrapper("pfmpicc", "-c", "part.c", compiler=name, code=64).stderr, rf"^photofinish: --compiler={name} is unknown: [^\n]*\n$")
        self.assertRegex(self.wrapper("pfmpicc", "-c", "part.c", compiler="gcc-7", code=64).stderr, r"^photofinish: gcc-7 is not in PATH: [^\n]*\n$")

    def test_other_versions_of_gcc_are_found(self):
        """As if the GCC in PATH had no plugin: it is called gcc, and its version is another one."""
        gcc = shutil.which("gcc")
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "gcc").write_text(f'#!/bin/sh\nif [ "$*" = -dumpversion ]; then echo 13; exit; fi\nexec {gcc} "$@"\n')
        (folder / "gcc").chmod(0o755)
        for tool in ("sh", "sed", "grep", "awk", "mktemp", "rm", "cat", "as", "ld", "readlink", "dirname", "expr", f"mpicc.{OPTIONS.mpi}", "perl", "bash"):
            if shutil.which(tool):
                (folder / tool).symlink_to(shutil.which(tool))
        path = {"PATH": str(folder)}
        for chosen, said in (("gcc", True), ("gcc-13", True), ("gcc-hooks", False), ("gcc-13-hooks", False)):
            note = self.wrapper("pfmpicc", "-O2", "-c", "part.c", compiler=chosen, env=path).stderr
            self.assertRegex(note, r"^photofinish: gcc compiles with hooks, [^\n]*slower[^\n]*\n$" if said else r"^$")
            self.assertIn("__tsan_write", self.symbols("part.o"))
        absent = self.command([str(OPTIONS.bin / "pfmpicc"), f"--mpi={OPTIONS.mpi}", "-c", "part.c"], env={**path, "PHOTOFINISH_COMPILER": ""})
        self.assertRegex(absent.stderr, r"^photofinish: clang is not in PATH: gcc compiles with hooks, [^\n]*\n$")
        self.assertRegex(self.wrapper("pfmpicc", "-c", "part.c", compiler="gcc-12", code=64, env=path).stderr, r"^photofinish: gcc-12 is not in PATH")

    def test_installed_versions(self):
        for version in range(9, 17):
            if shutil.which(f"gcc-{version}") and shutil.which(f"g++-{version}"):
                self.build("program", "-O2", compilers=(f"gcc-{version}-hooks",) * 4)
                self.check("program")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description="The wrappers with GCC's hooks.")
    parser.add_argument("--bin", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--mpi", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=[sys.argv[0]], verbosity=2)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The wrappers with --compiler=gcc.

  gcc_wrapper_test.py --bin DIRECTORY --mpi openmpi|mpich
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
MAIN = """#include <mpi.h>
#include <stdio.h>
int part(int x);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("part %d\\n", part(20));
  MPI_Finalize();
  return 0;
}
"""
PART = "int values[4];\nint part(int x) { values[x & 3] = x; return 2 * values[x & 3] + 2; }\n"
FORTRAN = """program main
  use mpi
  implicit none
  integer :: ierr, values(4)
  call MPI_Init(ierr)
  values = 21
  print '(a,i3)', 'part', sum(values) / 2
  call MPI_Finalize(ierr)
end program
"""


class Gcc(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pf-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in (("main.c", MAIN), ("part.c", PART), ("main.f90", FORTRAN)):
            (self.folder / name).write_text(text)

    def wrapper(self, name, *arguments, code=0, env=None):
        command = [str(OPTIONS.bin / name), f"--mpi={OPTIONS.mpi}", *arguments]
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def notes(self, name):
        return subprocess.run(["readelf", "-nW", str(self.folder / name)], capture_output=True, text=True, check=True).stdout.count("Photofinish")

    def runs(self, program):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run([f"mpirun.{OPTIONS.mpi}", "-n", "1", str(self.folder / program)], env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout, "part 42\n")

    def test_is_chosen_by_option_and_environment(self):
        self.assertIn("gcc", self.wrapper("pfmpicc", "--compiler=gcc", "--version").stdout)
        self.assertIn("Free Software Foundation", self.wrapper("pfmpicc", "--version", env={"PHOTOFINISH_COMPILER": "gcc"}).stdout)
        self.assertRegex(self.wrapper("pfmpicc", "--compiler=tcc", "-c", "part.c", code=64).stderr, r"^photofinish: --compiler=tcc is unknown: [^\n]*\n$")

    def test_objects_of_both_compilers_link(self):
        if not any((OPTIONS.bin.parent / f"lib/photofinish/photofinish-pass-{version}.so").exists() for version in (16, 19)):
            self.skipTest("no LLVM")
        self.wrapper("pfmpicc", "-O2", "-c", "main.c")
        done = self.wrapper("pfmpicc", "--compiler=gcc", "-O2", "-fchecking", "-c", "part.c")
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertGreater(self.notes("part.o"), 0)
        for compiler in ("gcc", "clang"):
            self.wrapper("pfmpicc", f"--compiler={compiler}", "main.o", "part.o", "-o", compiler)
            self.runs(compiler)

    def test_takes_options_of_gcc(self):
        self.wrapper("pfmpicc", "--compiler=gcc", "-O2", "-fipa-pta", "-fopt-info-vec", "-Wlogical-op", "main.c", "part.c", "-o", "program")
        self.runs("program")

    def test_compiles_fortran(self):
        for level in ("-O0", "-O3"):
            self.wrapper("pfmpifort", "--compiler=gcc", level, "-fchecking", "-ffree-line-length-none", "-fcheck=all", "main.f90", "-o", "program")
            self.assertGreater(self.notes("program"), 0)
            self.runs("program")

    def test_refuses_what_would_see_nothing(self):
        for flag in ("-static", "-flto", "-flto=auto", "-fsanitize=address", "-fsanitize=undefined,address", "-fsanitize=thread"):
            refused = self.wrapper("pfmpicc", "--compiler=gcc", flag, "-c", "part.c", code=64)
            self.assertRegex(refused.stderr, rf"^photofinish: {flag} cannot be used: [^\n]*leave it out\n$")

    def test_says_what_is_not_instrumented(self):
        (self.folder / "assembly.c").write_text('void set(int* p) { __asm__("movl $1, %0" : "=m"(*p)); }\n')
        self.assertIn("photofinish: not instrumented: 1 statements of inline assembly", self.wrapper("pfmpicc", "--compiler=gcc", "-c", "assembly.c").stderr)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description="The wrappers with GCC.")
    parser.add_argument("--bin", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--mpi", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=[sys.argv[0]], verbosity=2)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""pfmpicc, pfmpicxx and pfmpifort in place of a compiler: what configure scripts and CMake ask of one, and what make -j does with it.

  wrapper_test.py --bin DIRECTORY --mpi openmpi|mpich [--fortran] [TEST…]
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = None
C = "#include <mpi.h>\n#include <stdio.h>\nint part(int x);\n"
MAIN_C = C + """int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("part %d\\n", part(20));
  MPI_Finalize();
  return 0;
}
"""
PART_C = "int value;\nint part(int x) { value = x; return 2 * value + 2; }\n"
MAIN_CXX = """#include <mpi.h>
#include <iostream>
#include <vector>
extern "C" int part(int x);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<int> all(3, part(20));
  std::cout << "part " << all[2] << std::endl;
  MPI_Finalize();
}
"""
MAIN_FORTRAN = """program main
  use mpi_f08
  use numbers
  implicit none
  call MPI_Init()
  print '(a,i3)', 'part', twice(21)
  call MPI_Finalize()
end program
"""
NUMBERS_FORTRAN = """module numbers
contains
  integer function twice(x)
    integer, intent(in) :: x
    twice = 2 * x
  end function
end module
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(tiny LANGUAGES {languages})
find_package(MPI REQUIRED COMPONENTS C)
add_library(part SHARED part.c)
add_library(more STATIC more0.c more1.c more2.c more3.c more4.c more5.c)
add_executable(main_c main.c)
target_link_libraries(main_c part more)
add_executable(main_cxx main.cpp)
target_link_libraries(main_cxx part)
"""
CMAKE_FORTRAN = "add_executable(main_fortran main.f90 numbers.f90)\n"

ABI = int(re.search(r"#define PHOTOFINISH_ABI (\d+)", (Path(__file__).parents[2] / "include/photofinish/runtime_abi.h").read_text())[1])


class Wrapper(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pf-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in (("main.c", MAIN_C), ("part.c", PART_C), ("main.cpp", MAIN_CXX), ("main.f90", MAIN_FORTRAN), ("numbers.f90", NUMBERS_FORTRAN)):
            (self.folder / name).write_text(text)

    def run_command(self, *command, code=0, **more):
        environment = {**os.environ, "PHOTOFINISH_MPI": OPTIONS.mpi, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", **more.pop("env", {})}
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=250, **more)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def wrapper(self, name, *arguments, **more):
        return self.run_command(OPTIONS.bin / name, *arguments, **more)

    def cc(self, *arguments, **more):
        return self.wrapper("pfmpicc", *arguments, **more)

    def silent(self, done):
        self.assertEqual(done.stdout + done.stderr, "")

    def notes(self, name):
        """Sections with notes of the pass: each object has one, and what is linked. (The note about its regions is another one's business.)"""
        sections = self.run_command("readelf", "-nW", self.folder / name).stdout.split("Displaying notes found in: ")
        return sum(section.startswith(".note.photofinish") and f"(0x{ABI:08x})" in section for section in sections)

    def runs(self, program, output="part 42"):
        done = self.run_command(f"mpirun.{OPTIONS.mpi}", "-n", "2", self.folder / program)
        self.assertEqual(sorted("".join(done.stdout.split())), sorted(2 * "".join(output.split())))  # ranks may print into each other's lines, and words
        self.assertNotIn("photofinish", self.run_command("ldd", self.folder / program).stdout)


class Configure(Wrapper):
    """As the scripts that autoconf makes."""

    def test_tells_its_version(self):
        self.assertIn("clang version", self.cc("--version").stdout)
        self.assertIn("clang version", self.cc("-v").stderr)
        self.cc("-qversion", code=1)
        self.assertRegex(self.cc("-dumpversion").stdout, r"^\d+\.")

    def test_compiles_and_links_separately(self):
        self.silent(self.cc("-c", "main.c"))
        self.silent(self.cc("-c", "-o", "other.o", "-O2", "-Wall", "-Wextra", "part.c"))
        self.assertEqual(self.notes("main.o"), 1)
        self.assertEqual(self.notes("other.o"), 1)
        self.silent(self.cc("-o", "program", "main.o", "other.o"))
        self.runs("program")

    def test_compiles_several_sources_at_once(self):
        self.silent(self.cc("main.c", "part.c"))
        self.runs("a.out")
        self.silent(self.cc("-c", "main.c", "part.c"))
        self.assertTrue((self.folder / "part.o").exists())

    def test_preprocesses(self):
        made = self.cc("-E", "part.c")
        self.assertIn("int part(int x)", made.stdout)
        self.assertEqual(made.stderr, "")
        self.assertIn("_is_defined", self.cc("-E", "-x", "c", "-", input="#ifdef __PHOTOFINISH__\n_is_defined\n#endif\n").stdout)

    def test_lists_dependencies(self):
        self.assertRegex(self.cc("-M", "main.c").stdout, r"main\.o: main\.c[\s\S]*mpi\.h")
        self.silent(self.cc("-MD", "-MP", "-MF", "main.d", "-MT", "x.o", "-c", "main.c", "-o", "x.o"))
        self.assertIn("x.o: main.c", (self.folder / "main.d").read_text())

    def test_keeps_arguments_as_they_are(self):
        (self.folder / "a b.c").write_text('#include <stdio.h>\nint main(void) { puts(TEXT); return 0; }\n')
        self.silent(self.cc('-DTEXT="it\'s a $HOME \\" b"', "a b.c", "-o", "a b"))
        self.assertEqual(self.run_command(self.folder / "a b").stdout, "it's a $HOME \" b\n")

    def test_reports_errors(self):
        (self.folder / "wrong.c").write_text("int main(void) { return wrong; }\n")
        self.assertIn("wrong.c:1:", self.cc("-c", "wrong.c", code=1).stderr)
        self.assertFalse((self.folder / "wrong.o").exists())
        self.cc("-c", "missing.c", code=1)
        (self.folder / "wrong.c").write_text("int missing_function(void);\nint main(void) { return missing_function(); }\n")
        self.assertIn("missing_function", self.cc("wrong.c", code=1).stderr)

    def test_says_what_openmp_needs(self):
        """Where LLVM's OpenMP library is not installed, one line names it; where it is, or is not wanted, there is none."""
        version = next(v for v in ("19", "16") if (OPTIONS.bin.parent / f"lib/photofinish/photofinish-pass-{v}.so").exists() and shutil.which(f"clang-{v}"))
        (self.folder / "bare").mkdir()
        compiler = self.folder / f"bare/clang-{version}"
        compiler.write_text(f"""#!/bin/sh
case " $* " in
  *" -print-file-name=libomp.so "*) echo ${{LIBOMP:-libomp.so}} ;;
  *" -c "*) exec {shutil.which(f"clang-{version}")} "$@" ;;
  *" -fopenmp "*) echo "ld: cannot find -lomp" >&2; exit 1 ;;
  *) exec {shutil.which(f"clang-{version}")} "$@" ;;
esac
""")
        compiler.chmod(0o755)
        bare = {"PATH": f"{compiler.parent}:{os.environ['PATH']}", "PHOTOFINISH_LLVM": version}
        advice = rf"photofinish: -fopenmp needs the OpenMP library of LLVM {version}, and clang-{version} finds no libomp\.so\. Install it \(Debian, Ubuntu: libomp-{version}-dev\), or name its directory with -L\n$"
        self.assertRegex(self.cc("-fopenmp", "main.c", "part.c", code=1, env=bare).stderr, "cannot find -lomp\n" + advice)
        self.silent(self.cc("-fopenmp", "-c", "part.c", env=bare))
        self.silent(self.cc("main.c", "part.c", env=bare))
        self.assertNotIn("photofinish:", self.cc("-fopenmp", "main.c", "part.c", code=1, env={**bare, "LIBOMP": "/somewhere/libomp.so"}).stderr)

    def test_takes_the_old_c_that_others_take(self):
        (self.folder / "old.c").write_text("""#include <mpi.h>
static twice = 2;
static void with(void (*done)(int)) { done(1); }
static int note(int x) { return x; }
int nothing() { return; }
int main(int argc, char** argv) {
  int address = argv;
  MPI_Init(&argc, &argv);
  with(note);
  print_part(part(10 * twice), address);
  MPI_Finalize();
  return 0;
}
""")
        (self.folder / "print.c").write_text('#include <stdio.h>\nint print_part(int x, int y) { (void)y; printf("part %d\\n", x); return 0; }\n')
        self.assertIn("[-Wimplicit-function-declaration]", self.cc("-c", "old.c").stderr)
        self.cc("old.c", "print.c", "part.c", "-o", "program")
        self.runs("program")
        self.cc("-c", "-Werror=implicit-int", "old.c", code=1)

    def test_leaves_out_options_of_gcc(self):
        done = self.cc("-O2", "-fopt-info-vec", "-fPIC", "-aux-info", "declarations", "-fipa-pta", "-Werror", "-Wlogical-op", "-fweb", "main.c", "part.c", "-o", "program")
        self.assertEqual(done.stderr, "photofinish: clang does not know -fopt-info-vec, -aux-info, -fipa-pta: left out\n")
        self.assertEqual(self.notes("program"), 1)
        self.runs("program")
        # Nothing but the option itself: another one that begins like it, and a file of its name.
        (self.folder / "-fipa-pta.c").write_text("int other;\n")
        self.silent(self.cc("-fno-math-errno", "-c", "./-fipa-pta.c", "-o", "other.o"))

    def test_refuses_what_the_tool_cannot_be_loaded_into(self):
        for flag in ("-static", "--static"):
            refused = self.cc(flag, "main.c", "part.c", "-o", "program", code=64)
            self.assertRegex(refused.stderr, rf"^photofinish: {flag} cannot be used: [^\n]*leave it out\n$")
        self.cc("-static-libgcc", "main.c", "part.c", "-o", "program")

    def test_has_a_help_of_its_own(self):
        for name in ("pfmpicc", "pfmpicxx", "pfmpifort"):
            self.assertRegex(self.wrapper(name, "--help").stdout, rf"^usage: {name} \[--mpi=openmpi\|mpich\|PATH\] \[--compiler=clang\|gcc\|gcc-VERSION\|gcc-hooks\] ARGUMENT")

    def test_needs_no_mpi_in_the_program(self):
        (self.folder / "plain.c").write_text("int main(void) { return 0; }\n")
        self.silent(self.cc("-Werror", "plain.c", "-o", "plain"))
        self.run_command(self.folder / "plain")

    def test_makes_shared_libraries(self):
        self.silent(self.cc("-shared", "-fPIC", "part.c", "-o", "libpart.so"))
        self.silent(self.cc("main.c", "-L.", "-lpart", f"-Wl,-rpath,{self.folder}", "-o", "program"))
        self.assertEqual(self.notes("libpart.so"), 1)
        self.runs("program")

    def test_makes_assembler_and_bitcode(self):
        self.silent(self.cc("-S", "part.c"))
        self.silent(self.cc("-c", "part.s", "-o", "part.o"))
        self.assertEqual(self.notes("part.o"), 1)
        self.silent(self.cc("-emit-llvm", "-S", "part.c", "-o", "part.ll"))

    def test_is_there_before_optimisation_at_link_time(self):
        for flag in ("-flto", "-flto=thin"):
            self.assertIn(f"__photofinish_state_{ABI}", self.cc("-O2", flag, "-S", "part.c", "-o", "-").stdout)

    def test_chooses_the_mpi(self):
        show = self.run_command(OPTIONS.bin / "pfmpicc", f"--mpi={OPTIONS.mpi}", "-show", "-c", "main.c", env={"PHOTOFINISH_MPI": ""}).stdout
        self.assertIn("clang", show)
        self.assertIn(OPTIONS.mpi, show)
        self.assertIn("mpicc.nothing is not in PATH", self.cc("--mpi=nothing", "main.c", code=64).stderr)
        self.assertIn("clang (version 7) is not in PATH", self.cc("main.c", code=64, env={"PHOTOFINISH_LLVM": "7"}).stderr)

    def test_compiles_in_c_plus_plus(self):
        self.cc("-c", "part.c")
        self.silent(self.wrapper("pfmpicxx", "-std=c++17", "-O1", "main.cpp", "part.o", "-o", "program"))
        self.assertEqual(self.notes("program"), 1)
        self.runs("program")

    def test_compiles_in_fortran(self):
        if not OPTIONS.fortran:
            self.skipTest("no flang")
        self.assertIn("flang", self.wrapper("pfmpifort", "--version").stdout)
        (self.folder / "modules").mkdir()
        self.silent(self.wrapper("pfmpifort", "-c", "-J", "modules", "-Wall", "-std=f2008", "numbers.f90"))
        compiled = self.wrapper("pfmpifort", "-c", "-O2", "-Imodules", "-fallow-argument-mismatch", "-fcheck=all", "main.f90", "-o", "main.o")
        self.assertEqual(compiled.stderr, "photofinish: flang does not know -fallow-argument-mismatch, -fcheck=all: left out\n")
        self.silent(self.wrapper("pfmpifort", "main.o", "numbers.o", "-o", "program"))
        self.assertEqual(self.notes("main.o"), 1)
        self.runs("program")


class Building(Wrapper):
    def test_make_with_many_jobs(self):
        names = [f"part{i}" for i in range(12)]
        for name in names:
            (self.folder / f"{name}.c").write_text(f"int table_{name}[64];\nint {name}(int x) {{ return table_{name}[x]++; }}\n")
        objects = " ".join(f"{name}.o" for name in ["main", "part", *names])
        (self.folder / "Makefile").write_text(f"program: {objects}\n\t$(CC) $(LDFLAGS) -o $@ {objects}\n")
        self.run_command("make", "-j4", f"CC={OPTIONS.bin / 'pfmpicc'}", "CFLAGS=-O2 -g")
        self.runs("program")

    def test_cmake(self):
        languages = "C CXX" + (" Fortran" if OPTIONS.fortran else "")
        (self.folder / "CMakeLists.txt").write_text(CMAKE.format(languages=languages) + (CMAKE_FORTRAN if OPTIONS.fortran else ""))
        for i in range(6):
            (self.folder / f"more{i}.c").write_text(f"int more{i};\n")
        compilers = [f"-DCMAKE_{language}_COMPILER={OPTIONS.bin / name}" for language, name in
                     (("C", "pfmpicc"), ("CXX", "pfmpicxx"), *([("Fortran", "pfmpifort")] if OPTIONS.fortran else []))]
        self.run_command("cmake", "-S", ".", "-B", "made", "-DCMAKE_BUILD_TYPE=Release", *compilers)
        built = self.run_command("cmake", "--build", "made", "-j4")
        self.assertNotIn("warning", built.stdout + built.stderr)
        for program in ("main_c", "main_cxx", *(["main_fortran"] if OPTIONS.fortran else [])):
            self.assertEqual(self.notes(f"made/{program}"), 1)
            self.runs(f"made/{program}")
        self.assertEqual(self.notes("made/libpart.so"), 1)

    def test_in_a_folder_with_spaces(self):
        moved = self.folder / "some where"
        moved.mkdir()
        (moved / "bin").mkdir()
        for name in ("pfmpicc", "pfmpifort"):
            shutil.copy(OPTIONS.bin / name, moved / "bin" / name)
        shutil.copytree(OPTIONS.bin.parent / "lib/photofinish", moved / "lib/photofinish")
        self.silent(self.run_command(moved / "bin/pfmpicc", "main.c", "part.c", "-o", "program"))
        self.runs("program")
        if OPTIONS.fortran:
            self.silent(self.run_command(moved / "bin/pfmpifort", "numbers.f90", "main.f90", "-o", "program"))
            self.runs("program")

    def test_plain_clang(self):
        plugin = OPTIONS.bin.parent / "lib/photofinish/photofinish-pass-19.so"
        if not plugin.exists():
            self.skipTest("no LLVM 19")
        self.run_command("clang-19", f"-fpass-plugin={plugin}", "-c", "part.c")
        self.assertEqual(self.notes("part.o"), 1)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description="The wrappers as compilers.")
    parser.add_argument("--bin", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--fortran", action="store_true")
    parser.add_argument("tests", nargs="*")
    OPTIONS = parser.parse_args()
    unittest.main(argv=[sys.argv[0], *OPTIONS.tests], verbosity=2)


if __name__ == "__main__":
    main()

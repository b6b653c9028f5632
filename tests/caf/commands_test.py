#!/usr/bin/env python3
"""How reports name images and coarrays; stop and error stop; the other commands; pfcaf; programs with a static coarray library.

  commands_test.py --photofinish PATH --pfcaf PATH --mpi openmpi|mpich
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import caf_tool

ARGUMENTS = None


def program_text(*lines):
    uses = [line for line in lines if line.startswith("use")]
    return "\n".join(["program p", *uses, "implicit none", *(line for line in lines if line not in uses), "end program", ""])


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, text, name="p", *flags):
        source = os.path.join(self.folder, name + ".f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        binary = os.path.join(self.folder, name)
        code, said = caf_tool.build(ARGUMENTS, source, binary, *flags)
        self.assertEqual(code, 0, said)
        return binary

    def run_(self, *words):
        done = caf_tool.photofinish(ARGUMENTS, self.folder, *words)
        return done.returncode, done.stdout, done.stderr

    def race(self):
        return self.build(program_text(
            "integer, allocatable :: grid(:,:)[:]", "allocate (grid(2:5, 0:3)[*])", "grid = 0", "sync all",
            "if (this_image() == 1) grid(3, 2)[2] = 7", "if (this_image() == 2) grid(3, 2) = 8", "sync all"))

    def test_report_names_images_and_elements(self):
        code, _, said = self.run_("check", "-n", "2", self.race())
        self.assertEqual(code, 66, said)
        self.assertIn("1 instance on images 1-2", said)
        self.assertIn("Write of 4 bytes by image 1, `grid(3,2)[2]`", said)
        self.assertIn("conflicts with write of 4 bytes by image 2", said)
        self.assertRegex(said, r"coarray `grid`, allocated in p p\.f90:4")
        self.assertIn("Try: sync all between the two writes", said)
        self.assertRegex(said, r"\nNext: photofinish confirm \S+")

    def test_report_names_whole_sections(self):
        binary = self.build(program_text(
            "real :: a(100)[*], b(100)", "a = this_image()", "sync all", "b = a(:)[3 - this_image()]", "a = 2 * b", "sync all",
            "print *, a(1)"), "p", "-O0")
        code, _, said = self.run_("check", "-n", "2", binary)
        self.assertEqual(code, 66, said)
        self.assertRegex(said, r"Read of 400 bytes by image \d, `a\(1\)\[\d\]`..`a\(100\)\[\d\]`")

    def test_static_array_has_bounds(self):
        binary = self.build(program_text(
            "integer :: x(2:4, 3)[*]", "x = 0", "sync all", "if (this_image() == 1) x(4, 2)[2] = 7",
            "if (this_image() == 2) x(4, 2) = 8", "sync all"))
        code, _, said = self.run_("check", "-n", "2", binary)
        self.assertEqual(code, 66, said)
        self.assertIn("`x(4,2)[2]`", said)
        self.assertIn("coarray `x`, declared at p.f90:3", said)

    def test_other_commands(self):
        binary = self.race()
        self.assertEqual(self.run_("check", "-n", "2", "-o", "run", binary)[0], 66)
        code, out, said = self.run_("dump", "run")
        self.assertEqual(code, 0, said)
        for call in ("caf_init", "caf_register", "caf_send", "caf_sync_all", "caf_finalize"):
            self.assertIn(call, out)
        code, out, said = self.run_("report", "run", "--format", "json")
        self.assertEqual(code, 66, said)
        self.assertIn("grid", out)
        code, out, said = self.run_("analyze", "run")
        self.assertEqual(code, 66, out + said)
        for words in (["confirm", "--record", "run"], ["explore", "-n", "2", binary], ["record", "-n", "2", "-o", "other", binary],
                      ["group", "run", "--failure", "0"]):
            code, out, said = self.run_(*words)
            self.assertEqual(code, 64, f"{words}: {out}{said}")
            self.assertRegex(said, r"photofinish \w+( --record)? does not support coarray programs yet, and \S+ is one: use check and confirm", words)
        code, out, said = self.run_("doctor", binary)
        self.assertIn("a coarray program: explore, record and group do not support it", out + said)

    def test_stop(self):
        for statement, message, expected in (("stop", "STOP", 0), ("stop 3", "STOP 3", 3), ("stop 'over'", "STOP over", 0)):
            with self.subTest(statement):
                binary = self.build(program_text("integer :: x[*]", "x = 0", "sync all", "x[1] = 1", statement))
                code, out, said = self.run_("check", "-n", "3", "-o", "run_stop", "--overwrite", binary)
                self.assertIn(message, out + said)
                self.assertEqual(code, expected if expected else 66, said)
                if expected == 0:
                    self.assertNotRegex(said, "ended(:| without)")
                self.assertNotIn("MPI_Abort", said)
                self.assertIn("1 one-sided race", said)

    def test_stop_of_one_image(self):
        binary = self.build(program_text("integer :: x[*]", "x = 0", "sync all", "x[1] = 1", "if (this_image() == 2) stop"))
        code, _, said = self.run_("check", "-n", "3", binary)
        self.assertEqual(code, 66, said)
        self.assertIn("1 one-sided race", said)

    def test_stopped_image(self):
        binary = self.build(program_text(
            "use, intrinsic :: iso_fortran_env", "integer :: x[*], st", "x = 0", "sync all", "x[1] = 1", "st = 0",
            "if (this_image() == 1) then", "  sync images (2, stat=st)", "  print *, st == stat_stopped_image", "end if"))
        code, out, said = self.run_("check", "-n", "2", binary)
        self.assertRegex(out + said, r"(?m)^ T$")
        self.assertEqual(code, 66, said)
        self.assertIn("1 one-sided race", said)
        self.assertNotIn("MPI_Abort", said)

    # The other images need this one in collectives of the tool, too.
    def test_failure_of_the_tool(self):
        for last in ("continue", "stop"):
            text = program_text(
                "use, intrinsic :: iso_fortran_env", "type(lock_type), allocatable :: l[:]", "type(event_type), allocatable :: e[:]",
                "type(team_type) :: half", "integer :: x[*], i", "x = 0", "sync all", "do i = 1, 3", "  allocate (l[*], e[*])",
                "  lock (l[1])", "  x[1] = x[1] + 1", "  unlock (l[1])", "  event post (e[1])",
                "  if (this_image() == 1) event wait (e, until_count=num_images())", "  deallocate (l, e)",
                "  form team (1 + mod(this_image(), 2), half)", "  change team (half)", "    sync all", "  end team", "end do",
                "print *, 'over'", "flush (output_unit)", "sync all", last)  # the first `stop` may end the others
            binary = self.build(text)
            for fault in ("1:event:1", "1:event:5", "2:event:9", "0:event:13", "1:event:20", "2:event:40", "1:event:60", "1:memory:5000"):
                with self.subTest(last=last, fault=fault):
                    os.environ["PHOTOFINISH_FAULT"] = fault
                    self.addCleanup(os.environ.pop, "PHOTOFINISH_FAULT", None)
                    _, out, said = self.run_("check", "-n", "3", "-o", "run_fault", "--overwrite", binary)
                    del os.environ["PHOTOFINISH_FAULT"]
                    self.assertEqual((out + said).count(" over"), 3, said)

    def test_error_stop(self):
        binary = self.build(program_text(
            "integer :: x[*]", "x = 0", "sync all", "x[1] = 1", "sync all", "if (this_image() == 1) error stop 5", "sync all"))
        code, _, said = self.run_("check", "-n", "3", binary)
        self.assertNotEqual(code, 0, said)
        self.assertIn("ERROR STOP 5", said)
        self.assertIn("1 one-sided race", said)

    def test_no_findings_of_the_library(self):
        binary = self.build(program_text(
            "integer :: x[*]", "x = this_image()", "sync images (*)", "critical", "x = x + 1", "end critical", "sync all"))
        code, _, said = self.run_("check", "-n", "3", binary)
        self.assertEqual(code, 0, said)
        self.assertIn("no findings", said)
        self.assertNotIn("buffer", said)

    def test_static_library(self):
        source = os.path.join(self.folder, "s.f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program_text("integer :: x[*]", "x = 1", "sync all"))
        library = subprocess.run(["gfortran", f"-print-file-name=libcaf_{ARGUMENTS.mpi}.so"], capture_output=True, text=True).stdout.strip()
        static = os.path.join(os.path.dirname(os.path.realpath(library)), f"libcaf_{ARGUMENTS.mpi}.a")
        if not os.path.exists(static):
            self.skipTest("no static library")
        subprocess.run([f"mpifort.{ARGUMENTS.mpi}", "-fcoarray=lib", source, static, "-o", "s"], check=True, cwd=self.folder)
        _, _, said = self.run_("check", "-n", "2", "./s")
        self.assertIn("is linked statically with its coarray library", said)
        _, out, said = self.run_("doctor", "./s")
        self.assertIn("linked statically with its coarray library", out + said)

    def test_shared_library_without_pfcaf(self):
        source = os.path.join(self.folder, "plain.f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program_text("integer :: x[*]", "x = 0", "sync all", "x[1] = 1", "sync all"))
        subprocess.run([f"mpifort.{ARGUMENTS.mpi}", "-g", "-fcoarray=lib", source, f"-lcaf_{ARGUMENTS.mpi}", "-o", "plain"], check=True,
                       cwd=self.folder)
        code, _, said = self.run_("check", "-n", "2", "./plain")
        self.assertEqual(code, 66, said)
        self.assertRegex(said, r"plain is not instrumented: rebuild with pfcaf|loads and stores not checked")

    def test_pfcaf(self):
        def pfcaf(*words):
            done = subprocess.run([ARGUMENTS.pfcaf, *words], capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout + done.stderr
        self.assertRegex(pfcaf("--help")[1], r"usage: pfcaf")
        code, said = pfcaf("-static", "x.f90")
        self.assertEqual(code, 64)
        self.assertRegex(said, r"^photofinish: -static cannot be used: .*; leave it out$")
        self.assertEqual(pfcaf("-fcoarray=single", "x.f90")[0], 64)
        self.assertRegex(pfcaf("--mpi=unknown", "x.f90")[1], r"mpifort\.unknown is not in PATH")
        self.assertRegex(pfcaf("--coarrays=/nowhere/libcaf_mpi.so", "x.f90")[1], r"no shared coarray library")


if __name__ == "__main__":
    ARGUMENTS, rest = caf_tool.parser(__doc__).parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])

"""The preload libraries, built with a sanitizer, in programs of all shapes: with threads, and with failures of the tool. Only
the tool's own code is instrumented; MPI's and the program's are not. Recorded ranks cannot be sanitized: their heap (runtime/heap.cpp)
calls libc's, past the sanitizer's.

  sanitize_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] --sanitizer address,…|thread [unittest arguments]
"""
import os
import re
import subprocess
import sys
import unittest

import cli_test
from cli_test import Case, HERE, environment

SHAPES = {"collectives": 100, "fences": 60, "locks": 60, "farm": 60, "threads": 100, "groups": 30}
SANITIZER = ""


def runtime():
    """The sanitizer's library, in front of libc."""
    name = "libtsan.so" if SANITIZER == "thread" else "libasan.so"
    return subprocess.run(["g++", "-print-file-name=" + name], capture_output=True, text=True).stdout.strip()


class Sanitized(Case):
    def go(self, *words, **more):
        """The tool starts without the library: only the ranks get it."""
        rank = self.write("rank.sh", f"#!/bin/sh\nexport LD_PRELOAD=$LD_PRELOAD:{os.path.realpath(runtime())}\nexec \"$@\"\n", 0o755)
        env = environment(
            ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0:handle_segv=0:handle_abort=0:log_path=stderr",
            UBSAN_OPTIONS="print_stacktrace=1",
            TSAN_OPTIONS=f"ignore_noninstrumented_modules=1:report_signal_unsafe=0:suppressions={HERE}/tsan.supp", **more)
        command, *rest = words
        return self.photofinish(command, "--overwrite", "--", f"mpirun.{cli_test.arguments.mpi}", "-n", "3", rank, *rest, env=env)

    def assertClean(self, result, shape):
        self.assertNotRegex(result.out + result.err, r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:", result)
        self.assertEqual(len(re.findall(r"rank \d+ sum -?\d+", result.out)), 3, result)

    def test_shapes(self):
        app = self.compile("shapes.c", "-pthread")
        for shape, rounds in SHAPES.items():
            with self.subTest(shape=shape):
                result = self.go("check", app, shape, str(rounds))
                self.assertClean(result, shape)
                self.assertRegex(result.err, r"3 of 3 ranks recorded", result)  # the sanitized library was there

    def test_failures(self):
        app = self.compile("shapes.c", "-pthread")
        for shape, fault in ("fences", "1:event:40"), ("threads", "0:event:40"), ("farm", "2:disk:1"):
            with self.subTest(shape=shape, fault=fault):
                self.assertClean(self.go("check", app, shape, str(SHAPES[shape]), PHOTOFINISH_FAULT=fault), shape)


if __name__ == "__main__":
    at = sys.argv.index("--sanitizer")
    SANITIZER = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    cli_test.main()

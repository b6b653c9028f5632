"""The preload libraries, built with a sanitizer, in programs of all shapes: with threads, and with failures of the tool. Only
the tool's own code is instrumented; MPI's and the program's are not. Recorded ranks have the sanitizer's heap in place of ours
(runtime/heap.cpp), so that they cannot be replayed.

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
HYBRID = os.path.join(os.path.dirname(HERE), "programs/hybrid")
SANITIZER = ""


def runtime():
    """The sanitizer's library, in front of libc."""
    name = "libtsan.so" if SANITIZER == "thread" else "libasan.so"
    return subprocess.run(["g++", "-print-file-name=" + name], capture_output=True, text=True).stdout.strip()


class Sanitized(Case):
    def go(self, *words, ranks=3, **more):
        """The tool starts without the library: only the ranks get it."""
        rank = self.write("rank.sh", f"#!/bin/sh\nexport LD_PRELOAD=$LD_PRELOAD:{os.path.realpath(runtime())}\nexec \"$@\"\n", 0o755)
        env = environment(
            ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0:handle_segv=0:handle_abort=0:log_path=stderr",
            UBSAN_OPTIONS="print_stacktrace=1",
            TSAN_OPTIONS=f"ignore_noninstrumented_modules=1:report_signal_unsafe=0:suppressions={HERE}/tsan.supp", **more)
        options = next(at for at, word in enumerate(words) if word.startswith("./") or word.startswith("/"))
        command, rest = words[:options], words[options:]
        return self.photofinish(*command, "--overwrite", "--", f"mpirun.{cli_test.arguments.mpi}", "-n", str(ranks), rank, *rest, env=env)

    def assertNoReport(self, result):
        self.assertNotRegex(result.out + result.err, r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:", result)

    def assertClean(self, result, shape):
        self.assertNoReport(result)
        self.assertEqual(len(re.findall(r"rank \d+ sum -?\d+", result.out)), 3, result)

    def test_shapes(self):
        app = self.compile("shapes.c", "-pthread")
        for shape, rounds in SHAPES.items():
            with self.subTest(shape=shape):
                result = self.go("check", app, shape, str(rounds))
                self.assertClean(result, shape)
                self.assertRegex(result.err, r"3 of 3 ranks recorded", result)  # the sanitized library was there

    def test_hybrid(self):
        """Threads in ranks, built with the pass, so that hooks and MPI calls come from several threads at once."""
        if SANITIZER == "thread":
            self.skipTest("the tool's code at the end of a thread comes after ThreadSanitizer's")
        for name in sorted(os.listdir(HYBRID)):
            wrapper = {".c": "pfmpicc", ".cpp": "pfmpicxx"}.get(os.path.splitext(name)[1])
            if wrapper is None:
                continue
            text = open(os.path.join(HYBRID, name)).read()
            flags = re.search(r'(?m)^// build: flags="(.*?)"', text)
            ranks = re.search(r"(?m)^// run: .*ranks=(\d+)", text)
            only = re.search(r"(?m)^// run: .*mpi=(\w+)", text)
            if only and only[1] not in (cli_test.arguments.mpi, "both"):
                continue
            with self.subTest(program=name):
                app = self.path(os.path.splitext(name)[0])
                built = self.run_(os.path.join(os.path.dirname(cli_test.arguments.photofinish), wrapper), f"--mpi={cli_test.arguments.mpi}", "-g", "-O1", "-w",
                                  os.path.join(HYBRID, name), *(flags[1].split() if flags else []), "-o", app)
                self.assertEqual(built.code, 0, built)
                result = self.go("check", app, ranks=int(ranks[1]))
                self.assertNoReport(result)
                self.assertIn(re.search(r"(?m)^// output: (.*)$", text)[1], result.out, result)
                self.assertRegex(result.err, rf"{ranks[1]} of {ranks[1]} ranks recorded", result)
                races = re.search(r"(?m)^// expect (message )?race: ", text) is not None
                self.assertEqual(re.search(r"WARNING: photofinish: .* race", result.err) is not None, races, result)

    def test_recording(self):
        """All ranks are recorded: what they receive, and what they ask the system for."""
        app = self.compile("shapes.c", "-pthread")
        for shape, rounds in SHAPES.items():
            with self.subTest(shape=shape):
                result = self.go("record", "--ranks", "all", app, shape, str(rounds))
                self.assertClean(result, shape)
                self.assertRegex(result.err, r"3 of 3 ranks recorded in .*photofinish replay", result)

    def test_failures(self):
        app = self.compile("shapes.c", "-pthread")
        for shape, fault in ("fences", "1:event:40"), ("threads", "0:event:40"), ("farm", "2:disk:1"):
            if shape == "threads" and SANITIZER == "thread":  # as test_hybrid
                continue
            with self.subTest(shape=shape, fault=fault):
                self.assertClean(self.go("check", app, shape, str(SHAPES[shape]), PHOTOFINISH_FAULT=fault), shape)


if __name__ == "__main__":
    at = sys.argv.index("--sanitizer")
    SANITIZER = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    cli_test.main()

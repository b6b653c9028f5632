"""What the tool does about its own failures: the program ends as it would alone, no rank waits for another one's tool, what was
found until then is kept, and the trace says why it is not whole.

  failure_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]

PHOTOFINISH_TEST_TIMES: how many random points of failure; PHOTOFINISH_TEST_SEED: which.
"""
import contextlib
import os
import random
import re
import shutil
import subprocess
import unittest

import cli_test
from cli_test import Case, environment

SHAPES = {"collectives": 300, "fences": 120, "locks": 150, "farm": 120, "threads": 150, "groups": 60, "abort": 200}
RANKS = 3


class Failure(Case):
    def setUp(self):
        super().setUp()
        self.app = self.compile("shapes.c", "-pthread")

    def check_(self, shape, fault=None, *options, ranks=RANKS, rounds=None):
        more = {"PHOTOFINISH_FAULT": fault} if fault else {}
        return self.photofinish("check", "-n", str(ranks), "--overwrite", *options, self.app, shape,
                                str(rounds or SHAPES[shape]), env=environment(**more))

    def sums(self, result):
        return sorted(re.findall(r"rank \d+ sum -?\d+", result.out))

    def assertWent(self, result, alone, shape):
        """The program did what it does alone; nobody crashed."""
        if shape == "abort":  # launchers may drop what was printed
            self.assertEqual(result.code, alone.code, result)
        else:
            self.assertEqual(self.sums(result), self.sums(alone), result)
        self.assertNotRegex(result.err, r"terminate called|std::bad_alloc|Segmentation|SIGSEGV|SIGABRT|signal 6", result)

    def test_random_points(self):
        """Any rank, any kind of failure, at any point, in programs of all shapes."""
        seed = int(os.environ.get("PHOTOFINISH_TEST_SEED", "1"))
        times = int(os.environ.get("PHOTOFINISH_TEST_TIMES", "1"))
        chance = random.Random(f"{seed} {cli_test.arguments.mpi}")
        for shape in SHAPES:
            alone = self.check_(shape)
            if shape != "abort":
                self.assertEqual(len(self.sums(alone)), RANKS, alone)
            for _ in range(times):
                kind = chance.choice(["memory", "event", "disk"])
                most = {"memory": 20000, "event": 2 * SHAPES[shape], "disk": 4}[kind]
                fault = f"{chance.randrange(RANKS)}:{kind}:{int(most ** chance.random())}"
                with self.subTest(shape=shape, fault=fault, seed=seed):
                    result = self.check_(shape, fault)
                    self.assertWent(result, alone, shape)

    def test_two_ranks_at_once(self):
        """Ranks that fail at the same time may have posted different numbers of exchanges."""
        alone = self.check_("fences")
        for first, second in ("5", "5"), ("40", "41"), ("100", "90"), ("1", "200"):
            wrapper = self.write("faults.sh", "#!/bin/sh\n"
                                 "r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
                                 f"[ $r = 0 ] && export PHOTOFINISH_FAULT=0:event:{first}\n"
                                 f"[ $r = 1 ] && export PHOTOFINISH_FAULT=1:event:{second}\n"
                                 f"exec {self.app} \"$@\"\n", 0o755)
            launcher = [f"mpirun.{cli_test.arguments.mpi}", "-n", str(RANKS)]
            result = self.photofinish("check", "--overwrite", "--", *launcher, wrapper, "fences", str(SHAPES["fences"]))
            self.assertWent(result, alone, "fences")

    def test_what_was_found_is_kept_and_why_it_stopped(self):
        """The race is in the first round; the failure comes later."""
        for kind, times, reason in ("event", "200", r"internal error: .*please report this"), ("memory", "1000", r"out of memory"):
            result = self.check_("fences", f"1:{kind}:{times}", rounds=400)
            self.assertRegex(result.err, rf"rank 1 on \S+: .*{reason}; recording and analysis stop here, the program (goes on|continues)", result)
            self.assertRegex(result.err, r"recording stopped early", result)
            self.assertEqual(len(self.sums(result)), RANKS, result)
            if kind == "event":  # far enough behind the race
                self.assertRegex(result.err, r"WARNING: photofinish: one-sided race", result)

    def test_what_no_rank_had_checked_is_found(self):
        """The failure comes right behind the race: no exchange has covered it yet, but the traces have it."""
        for times in "9", "10", "12", "16":
            result = self.check_("fences", f"1:event:{times}", rounds=40)
            self.assertEqual(len(self.sums(result)), RANKS, result)
            self.assertRegex(result.err, r"recording stopped early", result)
            self.assertRegex(result.err, r"WARNING: photofinish: one-sided race", result)
            self.assertEqual(result.code, 66, result)

    def test_long_messages_are_dropped(self):
        """The others have sent messages of many kilobytes to the rank that fails, and to each other."""
        for fault in "1:memory:1200", "2:event:1501", "0:event:1100":
            result = self.check_("fences", fault, rounds=1500)
            self.assertEqual(len(self.sums(result)), RANKS, result)
            self.assertRegex(result.err, r"recording stopped early", result)
            self.assertEqual(result.code, 66, result)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "needs root to mount a small file system")
    def test_findings_that_cannot_be_written_are_printed(self):
        """The disk is full when the traces are analyzed."""
        os.mkdir(self.path("small"))
        if self.run_("mount", "-t", "tmpfs", "-o", "size=8m", "none", "small").code != 0:
            self.skipTest("cannot mount a small file system")
        try:
            recorded = self.photofinish("check", "--offline", "-n", str(RANKS), "-o", "small/run", self.app, "fences", "40")
            self.assertEqual(recorded.code, 0, recorded)
            with contextlib.suppress(OSError), open(self.path("small/filler"), "wb", buffering=0) as filler:
                while filler.write(b"x" * 4096):
                    pass
            result = self.photofinish("analyze", "small/run")
            text = result.out + result.err
            self.assertRegex(text, r"cannot write \S+analysis\.findings: No space left on device; .*not stored", result)
            self.assertRegex(text, r"WARNING: photofinish: one-sided race \[F1\]", result)
            self.assertEqual(result.code, 66, result)
        finally:
            subprocess.run(["umount", self.path("small")])

    def test_recording(self):
        """photofinish record: the rank that fails records no further, and the others do."""
        for fault in "1:event:50", "1:memory:300", "0:disk:2":
            result = self.photofinish("record", "-n", str(RANKS), "--overwrite", "--ranks", "all", self.app, "collectives", "100",
                                      env=environment(PHOTOFINISH_FAULT=fault))
            self.assertEqual(len(self.sums(result)), RANKS, result)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "needs root to mount a small file system")
    def test_disk_full_in_some_ranks(self):
        """The others do not wait for them."""
        os.mkdir(self.path("small"))
        for size in "1600k", "1900k":
            if self.run_("mount", "-t", "tmpfs", "-o", f"size={size}", "none", "small").code != 0:
                self.skipTest("cannot mount a small file system")
            try:
                result = self.photofinish("check", "-n", "4", "-o", "small/run", self.app, "farm", "300")
            finally:
                subprocess.run(["umount", self.path("small")])
            self.assertEqual(len(self.sums(result)), 4, result)
            self.assertRegex(result.err, r"No space left", result)


class Heap(Case):
    """The tool keeps out of the program's heap."""

    def test_blocks_in_a_dynamic_window(self):
        app = self.compile("attach.c")
        for result in self.run_(f"mpirun.{cli_test.arguments.mpi}", "-n", "2", app), self.photofinish("check", "-n", "2", app):
            self.assertEqual(sorted(re.findall(r"rank \d+ .*", result.out)), ["rank 0 attached all", "rank 1 attached all"], result)

    def test_addresses(self):
        """The program's blocks are as far apart as without the tool."""
        app = self.compile("own_heap.c")
        alone = self.run_(f"mpirun.{cli_test.arguments.mpi}", "-n", "2", app, "addresses")
        result = self.photofinish("check", "-n", "2", app, "addresses")
        self.assertEqual(alone.code, 0, alone)
        self.assertEqual(len(alone.out.split()), 95, alone)
        self.assertEqual(result.out, alone.out)

    def test_callers(self):
        """No call of malloc comes from the tool, whatever the command."""
        app = self.compile("heap_callers.c")
        for words in (["check", "-n", "3"], ["check", "--offline", "-n", "3"], ["record", "--ranks", "all", "-n", "3"]):
            result = self.photofinish(*words, "--overwrite", app)
            self.assertEqual(sorted(re.findall(r"rank \d: .*", result.out)),
                             [f"rank {rank}: allocations seen, 0 by the tool" for rank in range(3)], result)

    def test_operators_of_a_library(self):
        """A recorded program takes operator new and delete from a library: neither may be ours."""
        self.write("pool.cpp", "#include <cstdlib>\n#include <new>\nextern \"C\" long deleted = 0;\n"
                   "void* operator new(std::size_t bytes) { return static_cast<char*>(std::malloc(bytes + 64)) + 64; }\n"
                   "void operator delete(void* block) noexcept { ++deleted; if (block) std::free(static_cast<char*>(block) - 64); }\n"
                   "void operator delete(void* block, std::size_t) noexcept { operator delete(block); }\n")
        self.write("app.cpp", "#include <mpi.h>\n#include <cstdio>\n#include <vector>\nextern \"C\" long deleted;\n"
                   "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  const long before = deleted;\n"
                   "  for (int i = 1; i < 100; ++i) std::vector<int> values(i, 1);\n"
                   "  std::printf(\"deleted %ld\\n\", deleted - before);\n  MPI_Finalize();\n}\n")
        for line in (["g++", "-shared", "-fPIC", "pool.cpp", "-o", "libpool.so"],
                     [f"mpicxx.{cli_test.arguments.mpi}", "-O0", "app.cpp", "-L.", "-lpool", "-Wl,-rpath," + self.dir, "-o", "app"]):
            built = self.run_(*line)
            self.assertEqual(built.code, 0, built)
        for words in ["record", "-n", "2", "--ranks", "all", "./app"], ["replay", "photofinish.run"]:
            result = self.photofinish(*words)
            self.assertEqual(result.code, 0, result)
            self.assertEqual(result.out.splitlines().count("deleted 99"), 2, result)

    def test_a_corrupt_heap(self):
        """Open MPI dies of it in MPI_Finalize; until then the tool does not."""
        app = self.compile("own_heap.c")
        result = self.photofinish("check", "-n", "3", app, "corrupt")
        self.assertEqual(len(re.findall(r"rank \d done", result.out)), 3, result)
        self.assertRegex(result.err, r"SUMMARY: photofinish: [1-9]\d* ", result)
        self.assertRegex(result.err, r"own_heap\.c:\d+", result)


if __name__ == "__main__":
    cli_test.main()

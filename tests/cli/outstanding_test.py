#!/usr/bin/env python3
"""Very many outstanding requests: the findings are exact, and memory for each request, in the rank and in the analysis, is bounded."""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
COUNT = int(os.environ.get("PHOTOFINISH_OUTSTANDING", "100000"))
ARGUMENTS = None


class Outstanding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="photofinish-outstanding-")
        cls.app = os.path.join(cls.work, "outstanding")
        subprocess.run([f"mpicc.{ARGUMENTS.mpi}", "-O2", "-g", "-w", os.path.join(HERE, "outstanding.c"), "-o", cls.app], check=True)
        cls.env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_mpi_yield_when_idle="1")
        if ARGUMENTS.mpi == "mpich":
            cls.env["LD_PRELOAD"] = ARGUMENTS.yield_preload

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work, ignore_errors=True)

    def start(self, *words, memory_mb=0):
        """With a limit, the whole address space of the command is that large (`analyze` only: MPI maps much more than it uses)."""
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))) if memory_mb else None
        result = subprocess.run(words, env=self.env, cwd=self.work, capture_output=True, text=True, timeout=500, preexec_fn=limit)
        return result.returncode, result.stdout + result.stderr

    def bytes_each(self, said):
        return {int(rank): int(size) for rank, size in re.findall(r"rank (\d+): (-?\d+) bytes each", said)}

    def check(self, count, *words, options=()):
        run = os.path.join(self.work, "run")
        shutil.rmtree(run, ignore_errors=True)
        code, said = self.start(ARGUMENTS.photofinish, "check", *options, "-n", "3", "-o", run, self.app, str(count), *words)
        self.assertIn("sum ", said)
        return code, said, run

    def test_named(self):
        code, bare = self.start(f"mpirun.{ARGUMENTS.mpi}", "-n", "3", self.app, str(COUNT), "named")
        self.assertEqual(code, 0, bare)
        code, said, run = self.check(COUNT, "named")
        self.assertEqual(code, 0, said)
        self.assertIn("no findings", said)
        self.assertNotIn("not checked", said)
        without, with_us = self.bytes_each(bare), self.bytes_each(said)
        self.assertEqual(sorted(without), [0, 1, 2], bare)
        for rank in (0, 1, 2):
            self.assertLess(with_us[rank] - without[rank], 1000 if rank == 0 else 700, f"rank {rank} takes {with_us[rank] - without[rank]} bytes more for each request")
        # All that reads and analyzes the traces, and 500 bytes for each message in each of the two walks.
        code, said = self.start(ARGUMENTS.photofinish, "analyze", run, memory_mb=400 + COUNT * 1000 // 1000000)
        self.assertEqual(code, 0, said)
        self.assertIn("no findings", said)

    def test_wild(self):
        code, said, run = self.check(COUNT, "wild")
        self.assertEqual(code, 66, said)
        self.assertRegex(said, r"(?m)^SUMMARY: photofinish: 1 message race ")
        code, again = self.start(ARGUMENTS.photofinish, "analyze", run)
        self.assertEqual(code, 66, again)
        self.assertRegex(again, r"(?m)^SUMMARY: photofinish: 1 message race ")

    def test_completed_in_reverse(self):
        for words, expected in ((("named", "reverse"), 0), (("wild", "reverse"), 66)):
            code, said, _ = self.check(COUNT // 10, *words)
            self.assertEqual(code, expected, said)

    def test_more_than_memory_allows(self):
        """The result says that messages were not checked; it never passes in silence."""
        for words in ("named", "wild"):
            code, said, run = self.check(COUNT // 10, words, options=("--memory", "1"))
            self.assertIn("message races were not checked", said)
            self.assertIn("--memory", said)
            self.assertNotIn("no message race,", said)
            self.assertEqual(code, 67, said)
            code, said = self.start(ARGUMENTS.photofinish, "analyze", "--memory", "1", run)
            self.assertIn("message races were not checked", said)
            self.assertEqual(code, 67, said)
            # With enough of it, the traces tell.
            code, said = self.start(ARGUMENTS.photofinish, "analyze", run)
            self.assertEqual(code, 66 if words == "wild" else 0, said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--yield-preload", default="")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)

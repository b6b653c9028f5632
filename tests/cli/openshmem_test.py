"""OpenSHMEM programs on the command line: how they are recognized and started, and which commands refuse them.

  openshmem_test.py --photofinish BIN --mpi openmpi [unittest arguments]
"""
import os
import re

import cli_test
from cli_test import Case

RING = os.path.join(os.path.dirname(os.path.dirname(cli_test.HERE)), "examples/ring_shmem.c")


class OpenShmem(Case):
    def ring(self, *flags, compiler="oshcc"):
        result = self.run_(compiler, "-g", RING, *flags, "-o", "ring")
        self.assertEqual(result.code, 0, result)
        return "./ring"

    def test_recognized(self):
        """check -n starts it with oshrun, and names the PEs and the block."""
        result = self.photofinish("check", "-n", "2", "--verbose", self.ring(compiler="pfoshcc"))
        self.assertEqual(result.code, 66, result)
        self.assertRegex(result.err, r"photofinish: (\S*/)?oshrun -n 2 ", result)
        self.assertRegex(result.err, r"Put of 8 bytes by PE \d into PE \d, symmetric heap block \+0x0\.\.0x8\n", result)
        self.assertIn("symmetric heap block of 8 bytes allocated by shmem_malloc in main ring_shmem.c:", result.err, result)
        self.assertIn("Try: shmem_barrier_all", result.err, result)

    def test_launchers(self):
        ring = self.ring("-DFIXED")
        result = self.photofinish("check", "--", "oshrun", "-n", "2", ring)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"ring is not instrumented: rebuild with pfoshcc or pfoshcxx to check loads and stores", result)
        result = self.run_("oshrun", "-n", "2", cli_test.arguments.photofinish, "exec", "-o", "exec.run", ring)
        self.assertEqual(result.code, 0, result)
        self.assertIn("photofinish: recorded", result.err, result)

    def test_offline(self):
        """The same findings from the traces."""
        result = self.photofinish("check", "--offline", "-n", "2", self.ring(compiler="pfoshcc"))
        self.assertEqual(result.code, 0, result)
        result = self.photofinish("analyze", "photofinish.run")
        self.assertEqual(result.code, 66, result)
        self.assertRegex(result.out + result.err, r"by PE \d", result)

    def test_refused(self):
        ring = self.ring()
        self.photofinish("check", "-n", "2", ring)
        for words in (["--failure", "0"], []):
            with self.subTest(words=words):
                self.assertSays(self.photofinish("group", "photofinish.run", *words), r"photofinish group does not support OpenSHMEM programs yet", 64)

    def test_explore_launcher(self):
        """A line of its own launcher: the words are OpenSHMEM's, also when it is resumed."""
        source = self.write("last.c", """#include <shmem.h>
#include <stdio.h>
static long last;
int main(void) {
  shmem_init();
  shmem_long_atomic_swap(&last, shmem_my_pe(), 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("last %ld\\n", last);
  shmem_finalize();
  return 0;
}
""")
        self.assertEqual(self.run_("oshcc", "-g", "-o", self.path("last"), source).code, 0)
        one = self.photofinish("explore", "--runs", "1", "--", "oshrun", "-n", "2", self.path("last"))
        self.assertRegex(one.out, r"1 of an estimated \S+ matchings of 2 atomic operations and locks", one)
        for words in ([], ["--jobs", "2"]):
            all_runs = self.photofinish("explore", "photofinish.run", *words)
            self.assertEqual(all_runs.code, 66, all_runs)
            self.assertRegex(all_runs.out, r"operation 1 on `last` on PE 0 is that of PE \d at last\.c:6", all_runs)
            self.assertIn("2 outcomes in 2 runs: all 2 matchings", all_runs.out, all_runs)

    def test_replay(self):
        """A recorded PE, alone: the same output, under gdb, too."""
        ring = self.ring(compiler="pfoshcc")
        recorded = self.photofinish("record", "--ranks", "0,1", "-n", "2", "-o", "ring.run", ring)
        self.assertEqual(recorded.code, 0, recorded)
        printed = re.search(r"PE 0 got \d+", recorded.out).group()
        replayed = self.photofinish("replay", "ring.run", "--ranks", "0")
        self.assertEqual(replayed.code, 0, replayed)
        self.assertIn(printed, replayed.out, replayed)
        self.assertRegex(replayed.err, r"rank 0 replayed to its end: exit code 0", replayed)
        debugged = self.photofinish("replay", "ring.run", "--gdb", "0", "--ex", "break shmem_finalize", "--ex", "run",
                                    "--ex", "backtrace", "--ex", "kill", "--ex", "quit")
        self.assertRegex(debugged.out, r"(?s)shmem_finalize.*main.*ring_shmem\.c", debugged)

    def test_explain(self):
        """Who wrote what a PE received."""
        source = self.write("put.c", """#include <shmem.h>
#include <stdio.h>
int main(void) {
  shmem_init();
  long* word = shmem_calloc(1, sizeof *word);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) shmem_long_p(word, 7, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("got %ld\\n", *word);
  shmem_finalize();
}
""")
        self.assertEqual(self.run_("pfoshcc", "-g", source, "-o", "put").code, 0)
        self.assertEqual(self.photofinish("record", "--ranks", "0,1", "-n", "2", "-o", "put.run", "./put").code, 0)
        explained = self.photofinish("explain", "put.run")
        self.assertEqual(explained.code, 0, explained)
        self.assertRegex(explained.out, r"rank 0 load put\.c:9 <- rank 1 shmem_p put\.c:7: 1 value, 8 bytes", explained)

    def test_deadlock(self):
        """PEs that wait for each other in MPI and OpenSHMEM calls; not for a flag that somebody may still set."""
        self.assertEqual(self.run_("oshcc", "-g", os.path.join(cli_test.HERE, "shmem_deadlock.c"), "-o", "deadlock").code, 0)
        for way, call in (("message", "shmem_barrier_all"), ("set", "shmem_sync")):
            with self.subTest(way):
                result = self.photofinish("check", "-n", "2", "-o", f"{way}.run", "--deadlock-timeout", "1", "./deadlock", way)
                self.assertEqual(result.code, 66, result)
                self.assertRegex(result.err, r"\n  rank 0 waits in MPI_Recv shmem_deadlock\.c:\d+ \(tag \d+\) for rank 1\n", result)
                self.assertRegex(result.err, rf"\n  rank 1 waits in {call} shmem_deadlock\.c:\d+ for rank 0\n", result)
        result = self.photofinish("check", "-n", "2", "--deadlock-timeout", "1", "./deadlock", "flag")
        self.assertEqual(result.code, 0, result)
        self.assertIn("done", result.out, result)

    def test_doctor(self):
        result = self.photofinish("doctor", self.ring())
        self.assertRegex(result.out, r"started with oshrun", result)
        self.assertRegex(result.out, r"an OpenSHMEM program", result)


if __name__ == "__main__":
    cli_test.main()

"""OpenSHMEM programs on the command line: how they are recognized and started, and which commands refuse them.

  openshmem_test.py --photofinish BIN --mpi openmpi [unittest arguments]
"""
import os

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
        for command in (["confirm", "photofinish.run"], ["replay", "photofinish.run"], ["explain", "photofinish.run"],
                        ["explore", "-n", "2", ring], ["record", "-n", "2", ring], ["record", "--", "oshrun", "-n", "2", ring]):
            with self.subTest(command=command):
                self.assertSays(self.photofinish(*command), rf"photofinish {command[0]} does not support OpenSHMEM programs yet", 64)

    def test_deadlock(self):
        """PEs that wait for each other in MPI and OpenSHMEM calls; not for a flag that somebody may still set."""
        self.assertEqual(self.run_("oshcc", "-g", os.path.join(cli_test.HERE, "shmem_deadlock.c"), "-o", "deadlock").code, 0)
        for way, call in (("message", "shmem_barrier_all"), ("set", "shmem_sync")):
            with self.subTest(way):
                result = self.photofinish("check", "-n", "2", "-o", f"{way}.run", "--deadlock-timeout", "1", "./deadlock", way)
                self.assertEqual(result.code, 66, result)
                self.assertRegex(result.err, r"\n  rank 0 waits in MPI_Recv shmem_deadlock\.c:\d+ for rank 1\n", result)
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

"""From confirm to the debugger, on the real tool: one order of a finding is recorded and replayed, or stopped in gdb at its access.

  forced_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os
import re
import shutil
import unittest

import cli_test
from cli_test import Case, environment

WRONG, RIGHT = "rank 0 got 0", "rank 0 got 7"


def line_of(word):
    """The line of forced.c with this comment."""
    with open(os.path.join(cli_test.HERE, "forced.c")) as source:
        return next(number for number, line in enumerate(source, 1) if f"/* {word} */" in line)


class ForcedCase(Case):
    def checked(self, *how):
        wrapper = os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpicc")
        app = self.compile("forced.c", f"--mpi={cli_test.arguments.mpi}", compiler=wrapper)
        # Timing decides whether the checked run itself crashes (a put of MPICH needs the target's progress), perhaps before the other access.
        for _ in range(5):
            result = self.photofinish("check", "--overwrite", "-n", "3", app, *how)
            if "race [F1] predicted" in result.out + result.err:
                break
        self.assertIn("race [F1] predicted", result.out + result.err, result)
        self.orders = []

    def order(self, first):
        """The order in which this access goes first, as confirm numbers them."""
        if not self.orders:
            result = self.photofinish("confirm", "photofinish.run", "--finding", "F1", "--runs", "1")
            self.orders = re.findall(r"(?m)^  The (.*) first: ", result.out)
        for order, name in enumerate(self.orders, 1):
            if name.endswith(f" forced.c:{line_of(first)}"):
                return str(order)
        self.fail(f"no order begins with {first}: {self.orders}")

    def record(self, order, *words):
        result = self.photofinish("confirm", "photofinish.run", "--finding", "F1", "--order", order, "--record", *words)
        self.assertFalse(os.path.exists(self.path("photofinish.run.confirming")), result)
        run = f"photofinish.run.F1-order{order}"
        self.assertIn(f"recorded in {run}. Next: photofinish replay {run} (--gdb ", result.err, result)
        return result, run

    def replays(self, run, line):
        for _ in range(2):
            result = self.photofinish("replay", run)
            self.assertEqual(result.code, 0, result)
            self.assertEqual([text for text in result.out.splitlines() if " got " in text], [line], result)


class Forced(ForcedCase):
    def test_a_load_that_is_too_early(self):
        self.checked("load", "print")
        for first, line in (("loads", WRONG), ("puts", RIGHT)):
            result, run = self.record(self.order(first))
            self.assertEqual(result.code, 66, result)
            self.assertIn(line, result.out.splitlines(), result)
            self.replays(run, line)

    @unittest.skipUnless(shutil.which("gdb"), "needs gdb")
    def test_gdb_stops_at_the_access(self):
        self.checked("load", "print")
        order = self.order("loads")
        words = ["confirm", "photofinish.run", "--finding", "F1", "--order", order]
        load = self.photofinish(*words, "--gdb", "0", "--ex", "print got", "--ex", "quit")
        self.assertIn(f"forced.c:{line_of('loads')}", load.out, load)
        self.assertEqual(re.findall(r"(?m)^\$\d = (\d+)$", load.out), ["0"], load)
        self.assertIn(WRONG, load.out.splitlines(), load)  # it goes on, in that order
        self.assertRegex(load.err, r"photofinish: F1 forced with the load forced\.c:\d+ first: exit code 0", load)
        put = self.photofinish(*words, "--gdb", "1", "--ex", "print seven", "--ex", "quit")
        self.assertIn(f"forced.c:{line_of('puts')}", put.out, put)
        self.assertIn("$1 = 7", put.out, put)
        self.assertIn(WRONG, put.out.splitlines(), put)
        self.assertFalse(os.path.exists(self.path("photofinish.run.confirming")))

    def test_bad_input(self):
        self.checked("load", "print")
        confirm = ("confirm", "photofinish.run")
        for words, pattern in [(("--record", "--order", "1"), r"--record needs one finding: add --finding F1"),
                               (("--gdb", "0"), r"--gdb needs one finding: add --finding F1"),
                               (("--finding", "F1", "--record"), r"--record needs one order: add --order N. F1 has orders 1 to 2"),
                               (("--finding", "F1", "--order", "3", "--record"), r"F1 has orders 1 to 2"),
                               (("--finding", "F9", "--order", "1", "--record"), r"photofinish.run has no finding F9: it has F1"),
                               (("--finding", "F1", "--order", "1", "--record", "--ranks", "7"), r"there is no rank 7: 3 ranks are numbered from 0"),
                               (("--finding", "F1", "--order", "1", "--ranks", "0"), r"--ranks requires --record"),
                               (("--finding", "F1", "--gdb", "2"), r"rank 2 has no access of F1 in this order: use --gdb [01] or --gdb [01]")]:
            with self.subTest(words):
                self.assertSays(self.photofinish(*confirm, *words), pattern, 64)
        self.assertFalse(any(name.startswith("photofinish.run.F") for name in os.listdir(self.dir)))

    def test_gdb_is_missing(self):
        self.checked("load", "print")
        os.mkdir(self.path("bin"))
        for name in os.listdir("/usr/bin"):
            if name.startswith(("mpi", "orte", "hydra", "orted", "sh", "env")):
                os.symlink("/usr/bin/" + name, self.path("bin/" + name))
        result = self.photofinish("confirm", "photofinish.run", "--finding", "F1", "--gdb", "0", env=environment(PATH=self.path("bin")))
        self.assertSays(result, r"cannot find gdb: install it, or use --record and replay", 70)


class ForcedOrders(ForcedCase):
    """More kinds of races; in the nightly run."""

    def test_a_load_in_a_thread(self):
        """The replay keeps the order of the threads, too."""
        self.checked("thread", "print")
        for first, line in (("loads in a thread", WRONG), ("puts", RIGHT)):
            result, run = self.record(self.order(first))
            self.assertIn(line, result.out.splitlines(), result)
            tickets = [text for text in result.out.splitlines() if text.startswith("tickets ")]
            self.assertEqual(len(tickets), 1, result)
            self.replays(run, line)
            self.assertIn(tickets[0], self.photofinish("replay", run).out.splitlines())

    def test_a_store_that_is_overwritten(self):
        self.checked("store", "print")
        for first, line in (("puts", WRONG), ("stores", RIGHT)):
            result, run = self.record(self.order(first))
            self.assertIn(line, result.out.splitlines(), result)
            self.replays(run, line)

    def test_a_get_that_is_too_early(self):
        self.checked("get", "print")
        result, run = self.record(self.order("gets"), "--ranks", "2")
        self.assertIn("rank 2 got 0", result.out.splitlines(), result)
        self.assertIn("photofinish: rank 2 recorded in ", result.err, result)
        self.replays(run, "rank 2 got 0")
        self.assertEqual([name for name in sorted(os.listdir(self.path(run))) if name.startswith("rank-")], ["rank-000002.trace"], result)

    def test_a_receive_that_is_complete_early(self):
        """The load of the buffer, before the wait, finds the message: on replay, too."""
        self.checked("buffer", "print")
        for first, line in (("looks", WRONG), ("receives", RIGHT)):
            result, run = self.record(self.order(first))
            self.assertIn(line, result.out.splitlines(), result)
            self.replays(run, line)

    def test_the_other_message(self):
        self.checked("message", "print")
        result, run = self.record("2")
        self.assertIn(WRONG, result.out.splitlines(), result)
        self.replays(run, WRONG)

    def test_a_crash(self):
        self.checked("load", "crash")
        result, run = self.record(self.order("loads"))
        self.assertNotIn(result.code, (0, 66, 70), result)
        for _ in range(2):
            again = self.photofinish("replay", run, "--ranks", "0")
            self.assertEqual(again.code, 128 + 6, again)
        if shutil.which("gdb"):
            shown = self.photofinish("replay", run, "--gdb", "0", "--ex", "run", "--ex", "bt", "--ex", "kill", "--ex", "quit")
            self.assertRegex(shown.out, r"in use \(got=0,", shown)

    def test_a_deadlock(self):
        self.checked("load", "hang")
        result, run = self.record(self.order("loads"), "--timeout", "20")
        self.assertIn("the load forced.c:%d first: hangs: all ranks wait" % line_of("loads"), result.err, result)
        for _ in range(2):
            again = self.photofinish("replay", run, "--ranks", "0")
            self.assertRegex(again.err, r"rank 0 replayed up to MPI_Recv at forced\.c:\d+.*, which did not return", again)
            self.assertNotEqual(again.code, 72, again)

    @unittest.skipUnless(shutil.which("gdb"), "needs gdb")
    def test_gdb_for_long(self):
        """Nothing ends the run while a person looks at it, and the order stays."""
        self.checked("load", "print")
        order = self.order("loads")
        result = self.photofinish("confirm", "photofinish.run", "--finding", "F1", "--order", order, "--timeout", "3", "--gdb", "0", "--ex", "shell sleep 8", "--ex", "quit")
        self.assertIn(WRONG, result.out.splitlines(), result)
        self.assertIn("photofinish: F1 forced with", result.err, result)

    def test_an_earlier_record_is_kept(self):
        self.checked("get", "print")
        order = self.order("gets")
        self.record(order)
        again, run = self.record(order)
        self.assertIn(f"photofinish: the earlier run is now {run}.1\n", again.err, again)
        self.assertEqual(self.photofinish("replay", run + ".1").code, 0)


if __name__ == "__main__":
    cli_test.main()

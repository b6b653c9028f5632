"""photofinish confirm: the outcomes of both orders, and bad input.

  confirm_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os
import re
import subprocess

import cli_test
from cli_test import Case


class Confirm(Case):
    """photofinish confirm: outcomes of both orders, whatever they are, and bad input."""

    def predicted(self, how):
        app = self.compile("crossing.c")
        self.assertEqual(self.photofinish("check", "-n", "3", app, how).code, 66)
        return app

    def confirm(self, *words):
        result = self.photofinish("confirm", *words, "photofinish.run")
        self.assertFalse(os.path.exists(self.path("photofinish.run.confirming")), result)
        return result

    def test_both_orders_and_again(self):
        self.predicted("say")
        result = self.confirm("--runs", "2")
        self.assertEqual(result.code, 66, result)
        self.assertRegex(result.out, r"^F1 confirmed, harmful: one-sided race, put crossing\.c:\d+ and get crossing\.c:\d+\n", result)
        self.assertIn("    - got 7\n    + got 0\n", result.out, result)  # and not the process that is done
        self.assertRegex(result.out, r"first: got 7 ×5\n")
        self.assertRegex(result.out, r"SUMMARY: photofinish: 1 of 1 findings confirmed: 1 harmful · in photofinish.run\n$")
        self.assertIn("[F1] confirmed, harmful ·", self.photofinish("report", "photofinish.run").out)
        for order, got in (("1", "got 7"), ("2", "got 0")):
            again = self.confirm("--finding", "F1", "--order", order, "--runs", "1")
            self.assertEqual(again.code, 66, again)
            self.assertIn(got, again.out.splitlines(), again)
            self.assertIn("photofinish: F1 forced with the ", again.err, again)

    def test_crash_in_one_order(self):
        self.predicted("crash")
        result = self.confirm("--runs", "1")
        self.assertIn("F1 confirmed, harmful", result.out, result)
        self.assertRegex(result.out, r"The get crossing\.c:\d+ first: exit code [1-9]\d*, rank 2: Aborted ×\d\n")
        self.assertIn("    - exit code 0\n", result.out, result)

    def test_no_end_in_one_order(self):
        self.predicted("hang")
        result = self.confirm("--timeout", "3", "--runs", "1")
        self.assertIn("F1 confirmed, harmful", result.out, result)
        self.assertIn("    + no end after 3 s\n", result.out, result)
        left = subprocess.run(["pgrep", "-f", self.path("crossing")], capture_output=True, text=True).stdout
        self.assertEqual(left, "")

    def test_files(self):
        self.predicted("write")
        self.assertIn("F1 confirmed, unstable", self.confirm("--runs", "2").out)  # each run prints its process id
        self.assertIn("F1 confirmed, same outcome", self.confirm("--runs", "1", "--ignore", "^process").out)
        self.assertEqual(self.confirm("--ignore", "(").err, "photofinish: --ignore (: not a regular expression\n")
        result = self.confirm("--runs", "1", "--ignore", "^process", "--compare", "result.txt")
        self.assertIn("    - result.txt:1: got 7\n    + result.txt:1: got 0\n", result.out, result)

    def test_libraries(self):
        """A side in a library that reports leave out, and one that is gone: both have functions with copies (runtime_abi.h)."""
        wrapper = os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpicc")
        for name in ("libmpi_adds.so", "gone.so"):
            self.compile("libraries.c", f"--mpi={cli_test.arguments.mpi}", "-DLIBRARY", "-fPIC", "-shared", name=name, compiler=wrapper)
        app = self.compile("libraries.c", f"--mpi={cli_test.arguments.mpi}", "./libmpi_adds.so", "-ldl", compiler=wrapper)
        self.assertEqual(self.photofinish("check", "-n", "2", app, "./gone.so").code, 66)
        result = self.confirm("--runs", "1")
        stores = re.findall(r"^F\d+ (.*): one-sided race, .* store libraries\.c:\d+$", result.out, re.MULTILINE)
        self.assertTrue(stores, result)
        for state in stores:
            self.assertEqual(state, "confirmed, same outcome", result)

    def test_bad_input(self):
        self.assertRegex(self.photofinish("confirm", "no-such.run").err, r"^photofinish: no-such.run: No such file or directory; give the directory .*\n$")
        self.predicted("say")
        for words, said in ((("--finding", "F7"), "photofinish.run has no finding F7: it has F1"), (("-n", "2"), "F1 needs 3 ranks, but -n asks for 2"),
                            (("--finding", "F1", "--order", "3"), "F1 has orders 1 to 2"), (("--runs", "0"), "option runs takes 1 to 1000"),
                            (("--tolerance", "much"), "option tolerance: 'much' is not a number from 0 to 1, such as 1e-9")):
            result = self.confirm(*words)
            self.assertEqual((result.code, result.err), (64, f"photofinish: {said}\n"), result)
        os.rename(self.path("crossing"), self.path("crossing.old"))
        self.assertRegex(self.confirm().err, r"^photofinish: \S+crossing no longer exists; .*; run photofinish check again\n$")
        self.compile("crossing.c", "-DOTHER=1", "-O2")
        result = self.confirm()
        self.assertEqual(result.code, 64, result)
        self.assertRegex(result.err, r"^photofinish: \S+crossing has changed since the run, .*; run photofinish check again\n$")

    def test_nothing_to_confirm(self):
        """No error: scripts run check, and then confirm."""
        self.assertEqual(self.photofinish("check", "-n", "1", self.compile("children.c")).code, 0)
        result = self.confirm()
        self.assertEqual((result.code, result.out, result.err), (0, "SUMMARY: photofinish: no findings to confirm · in photofinish.run\n", ""), result)
        self.assertEqual(self.confirm("--finding", "F1").code, 64)
        app = self.compile("deadlocks.c")
        self.assertEqual(self.photofinish("check", "--overwrite", "--deadlock-timeout", "1", "-n", "3", app, "ssend").code, 66)
        result = self.confirm()
        self.assertIn("SUMMARY: photofinish: 1 deadlock occurred, which needs no confirmation: photofinish report photofinish.run shows it", result.out, result)
        self.assertEqual(result.code, 66, result)

    def test_buffering_dependence(self):
        self.write("head.c", "#include <mpi.h>\nint main(int c, char **v) { int r, x = 0, y; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);"
                             "MPI_Send(&x, 1, MPI_INT, 1 - r, 3, MPI_COMM_WORLD); MPI_Recv(&y, 1, MPI_INT, 1 - r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Finalize(); return 0; }\n")
        self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "head.c", "-o", "head").code, 0)
        result = self.photofinish("check", "-n", "2", "./head")
        self.assertEqual(result.code, 0, result)
        self.assertIn("  rank 0 waits in MPI_Send head.c:2 (tag 3) for rank 1\n", result.err, result)
        self.assertIn("SUMMARY: photofinish: no findings, but the run depends on send buffering · in photofinish.run\n", result.err, result)
        result = self.confirm("--runs", "1")
        self.assertEqual(result.code, 66, result)
        self.assertIn("SUMMARY: photofinish: buffering dependence confirmed: the program hangs if no send is buffered · in photofinish.run\n", result.out, result)
        self.assertIn("SUMMARY: photofinish: no findings, but the run deadlocks without send buffering (confirmed) · ", self.photofinish("report").out)

    def test_from_another_directory(self):
        self.predicted("say")
        os.mkdir(self.path("elsewhere"))
        result = cli_test.Run(cli_test.arguments.photofinish, "confirm", "--runs", "1", "../photofinish.run", cwd=self.path("elsewhere"))
        self.assertEqual(result.code, 66, result)
        self.assertIn("F1 confirmed, ", result.out, result)

    def test_the_command_that_repeats_an_order(self):
        self.predicted("say")
        result = self.confirm("--runs", "1", "-n", "4")
        self.assertRegex(result.out, r"repeat with(, may not succeed)?: photofinish confirm photofinish.run --finding F1 --order 1 -n 4\n", result)

    def launched(self, *words):
        """The line behind -- that starts it so."""
        return ["--", f"mpirun.{cli_test.arguments.mpi}", "-n", "3", *words]

    def test_no_end_at_all(self):
        app = self.predicted("say")
        result = self.photofinish("confirm", "--timeout", "6", "--runs", "1", "photofinish.run", *self.launched(app, "stay"))
        self.assertIn("F1 confirmed, same outcome", result.out, result)
        self.assertEqual(result.out.count(" first: no end after 6 s ×1\n"), 2, result)
        result = self.photofinish("confirm", "--timeout", "2", "--runs", "1", "photofinish.run", *self.launched(app, "never"))
        self.assertEqual(result.out.count(" first: not observed in 1 run; no end after 2 s\n"), 2, result)
        left = subprocess.run(["pgrep", "-f", self.path("crossing")], capture_output=True, text=True).stdout
        self.assertEqual(left, "")

    def test_places_that_are_not_there(self):
        self.predicted("say")
        other = self.compile("survive.c")
        result = self.photofinish("confirm", "--runs", "1", "photofinish.run", *self.launched(other, "well"))
        self.assertEqual(result.code, 0, result)
        self.assertIn("  Both access sites were reached 0 times.\n  The program never reached these sites: it is a different build, ", result.out, result)

    def test_by_messages_as_between_nodes(self):
        self.predicted("say")
        result = self.confirm("--message-rendezvous", "--runs", "1", "--ignore", "^process")
        self.assertIn("F1 confirmed, harmful", result.out, result)
        self.assertIn("    - got 7\n    + got 0\n", result.out, result)
        for order, got in (("1", "got 7"), ("2", "got 0")):
            again = self.confirm("--message-rendezvous", "--finding", "F1", "--order", order, "--runs", "1")
            self.assertIn(got, again.out.splitlines(), again)

    def test_several_findings_in_one_run(self):
        app = self.compile("pairs.c")
        self.assertEqual(self.photofinish("check", "-n", "7", app).code, 66)
        for more in ((), ("--message-rendezvous",)):
            result = self.confirm("--together", "--verbose", "--runs", "1", *more)
            self.assertEqual(result.out.count(" confirmed, same outcome: "), 3, result)
            self.assertEqual(result.out.count("    repeat with: photofinish confirm photofinish.run --finding F"), 6, result)
            self.assertEqual(result.err.count("mpirun"), 3, result)  # a control run, and each order once
        self.assertEqual(self.confirm("--verbose", "--runs", "1").err.count("mpirun"), 7)

    def test_several_findings_and_whose_doing_it_is(self):
        app = self.compile("pairs.c")
        self.assertEqual(self.photofinish("check", "-n", "7", app, "say").code, 66)
        # F1 may vary by itself in the runs of the others, which share no rank with it. One run of each order cannot show that.
        result = self.confirm("--together", "--runs", "2")
        self.assertRegex(result.out, r"F1 confirmed, harmful: one-sided race, put pairs.c:")
        for other in ("F2", "F3"):
            self.assertRegex(result.out, rf"(?m)^{other} confirmed, (same outcome|unstable): ", result)

    def test_another_race_is_held(self):
        """What ranks 1 and 3 got is added up, and the order of rank 3's race is a matter of chance."""
        app = self.compile("pairs.c")
        self.assertEqual(self.photofinish("check", "-n", "7", app, "sum").code, 66)
        result = self.confirm("--finding", "F1", "--runs", "1")
        self.assertRegex(result.out, r"^F1 confirmed, harmful: one-sided race, put pairs.c:\d+ and get pairs.c:\d+\n", result)
        self.assertRegex(result.out, r"(?s) first: sum (7|14) ×5\n.* first: sum (0|7) ×5\n", result)

    def test_what_cannot_be_tried(self):
        app = self.compile("../programs/messages/cancelled.c", name="cancelled")
        self.assertEqual(self.photofinish("check", "-n", "2", app).code, 66)
        result = self.confirm()
        self.assertIn("  Not tried: confirm does not support canceled receives\n", result.out, result)
        self.assertEqual(result.code, 0, result)

    def test_parts_of_buffers(self):
        if cli_test.arguments.mpi == "openmpi":
            self.skipTest("Open MPI 4 has no partitioned operations")
        app = self.compile("../programs/rma/buffer_partitioned.c", name="partitioned")
        self.assertEqual(self.photofinish("check", "-n", "2", app).code, 66)
        self.assertIn("  Not tried: MPI_Pready is a partitioned operation, ", self.confirm().out)


if __name__ == "__main__":
    cli_test.main()

"""photofinish analyze: by one process, by several, and with little memory, the report is the same.

  analyze_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import json
import os

import cli_test
from cli_test import Case, environment


class Analyze(Case):
    """By one process, by several, with little memory: the same report."""

    def record(self, program, *flags, ranks=4, puts="20000"):
        result = self.photofinish("check", "--offline", "-n", str(ranks), "-o", "a.run", program, puts, *flags)
        self.assertEqual(result.code, 0, result)

    def launcher(self, processes):
        return [f"mpirun.{cli_test.arguments.mpi}", "-n", str(processes)]

    def report_of(self, result):
        """What our report says: a launcher adds words of its own when the exit code is not 0."""
        lines = result.out.splitlines(keepends=True)
        begin = next((i for i, line in enumerate(lines) if line.startswith("==================\n")), 0)
        end = next((i for i, line in enumerate(lines) if line.startswith("SUMMARY: photofinish")), len(lines))
        return "".join(lines[begin:end + 1])

    def test_several_processes_and_little_memory(self):
        self.record(self.compile("no_cuts.c"))
        alone = self.photofinish("analyze", "a.run")
        self.assertEqual(alone.code, 66, alone)
        self.assertRegex(alone.out, r"Get of 8 bytes by rank 0 from rank 0.*\n(.*\n)*.*conflicts with put of 8 bytes by rank 1\n")
        os.unlink(self.path("a.run/analysis.findings"))
        before = sorted(os.listdir(self.path("a.run")))
        for words in [("-n", "3"), ("-n", "1"), ("-n", "50"), ("--memory", "1"), ("-n", "2", "--memory", "1")]:
            with self.subTest(words):
                result = self.photofinish("analyze", *words, "a.run")
                self.assertEqual((result.code, result.out, result.err), (66, alone.out, ""), result)
                os.unlink(self.path("a.run/analysis.findings"))
                self.assertEqual(sorted(os.listdir(self.path("a.run"))), before)
        for words in [(), ("--memory", "1")]:
            with self.subTest(("launcher", *words)):
                result = self.run_(*self.launcher(3), cli_test.arguments.photofinish, "analyze", *words, "a.run")
                self.assertEqual((result.code, self.report_of(result)), (66, alone.out), result)

    def test_more_processes_than_ranks(self):
        self.record(self.compile("no_cuts.c"), ranks=2, puts="10")
        alone = self.photofinish("analyze", "a.run")
        result = self.run_(*self.launcher(3), cli_test.arguments.photofinish, "analyze", "a.run")
        self.assertEqual((result.code, self.report_of(result)), (66, alone.out), result)

    def test_without_findings(self):
        app = self.compile("survive.c")
        self.assertEqual(self.photofinish("check", "--offline", "-n", "2", "-o", "a.run", app, "well").code, 0)
        for command in [(cli_test.arguments.photofinish, "analyze", "-n", "2", "a.run"), (*self.launcher(2), cli_test.arguments.photofinish, "analyze", "a.run")]:
            result = self.run_(*command)
            verdicts = "VERDICT: photofinish: deterministic: .*\nVERDICT: photofinish: independent of send buffering: .*\n"
            self.assertEqual(result.code, 0, result)
            self.assertRegex(result.out, f"^{verdicts}SUMMARY: photofinish: no findings · in a.run\n$", result)

    def test_bad_input(self):
        self.assertSays(self.photofinish("analyze", "-n", "3", "nowhere"), r"nowhere: No such file or directory", 64)
        self.assertSays(self.photofinish("analyze", "-n", "3", "."), r"not a photofinish run", 64)
        self.assertSays(self.photofinish("analyze", "-n", "0", "."), r"-n", 64)
        self.assertSays(self.photofinish("analyze", "--memory", "0", "."), r"memory takes megabytes", 64)
        self.assertSays(self.run_(*self.launcher(2), cli_test.arguments.photofinish, "analyze", "nowhere"), r"nowhere: No such file", 64)
        self.assertSays(self.run_(*self.launcher(2), cli_test.arguments.photofinish, "analyze", "-n", "2", "nowhere"), r"remove -n", 64)

    def test_damaged_trace(self):
        self.record(self.compile("no_cuts.c"), puts="10")
        self.write("a.run/rank-000002.trace", "nonsense" * 30)
        self.assertSays(self.photofinish("analyze", "a.run"), r"rank-000002\.trace", 70)
        self.assertSays(self.photofinish("analyze", "-n", "3", "a.run"), r"rank-000002\.trace", 70)

    def limitations(self, run):
        report = json.loads(self.photofinish("report", "--format", "json", run).out)
        limitations, complete = {one["kind"]: (one["ranks"], one["unexpected"]) for one in report["limitations"]}, report["summary"]["complete"]
        self.check_other_formats(run, limitations, complete)
        return limitations, complete

    def check_other_formats(self, run, limitations, complete):
        """SARIF and the page say the same as JSON."""
        invocation = json.loads(self.photofinish("report", "--format", "sarif", run).out)["runs"][0]["invocations"][0]
        self.assertEqual(invocation["properties"]["complete"], complete)
        told = {one["descriptor"]["id"]: one["level"] for one in invocation.get("toolExecutionNotifications", []) if "descriptor" in one}
        self.assertEqual(told, {kind: "warning" if unexpected else "note" for kind, (_, unexpected) in limitations.items()})
        self.photofinish("report", "--format", "html", "-o", "page.html", run)
        with open(self.path("page.html")) as file:
            self.assertEqual("not everything was checked" in file.read(), not complete)

    def test_truncated_trace(self):
        """Wherever it ends: no claim about the whole run, and an exit code that says so."""
        app = self.compile("survive.c")
        self.assertEqual(self.photofinish("check", "--offline", "-n", "2", "-o", "a.run", app, "well").code, 0)
        trace = self.path("a.run/rank-000001.trace")
        with open(trace, "rb") as file:
            whole = file.read()
        end = whole.rindex(b"PCHK")  # the last chunk says that the trace is complete
        for size in end, len(whole) - 1, end - 1, whole.rindex(b"PCHK", 0, end), whole.index(b"PCHK") + 50:
            with self.subTest(size), open(trace, "wb") as file:
                file.write(whole[:size])
                file.flush()
                result = self.photofinish("analyze", "a.run")
                self.assertEqual(result.code, 67, result)
                self.assertNotIn("VERDICT: photofinish: deterministic", result.out)
                self.assertNotIn("independent of send buffering", result.out)
                self.assertRegex(result.out, r"^NOTE: photofinish: the trace of rank 1 is damaged or truncated, .*rank-000001\.trace: ")
                self.assertRegex(result.out, r"\nSUMMARY: photofinish: no findings, but not everything was checked: the trace of rank 1 is damaged · in a.run\n$")
        self.assertEqual(self.limitations("a.run"), ({"damaged-trace": ([1], True)}, False))
        with open(trace, "wb") as file:
            file.write(whole)
        self.assertEqual(self.photofinish("analyze", "a.run").code, 0)
        self.assertEqual(self.limitations("a.run"), ({}, True))

    def test_what_is_missing_invents_no_race(self):
        """Puts in turn, by a token that goes through rank 1: without its events, nothing shows their order."""
        app = self.compile("token.c")
        self.assertEqual(self.photofinish("check", "--offline", "-n", "3", "-o", "a.run", app).code, 0)
        trace = self.path("a.run/rank-000001.trace")
        with open(trace, "rb") as file:
            whole = bytearray(file.read())
        self.assertEqual(self.photofinish("analyze", "a.run").code, 0)
        end = whole.rindex(b"PCHK")
        last = whole.rindex(b"PCHK", 0, end)
        flipped = bytearray(whole)
        flipped[(last + 40 + end) // 2] ^= 1
        for what, left in ("cut", whole[:last]), ("flipped", flipped), ("missing", None):
            with self.subTest(what):
                os.unlink(trace)
                if left is not None:
                    with open(trace, "wb") as file:
                        file.write(left)
                result = self.photofinish("analyze", "a.run")
                self.assertEqual(result.code, 67, result)
                self.assertIn("\nSUMMARY: photofinish: no findings, but ", result.out, result)

    def test_a_flipped_bit_and_a_missing_trace(self):
        app = self.compile("survive.c")
        self.assertEqual(self.photofinish("check", "--offline", "-n", "2", "-o", "a.run", app, "well").code, 0)
        trace = self.path("a.run/rank-000001.trace")
        with open(trace, "rb") as file:
            whole = bytearray(file.read())
        end = whole.rindex(b"PCHK")
        whole[(whole.rindex(b"PCHK", 0, end) + 40 + end) // 2] ^= 1  # in the last chunk of events
        with open(trace, "wb") as file:
            file.write(whole)
        for options, more in ("", ""), ("messages=0", " (messages not checked)"):
            result = self.photofinish("analyze", "a.run", env=environment(PHOTOFINISH_OPTIONS=options))
            self.assertEqual(result.code, 67, result)
            self.assertIn(f"the trace of rank 1 is damaged{more} · ", result.out, result)
        os.unlink(trace)
        result = self.photofinish("analyze", "a.run")
        self.assertEqual(result.code, 67, result)
        self.assertIn("SUMMARY: photofinish: no findings, but not everything was checked: rank 1 left no trace · ", result.out, result)
        self.assertEqual(self.limitations("a.run"), ({"missing-trace": ([1], True)}, False))
        self.photofinish("report", "--format", "sarif", "-o", "a.sarif", "a.run")
        for after in "a.run", "a.sarif":
            result = self.photofinish("diff", "a.run", after)
            self.assertEqual(result.code, 67, result)
            self.assertIn("0 gone, 0 unchanged, but not everything was checked · ", result.out, result)

    def test_threads(self):
        """The order of threads is followed; where it cannot be, the report says so."""
        app = self.compile("two_threads.c", "-pthread")
        result = self.photofinish("check", "--overwrite", "-n", "2", app)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"\nSUMMARY: photofinish: no findings · ", result)
        self.assertEqual(self.limitations("photofinish.run"), ({}, True))
        # An OpenMP runtime that tells nobody what it does.
        silent = self.compile("silent_runtime.c", "-pthread", "-rdynamic")
        result = self.photofinish("check", "--overwrite", "-n", "2", silent)
        self.assertRegex(result.err, r"\nNOTE: photofinish: rank 1 made MPI calls or accesses from more than one thread: .*ThreadSanitizer", result)
        self.assertRegex(result.err, r"\nSUMMARY: photofinish: no findings \(threads of a rank not told apart\) · ", result)
        self.assertEqual(self.limitations("photofinish.run"), ({"threads": ([1], False)}, True))
        alone = self.photofinish("check", "--overwrite", "-n", "1", app)
        self.assertNotIn("thread", alone.err, alone)

    def test_check_with_little_memory(self):
        app = self.compile("no_cuts.c")
        enough = self.photofinish("check", "-n", "3", "-o", "a.run", app, "20000")
        self.assertTrue(os.path.exists(self.path("a.run/rank-000000.findings")), enough)
        self.assertFalse(os.path.exists(self.path("a.run/analysis.findings")), enough)
        little = self.photofinish("check", "--memory", "1", "-n", "3", "-o", "b.run", app, "20000")
        self.assertEqual((enough.code, little.code), (66, 66), little)
        self.assertFalse(os.path.exists(self.path("b.run/rank-000000.findings")), little)
        self.assertTrue(os.path.exists(self.path("b.run/analysis.findings")), little)
        reports = [self.photofinish("report", run).out.replace(run, "RUN") for run in ["a.run", "b.run"]]
        self.assertEqual(*reports)


if __name__ == "__main__":
    cli_test.main()

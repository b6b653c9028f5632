#!/usr/bin/env python3
"""The test runner must not let a typo pass: what looks like an expectation is one, or an error."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent / "support"))
sys.path.insert(0, str(Path(__file__).parent))
from expectations import BadProgram, match_site, match_tokens, parse_program  # noqa: E402
from run_program import Failure, check_findings, check_ranks, expected_findings, parse_report  # noqa: E402

RACY = "// output: done\n// expect race: put @{a} get @{b}\n"
GOOD = "// run: ranks=2\n// output: done\n// expect rank 0: MPI_Send to=1\n"


def parse(text, suffix=".c"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"program{suffix}"
        path.write_text(text)
        return parse_program(path)


class Parsing(unittest.TestCase):
    def test_good(self):
        program = parse(GOOD + "// build: flags='-O2 -pthread' lib=a.c\n// expect not mpi=mpich rank 1-3: MPI_Recv\n")
        self.assertEqual((program.ranks, program.flags, program.libs), (2, ["-O2", "-pthread"], ["a.c"]))
        self.assertEqual(program.expectations[1].mpi, "mpich")
        self.assertTrue(program.expectations[1].negated)

    def test_prose_is_no_expectation(self):
        parse(GOOD + "// Both ranks run on, and what they print is expected.\n// runs\n// bundled\nint x;  // expected\n")

    def test_bad_lines(self):
        for line in ("// expct rank 0: MPI_Send", "//expect rank 0: MPI_Send", "//  expect rank 0: MPI_Send",
                     "/* expect rank 0: MPI_Send */", "// Expect rank 0: MPI_Send", "// expects rank 0: MPI_Send",
                     "// expect rank 0 MPI_Send", "// expect rank 0:", "// expect: MPI_Send", "// expect rank x: MPI_Send",
                     "// expect rnk 0: MPI_Send", "// expect count=x rank 0: MPI_Send", "// expect mpi=intel rank 0: MPI_Send",
                     "// expect distinct rank 0: $A", "// run: rank=2", "// run ranks=2", "// runs: ranks=2", "// Run: ranks=2",
                     "// run: exit=x", "// build: flag=-O2", "// outpt: done", "// output done", "// output:",
                     "! expect rank 0: MPI_Send"):
            with self.subTest(line), self.assertRaises(BadProgram):
                parse(GOOD + line + "\n")

    def test_nothing_expected(self):
        for text in ("int main() {}\n", "// output: done\n", "// expect rank 0: MPI_Send\n"):
            with self.subTest(text), self.assertRaises(BadProgram):
                parse(text)

    def test_races(self):
        program = parse(RACY + "// expect race: load @{a} accumulate @{c-d}\n// output buggy: oops\n")
        self.assertEqual([race.sides for race in program.races],
                         [[("put", "a"), ("get", "b")], [("load", "a"), ("accumulate", "c-d")]])
        self.assertEqual((program.outputs, program.outputs_buggy), ([(1, "done")], [(4, "oops")]))
        self.assertTrue(program.about_races)
        self.assertTrue(parse("// output: done\n// expect no race\n").about_races)
        self.assertFalse(parse(GOOD).about_races)

    def test_bad_races(self):
        for line in ("// expect race: put @{a}", "// expect race: put @{a} get @b", "// expect race: Put @{a} get @{b}",
                     "// expect race: put @{a} read @{b}", "// expect race put @{a} get @{b}", "// expect races: put @{a} get @{b}",
                     "// expect race: put @{a} get @{b} load @{c}", "// expect race:", "// expect race", "// expect no race: put",
                     "// expect no races", "// expect no race", "// expect rank 0: MPI_Put", "// run: exit=66",
                     "// output buggy", "// output buggy:", "// output bugy: oops", "//expect race: put @{a} get @{b}"):
            with self.subTest(line), self.assertRaises(BadProgram):
                parse(RACY + line + "\n")
        for text in ("// expect no race\n", "// output: a\n// expect no race\n// output buggy: b\n", GOOD + "// expect no race\n"):
            with self.subTest(text), self.assertRaises(BadProgram):
                parse(text)

    def test_fortran(self):
        text = GOOD.replace("//", "!")
        self.assertEqual(parse(text, ".f90").ranks, 2)
        with self.assertRaises(BadProgram):
            parse(text + "// expect rank 0: MPI_Send\n", ".f90")


class Matching(unittest.TestCase):
    TOKENS = "comm=MPI_COMM_WORLD to=1 tag=7 writes=0x10+4(1xMPI_INT) writes=0x18+8(2xMPI_INT) requests=[1;2]".split()

    def match(self, text, bound=None):
        return match_tokens(text.split(), self.TOKENS, bound or {}, {})

    def test_tokens(self):
        self.assertEqual(self.match("to=1 comm=*"), {})
        self.assertIsNone(self.match("to=2"))
        self.assertIsNone(self.match("to=1 to=1"))
        self.assertIsNone(self.match("to"))
        self.assertIsNone(self.match("tag=?"))
        self.assertEqual(self.match("requests=[1;2]"), {})
        self.assertIsNone(self.match("requests=[1]"))
        self.assertIsNone(self.match("!to=*"))
        self.assertEqual(self.match("!from=*"), {})

    def test_order_within_a_key(self):
        self.assertEqual(self.match("writes=*+4(*) writes=*+8(*)"), {})
        self.assertIsNone(self.match("writes=*+8(*) writes=*+4(*)"))

    def test_values(self):
        self.assertEqual(self.match("writes=$a+4(*)"), {"a": "0x10"})
        self.assertEqual(self.match("writes=$a+4(*) writes=${a+8}+8(*)"), {"a": "0x10"})
        self.assertIsNone(self.match("writes=$a+4(*) writes=${a+4}+8(*)"))
        self.assertIsNone(self.match("to=$x", {"x": "3"}))
        self.assertEqual(self.match("requests=[$x;$y]"), {"x": "1", "y": "2"})
        with self.assertRaises(BadProgram):
            self.match("writes=${unknown+8}+8(*)")

    def test_sites(self):
        frames = [{"function": "inner", "place": "a.c:3", "inlined": True},
                  {"function": "main", "place": "a.c:9", "inlined": False}]
        self.assertTrue(match_site("@inner(inlined)<main", frames, {}))
        self.assertTrue(match_site("@{here}<a.c:9", frames, {"here": "a.c:3"}))
        self.assertFalse(match_site("@inner<main(inlined)", frames, {}))
        self.assertFalse(match_site("@main", frames, {}))
        self.assertFalse(match_site("@inner<main<start", frames, {}))
        with self.assertRaises(BadProgram):
            match_site("@{there}", frames, {})


RULER = "==================\n"
SECOND = """  conflicts with load of 8 bytes by rank 0
    #0 residual solver.c:142:17
    #1 main solver.c:231:9
"""
FINDING = RULER + """WARNING: photofinish: one-sided race [F1] predicted · 1024 instances on ranks 0-3
  Put of 8 bytes by rank 2 into rank 0, window "halo" +0x40..0x48
    #0 exchange rows(int) src/solver.c:118:5 (inlined)
    #1 main src/solver.c:231:9
    epoch opened by MPI_Win_fence solver.c:117, open until MPI_Win_fence solver.c:130
""" + SECOND + """  The accesses are concurrent: the put is complete at the fence.
"""
SUMMARY = "SUMMARY: photofinish: 1 one-sided race · in /tmp/run\n"


MESSAGE_RACE = RULER + """WARNING: photofinish: message race [F1] predicted · 2 instances on ranks 0-2
  MPI_Recv by rank 0 from any source with tag 5, communicator "MPI_COMM_WORLD"
    #0 main farm.c:24:7
  got the message of rank 2, MPI_Send with tag 5
    #0 main farm.c:28:5
  could have got the message of rank 1, MPI_Send with tag 5
    #0 main farm.c:29:5
  The match depends on timing: it is so.
"""
STANDSTILL = RULER + """NOTE: photofinish: deadlock if sends are not buffered · 1 instance
  rank 0 waits in MPI_Send big_sends.c:18 for rank 1
    #0 main big_sends.c:18:3
"""


def findings_of(text):
    return parse_report(text)[0]


class Reports(unittest.TestCase):
    PAIR = (("load", "solver.c:142"), ("put", "solver.c:118"))

    def test_findings(self):
        self.assertEqual(findings_of(FINDING + RULER + SUMMARY), [self.PAIR])
        self.assertEqual(findings_of(FINDING + FINDING + SUMMARY.replace("1 one-sided race", "2 one-sided races")), [self.PAIR] * 2)
        buffer = FINDING.replace("one-sided", "buffer")
        self.assertEqual(findings_of(FINDING + buffer + buffer + SUMMARY.replace("race", "race, 2 buffer races")), [self.PAIR] * 3)
        self.assertEqual(findings_of("SUMMARY: photofinish: no findings · in /tmp/run\n"), [])

    def test_kinds(self):
        for words, kind in (("Put of 8 bytes by rank 2", "put"), ("Get of 1 byte by rank 2", "get"), ("Load of 8 bytes by rank 2", "load"),
                            ("Read of 8 bytes by MPI_Put of rank 2", "load"), ("Write of 8 bytes by MPI_Irecv of rank 2", "store"),
                            ("Accumulate (MPI_SUM) of 4 bytes by rank 2", "accumulate"), ("Store of 8 bytes by rank 2", "store"),
                            ("Fetch-and-op (MPI_NO_OP) of 4 bytes by rank 2", "accumulate"),
                            ("Get-accumulate (an operation of the program) of 4 bytes by rank 2", "accumulate"),
                            ("Compare-and-swap of 4 bytes by rank 2", "accumulate")):
            with self.subTest(words):
                found = findings_of(FINDING.replace("Put of 8 bytes by rank 2", words) + SUMMARY)
                self.assertEqual(found, [tuple(sorted([("load", "solver.c:142"), (kind, "solver.c:118")]))])
        for words in ("Pull of 8 bytes by rank 2", "Put of 8 bytes by MPI_Put of rank 2", "Read of 8 bytes by rank 2", "Put by rank 2",
                      "Put of eight bytes by rank 2"):
            with self.subTest(words), self.assertRaises(Failure):
                parse_report(FINDING.replace("Put of 8 bytes by rank 2", words) + SUMMARY)

    def test_what_else_is_said_is_no_side(self):
        more = "  The accesses are concurrent: the put is complete at the unlock of rank 2\n    #0 finish solver.c:300:1\n"
        self.assertEqual(findings_of(FINDING + more + SUMMARY), [self.PAIR])
        self.assertEqual(findings_of(FINDING.replace(SECOND, more + SECOND) + SUMMARY), [self.PAIR])

    def test_place_without_line(self):
        report = FINDING.replace("solver.c:142:17", "a.out+0x1a2b") + SUMMARY
        self.assertEqual(findings_of(report), [(("load", "a.out+0x1a2b"), ("put", "solver.c:118"))])

    def test_messages(self):
        verdicts = "VERDICT: photofinish: not deterministic: so\nVERDICT: photofinish: independent of send buffering: yes\n"
        summary = "SUMMARY: photofinish: 1 message race · in /tmp/run\n"
        self.assertEqual(parse_report(MESSAGE_RACE + STANDSTILL + RULER + verdicts + summary),
                         ([(("receive", "farm.c:24"), ("send", "farm.c:29"))], {"deterministic": False, "independent of send buffering": True}, ["predicted"]))
        program = parse("// output: x\n// expect message race always: probe @{a} send @{b} send @{c}\n// expect not independent of send buffering\n")
        self.assertEqual(program.races[0].sides, [("probe", "a"), ("send", "b"), ("send", "c")])
        self.assertTrue(program.two_forms and program.races[0].always)
        self.assertFalse(parse("// output: x\n// expect independent of send buffering\n").two_forms)

    def test_deadlocks(self):
        deadlock = STANDSTILL.replace("NOTE: photofinish: deadlock if sends are not buffered · 1 instance", "WARNING: photofinish: deadlock on ranks 0-1: these calls cannot return")
        summary = "SUMMARY: photofinish: 1 deadlock · in /tmp/run\n"
        self.assertEqual(parse_report(deadlock + RULER + summary), ([], {"deadlock": True}, []))
        self.assertEqual(parse_report(FINDING + deadlock + RULER + SUMMARY.replace("race", "race, 1 deadlock"))[:2], ([self.PAIR], {"deadlock": True}))
        program = parse("// output: x\n// expect deadlock\n// expect report buggy: Try: *\n")
        self.assertTrue(program.deadlock and program.two_forms and program.about_races)
        for text in ("// expect deadlocks\n", "// expect deadlock: a\n", "// expect deadlock\n// expect no race\n"):
            with self.subTest(text), self.assertRaises(BadProgram):
                parse("// output: x\n" + text)

    def test_not_understood_is_not_no_race(self):
        for text in ("", "\n", "nothing found\n", FINDING, FINDING + SUMMARY.replace("1 one-sided race", "2 one-sided races"),
                     FINDING + SUMMARY.replace("1 one-sided race", "no findings"), SUMMARY, FINDING + SUMMARY.replace("1", "some"),
                     FINDING + SUMMARY + FINDING, FINDING + SUMMARY + SUMMARY, "photofinish: error\n" + FINDING + SUMMARY,
                     FINDING + "NOTE: photofinish: rank 3 left no findings\n" + SUMMARY, FINDING + "SUMMARY: photofinish: nothing\n",
                     FINDING + SUMMARY.replace("1 one-sided race", "1 one-sided race, the first 1 shown"),
                     FINDING.replace(SECOND, "") + SUMMARY, FINDING + SECOND + SUMMARY,
                     FINDING.replace("conflicts with load of", "Load of") + SUMMARY,
                     FINDING.replace("  Put of 8 bytes by", "  conflicts with put of 8 bytes by") + SUMMARY,
                     FINDING.replace("WARNING", "Warning") + SUMMARY, FINDING.replace("one-sided", "other") + SUMMARY,
                     FINDING.replace("    #0 residual solver.c:142:17\n", "") + SUMMARY,
                     FINDING.replace("    #0 residual solver.c:142:17\n    #1 main solver.c:231:9\n", "    (no stack)\n") + SUMMARY):
            with self.subTest(text), self.assertRaises(Failure):
                parse_report(text)

    def test_comparison(self):
        marks = {"a": "solver.c:142", "b": "solver.c:118", "c": "solver.c:9"}
        races = parse("// output: x\n// expect race: put @{b} load @{a}\n").races
        wanted = expected_findings(races, marks)
        check_findings([self.PAIR], wanted, marks)
        for found in ([], [self.PAIR] * 2, [(("load", "solver.c:142"), ("put", "solver.c:119"))],
                      [(("load", "solver.c:118"), ("put", "solver.c:142"))], [(("get", "solver.c:142"), ("put", "solver.c:118"))],
                      [self.PAIR, (("load", "solver.c:9"), ("put", "solver.c:118"))]):
            with self.subTest(found), self.assertRaises(Failure):
                check_findings(found, wanted, marks)
        with self.assertRaises(BadProgram):
            expected_findings(races, {"a": "solver.c:142"})

    def test_ranks(self):
        dump = "".join(f"== rank {rank} of 2 on vm (pid 7, Open MPI v4.1.4): exit 0\n" for rank in range(2))
        check_ranks(dump, 2)
        for text, size in (("", 2), (dump, 3), (dump.replace("exit 0\n", "signal 11\n", 1), 2)):
            with self.subTest(text), self.assertRaises(Failure):
                check_ranks(text, size)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The test runner must not let a typo pass: what looks like an expectation is one, or an error."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent / "support"))
from expectations import BadProgram, match_site, match_tokens, parse_program  # noqa: E402

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


if __name__ == "__main__":
    unittest.main()

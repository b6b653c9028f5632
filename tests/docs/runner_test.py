"""The runner of the docs, on pages that are wrong in each way: it must notice."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blocks import blocks_of  # noqa: E402
from compare import difference  # noqa: E402


class Blocks(unittest.TestCase):
    def test_commands_and_what_they_print(self):
        (block,) = blocks_of("p.md", "text\n```console\n$ one \\\n  more\na\nb\n$ two\n```\n")
        self.assertEqual(block.sessions(), [("one \\\n  more", ["a", "b"]), ("two", [])])
        self.assertEqual(block.where(), "p.md:2")

    def test_lines_of_commands(self):
        (block,) = blocks_of("p.md", "```sh\n# a comment\none 'x#y'   # what it does\n\ntwo\n```\n")
        self.assertEqual(block.lines_of_commands(), ["one 'x#y'", "two"])

    def test_notes(self):
        (block,) = blocks_of("p.md", '<!-- run: exit=66 varies="got [07]" -->\n```console\n$ x\n```')
        self.assertEqual(block.notes, {"exit": "66", "varies": "got [07]"})

    def test_mistakes(self):
        for text in ("<!-- run: exits=1 -->\n```sh\nx\n```", "<!-- run: exit=1 -->\ntext\n```sh\nx\n```", "```sh\nx\n"):
            with self.assertRaises(ValueError, msg=text):
                blocks_of("p.md", text)
        with self.assertRaises(ValueError):
            blocks_of("p.md", "```console\nno command\n```")[0].sessions()


class Compare(unittest.TestCase):
    def same(self, shown, printed, varies=None):
        self.assertIsNone(difference(shown.split("\n"), printed.split("\n"), varies))

    def other(self, shown, printed, varies=None):
        self.assertIsNotNone(difference(shown.split("\n"), printed.split("\n"), varies))

    def test_plain(self):
        self.same("a\nb", "a\nb\n")
        self.other("a\nb", "a")
        self.other("a", "a\nb")
        self.other("a", "b")
        self.other("", "b")

    def test_measures(self):
        self.same("9.5 kB in x", "12.0 MB in x")
        self.same("at 0xffff1234..0xffff1238", "at 0xaaaabbbb..0xaaaabbbf")
        self.other("+0x0..0x4", "+0x0..0x8")
        self.other("3 of 3 ranks", "2 of 3 ranks")

    def test_left_out(self):
        self.same("a\n…\nd", "a\nb\nc\nd")
        self.same("a\n…", "a")
        self.same("a … c", "a b c")
        self.other("a\n…\nd", "a\nb\nc")
        self.other("a … c", "a b d")

    def test_varies(self):
        self.same("got 0\nend", "got 7\nend", "got [07]")
        self.same("got 0\nend", "end", "got [07]")
        self.same("got 0\nend", "end\ngot 7", "got [07]")
        self.other("got 0\nend", "got 3\nend", "got [07]")
        self.other("got 0 there", "got 0 there", "got [07]")


if __name__ == "__main__":
    unittest.main()

"""Checks that terms which the project has dropped (docs/glossary.md has the current ones) do not return.

  language_test.py [--root DIR] [FILE…]

In Markdown only prose is checked: fenced blocks show the output of the tool, and docs_test.py compares them with it. In C, C++ and Fortran only comments and
string literals are checked. To check more files, add a pattern to CHECKED, for example "src/**/*.h".
"""
import argparse
import glob
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Patterns of files, relative to the root.
CHECKED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md",
           "examples/**/*.c", "examples/**/*.h", "examples/**/*.f90", "include/**/*.h", "bench/**/*.c", "bench/**/*.cpp", "bench/**/*.h",
           "tests/unit/**/*.cpp", "tests/unit/**/*.h", "tests/programs/**/*.c", "tests/programs/**/*.cpp", "tests/programs/**/*.h",
           "tests/programs/**/*.f90", "tests/advice/**/*.c", "tests/support/**/*.c"]
CHECKED += [f"src/{folder}/**/*.{ending}" for folder in ("base", "cli", "compiler", "doctor", "launch", "manual", "options", "report", "symbols")
            for ending in ("h", "cpp", "def")]
# Comments that are not rewritten yet.
SKIPPED = []
# String literals that keep a dropped term: input and output of tests, and one remark of the pass.
LITERALS = {("bench/micro/message_races.cpp", "neighbours"), ("src/compiler/gathers.cpp", "come to its end"),
            ("tests/programs/mpi/neighbours.c", "neighbours"), ("tests/programs/mpi/topologies.c", "neighbours"),
            ("tests/programs/replay/collectives.c", "neighbours"), ("tests/unit/cli/report_test.cpp", "colour"),
            ("tests/unit/detect/agreement_test.cpp", "each cut"), ("tests/unit/detect/agreement_test.cpp", "a cut"),
            ("tests/unit/detect/cases_order.cpp", "neighbours"), ("tests/unit/detect/cases_order.cpp", "looked at"),
            ("tests/unit/detect/cases_order.cpp", "in flight"), ("tests/unit/detect/limits_test.cpp", "a cut"),
            ("tests/unit/detect/oracle_atomics.cpp", "a cut"), ("tests/unit/messages/log_test.cpp", "on its way"),
            ("tests/unit/options/options_test.cpp", "colour"), ("tests/unit/runtime/reach_test.cpp", "in flight")}

# (pattern, what to write instead); patterns are searched for in lower case, with any white space between words.
DROPPED = [
    (r"(comes?|came|coming) to (its|their|an?|the|one) (ends?|sides?|standstill)", "completes; reaches an access site; deadlocks"),
    (r"(was|were|is|are) come to", "reached"),
    (r"(tells?|told|telling) of", "reports, shows"),
    (r"(is|are|was|were) told", "is reported, is shown"),
    (r"(goes|went|gone) another way", "diverges"),
    (r"departures? of a replay", "replay divergence"),
    (r"standstills?", "deadlock"),
    (r"bystanders?", "threads that make no MPI calls"),
    (r"nothing orders?", "the accesses are concurrent"),
    (r"(keeps?|kept|keeping) (them|the two|two|each other) apart", "protected by a common lock"),
    (r"kinds that may (not )?meet", "conflicting accesses"),
    (r"puts? off", "deferred"),
    (r"look(s|ed|ing)? at", "checks, analyzes, reads"),
    (r"(comes?|came|becomes?|became) of (it|them|the)", "result, outcome"),
    (r"next to (nothing|no)", "give the number"),
    (r"some (hundreds?|thousands?|twenty|megabytes)", "give the number"),
    (r"in flight", "pending"),
    (r"on its way", "pending, sent"),
    (r"(not )?repeatable", "deterministic"),
    (r"(not )?portable", "independent of send buffering, buffering dependence"),
    (r"(give|gives|gave|given) each other", "messages inside the group"),
    (r"time round", "iteration"),
    (r"(is|are|was|were) not on record", "is not recorded"),
    (r"(the|a|each|every|two|all|these|such) (cuts?|slices?|parcels?|letters?|boards?|deeds?|offers?)",
     "sync point, phase, batch, message, rendezvous table, access record, shared payload"),
    (r"((synchroni|optimi|initiali|normali|recogni|vectori|factori)s(e|es|ed|ing|ation|ations)|analys(e|ed|ing)|neighbours?|behaviour|colours?)", "US spelling"),
]
# Where a pattern means something else.
ALLOWED = re.compile(r"a slice for each call|same_initialisation")


def prose(text):
    """The text of a page without fenced blocks, inline code and targets of links; lines stay where they are."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.S | re.M)
    text = re.sub(r"`[^`\n]*`", "", text)
    return re.sub(r"\]\([^)\s]*\)", "]", text)


def comments(text, name):
    """The comments and string literals of a source file; lines stay where they are."""
    literal = r'"(?:\\.|[^"\\\n])*"'
    comment = r"![^\n]*" if name.endswith(".f90") else r"//[^\n]*|/\*.*?\*/"
    kept, at = [], 0
    for match in re.finditer(f"{literal}|{comment}", text, flags=re.S):
        kept += [" ", "\n" * text.count("\n", at, match.start()), re.sub(r"^[ \t]*(//+|\*|!)", "", match.group(0).strip('"/*!'), flags=re.M)]
        at = match.end()
    return "".join(kept)


def words_of(name, text):
    if name.endswith(".md"):
        return prose(text)
    return comments(text, name) if name.endswith((".c", ".h", ".cpp", ".def", ".f90")) else text


def found_in(text, name="page.md"):
    """(line, words, what to write instead) for each dropped term."""
    text = ALLOWED.sub("", words_of(name, text)).lower()
    return sorted((text.count("\n", 0, match.start()) + 1, " ".join(match.group(0).split()), instead)
                  for pattern, instead in DROPPED for match in re.finditer(r"\b" + pattern.replace(" ", r"\s+") + r"\b", text))


def files(root):
    names = {name for pattern in CHECKED for name in glob.glob(pattern, root_dir=root, recursive=True)}
    return sorted(names - set(SKIPPED))


class Words(unittest.TestCase):
    def test_dropped(self):
        for text in ("Its sides were come to twice.", "It came\nto a standstill.", "Nothing orders them.", "It is portable.", "a replay that went another way",
                     "They are synchronised.", "the cut", "They were looked at."):
            self.assertTrue(found_in(text), text)

    def test_fine(self):
        for text in ("The run is deterministic.", "`not repeatable`", "```\nNothing orders them\n```", "[Buffering](findings/portable.md)", "A shared payload.", "a look into it"):
            self.assertEqual(found_in(text), [], text)

    def test_line(self):
        self.assertEqual(found_in("```\nx\n```\na standstill")[0][:2], (4, "standstill"))

    def test_sources(self):
        source = 'int offers;  // fine\n/* comes to a\n * standstill */\nprint("nothing orders \\" them");\n// nothing\n// orders\nint standstill;\n'
        self.assertEqual([(line, words) for line, words, _ in found_in(source, "a.cpp")],
                         [(2, "comes to a standstill"), (3, "standstill"), (4, "nothing orders"), (5, "nothing orders")])
        self.assertEqual([line for line, _, _ in found_in("x = 1 ! a\ncall cut() ! a standstill\n", "a.f90")], [2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=ROOT)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    result = unittest.TextTestRunner(stream=open(os.devnull, "w")).run(unittest.defaultTestLoader.loadTestsFromTestCase(Words))
    for _, trace in result.failures + result.errors:
        print(trace)
    wrong = 0 if result.wasSuccessful() else 1
    checked = arguments.files or files(arguments.root)
    if not arguments.files and len(checked) < 20:
        print(f"only {len(checked)} files found under {arguments.root}")
        wrong += 1
    for name in checked:
        with open(os.path.join(arguments.root, name)) as file:
            for line, words, instead in found_in(file.read(), name):
                if (name, words) in LITERALS:
                    continue
                print(f"{name}:{line}: '{words}': write {instead}")
                wrong += 1
    print(f"{len(checked)} files checked, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

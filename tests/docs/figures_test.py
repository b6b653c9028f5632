#!/usr/bin/env python3
"""The measured figures in README.md and docs/ are those of bench/figures.json, which the benchmarks write.

  figures_test.py [--update]

CELLS has each figure once: its page, the first cell of its row, the heading of its column, and what the data file says. A page's cell that differs is an
error; with --update it is written instead. SENTENCES is the same for figures in prose. A table of these pages with a figure that is not listed is an error, too.
"""
import argparse
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import figures  # noqa: E402

STENCILS = ("halo_fence", "halo_pscw", "halo_lock_all")
CALLS = {"halo exchange, fence": "halo_fence", "halo exchange, post/start/complete/wait": "halo_pscw", "halo exchange, lock_all + flush": "halo_lock_all",
         "halo exchange, messages": "halo_messages", "random updates with accumulate": "guppie", "distributed hash table": "hash_table",
         "task farm, empty tasks": "task_farm"}
MEAN = "geometric mean"  # of what was measured, before rounding
MPIS = {"Open MPI": "openmpi", "MPICH": "mpich"}
FIGURE = re.compile(r"\d+\.\d+|\d+ ?(?:ns|ms|s|MB|×)|\d+ of \d+")


def span(values, digits=2):
    return f"{min(values):.{digits}f}–{max(values):.{digits}f}"


def cells(tables):
    """(page, row, column): text."""
    loads, recording = tables["loads and stores"], tables["recording"]

    def column(name, apps=None):
        return [row[name] for app, row in loads.items() if (app in apps if apps else app != MEAN)]

    def mean(name):
        return loads[MEAN][name]

    told = {
        ("README.md", "run time, geometric mean (relative to the bare program)", "Photofinish"): f"{mean('full'):.2f} ×",
        ("README.md", "run time, geometric mean (relative to the bare program)", "ThreadSanitizer"): f"{mean('TSan'):.1f} ×",
        ("README.md", "run time, stencils", "Photofinish"): f"{span(column('full', STENCILS))} ×",
        ("README.md", "run time, stencils", "ThreadSanitizer"): f"{span(column('TSan', STENCILS), 0)} ×",
        ("README.md", "memory, geometric mean", "Photofinish"): f"{mean('full, memory'):.2f} ×",
        ("README.md", "memory, geometric mean", "ThreadSanitizer"): f"{mean('TSan, memory'):.1f} ×",
    }
    for heading, time, memory in (("ThreadSanitizer", "TSan", "TSan, memory"), ("Photofinish, all loads and stores", "full", "full, memory")):
        told["docs/comparison.md", "slowdown of the main loop, range", heading] = f"{span(column(time))} ×"
        told["docs/comparison.md", "geometric mean", heading] = f"{mean(time):.2f} ×"
        told["docs/comparison.md", "memory, geometric mean", heading] = f"{mean(memory):.2f} ×"
    page = "docs/performance.md"
    for row, name in (("built with `pfmpicc`, without the tool", "built"), ("MPI calls only", "calls only"), ("all loads and stores", "full"),
                      ("`--budget=1.1x`", "sampled"), ("memory, all loads and stores", "full, memory")):
        told[page, row, "range"] = span(column(name))
        told[page, row, "geometric mean"] = f"{mean(name):.2f}"
    for row, app in CALLS.items():
        for heading, mpi in MPIS.items():
            for ranks in (4, 16):
                told[page, row, f"{heading}, {ranks} ranks"] = f"{tables['calls'][app][f'{mpi}, {ranks} ranks']:.2f}"
    for heading, mpi in MPIS.items():
        added = tables["added to a call"][mpi]
        told[page, "added to a call (put, get, isend, irecv, wait, fence, barrier)", heading] = f"{added['low ns']:.0f}–{added['high ns']:.0f} ns"
        told[page, "8-byte ping-pong", heading] = f"{added['ping-pong']:.2f} ×"
        told[page, "added to the start of 4 ranks", heading] = f"{added['start ms']:.0f} ms"
        told[page, "trace size per event, halo exchange", heading] = f"{added['bytes per event']:.1f} byte"
        told[page, "main loop of a confirming run, ten programs, geometric mean", heading] = f"{tables['confirming run'][mpi]['mean']:.2f} ×"
        confirmed = tables["confirmed"][mpi]
        told[page, "feasible races confirmed, [example programs](../examples/races/README.md), 50 attempts each", heading] = \
            f"{confirmed['feasible']} of {confirmed['attempts']}"
        told[page, "infeasible races confirmed", heading] = f"{confirmed['infeasible']} of {confirmed['attempts']}"
    for row, memory in (("unlimited", "100000"), ("256 (default)", "256"), ("32", "32"), ("4", "4")):
        told[page, row, "processor time"] = f"{tables['analyze'][memory]['seconds']:.1f} s"
        told[page, row, "memory"] = f"{tables['analyze'][memory]['MB']:.0f} MB"
    for group in ("1", "4", "16"):
        told[page, f"{group} of 16", "range"] = span([row[group] for app, row in recording.items() if app != MEAN])
    return told


def sentences(tables):
    """(page, pattern with one group): text of the group."""
    replays, frames = tables["replays"]["all"], tables["frames"]
    return {
        ("docs/performance.md", r"This changes the machine code of (\d+ of \d+) programs\."): f"{frames['applications']['changed']} of {frames['applications']['all']}",
        ("docs/performance.md", r" It adds (\S+ ns) to a call through such a function "): f"{frames['frame']['ns']:.1f} ns",
        ("docs/performance.md", r"The geometric mean over groups of 1 to 16 ranks is (\S+)\. "): f"{tables['recording'][MEAN]['all groups']:.2f}",
        ("docs/performance.md", r" (All of \d+|\d+ of \d+) replays printed what"):
            f"All of {replays['replays']}" if replays["as recorded"] == replays["replays"] else f"{replays['as recorded']} of {replays['replays']}",
    }


def table_cells(text):
    """(line, row, column, cell) of all tables outside of fenced blocks."""
    heading, fenced = None, False
    for number, line in enumerate(text.splitlines()):
        fenced ^= line.startswith("```")
        if fenced or not line.startswith("|"):
            heading = None
            continue
        row = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if heading is None:
            heading = row
        elif not set(line) <= set("|-: "):
            yield from ((number, row[0], column, cell) for column, cell in zip(heading[1:], row[1:]))


def differences(page, text, told):
    """Lines about what differs, and the text as it should be."""
    lines, wrong, seen = text.splitlines(keepends=True), [], set()
    for number, row, column, cell in table_cells(text):
        wanted = told.get((page, row, column))
        if wanted is None:
            if FIGURE.search(cell) and page == "docs/performance.md":
                wrong.append(f"{page}:{number + 1}: the figure {cell!r} ({row}, {column}) is not in bench/figures.json")
            continue
        seen.add((page, row, column))
        if cell != wanted:
            wrong.append(f"{page}:{number + 1}: {row}, {column}: {cell!r}, and bench/figures.json says {wanted!r}")
            lines[number] = lines[number].replace(f"| {cell} |", f"| {wanted} |", 1)
    wrong += [f"{page}: no cell {row!r}, {column!r}" for _, row, column in sorted(key for key in told if key[0] == page and key not in seen)]
    return wrong, "".join(lines)


def check(update):
    tables = figures.read()["tables"]
    told, prose = cells(tables), sentences(tables)
    wrong = []
    for page in sorted({page for page, *_ in [*told, *prose]}):
        path = ROOT / page
        here, text = differences(page, path.read_text(), told)
        for (of, pattern), wanted in prose.items():
            if of != page:
                continue
            found = re.search(pattern, text)
            if not found:
                here.append(f"{page}: no sentence like {pattern!r}")
            elif found[1] != wanted:
                here.append(f"{page}: {found[0]!r}, and bench/figures.json says {wanted!r}")
                text = text[:found.start(1)] + wanted + text[found.end(1):]
        wrong += here
        if update:
            path.write_text(text)
    for line in wrong:
        print(line)
    print(f"{len(told) + len(prose)} figures checked, {len(wrong)} {'written or ' if update else ''}wrong")
    return bool(wrong)


class Differences(unittest.TestCase):
    PAGE = "| | A | B |\n|---|---|---|\n| time | 1.2 s | 3.4 s |\n\n```\n| time | 9 s |\n```\n"

    def test_same(self):
        self.assertEqual(differences("p.md", self.PAGE, {("p.md", "time", "A"): "1.2 s", ("p.md", "time", "B"): "3.4 s"}), ([], self.PAGE))

    def test_other_value(self):
        wrong, text = differences("p.md", self.PAGE, {("p.md", "time", "B"): "3.5 s"})
        self.assertEqual(len(wrong), 1)
        self.assertEqual(text, self.PAGE.replace("3.4 s", "3.5 s"))

    def test_missing_row(self):
        self.assertEqual(len(differences("p.md", self.PAGE, {("p.md", "size", "A"): "1"})[0]), 1)

    def test_unlisted_figure(self):
        page = "docs/performance.md"
        self.assertEqual(len(differences(page, self.PAGE, {(page, "time", "A"): "1.2 s"})[0]), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true", help="write the figures into the pages")
    arguments = parser.parse_args()
    good = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Differences)).wasSuccessful()
    sys.exit(1 if check(arguments.update) or not good else 0)

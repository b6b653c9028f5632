#!/usr/bin/env python3
"""photofinish check finds the races that the coarray programs declare, at their lines, and no others: once as they are, once with
-DFIXED, where they have none.

A comment `! race 1 3` names the races that the line is part of. A race is a pair of lines, or twice the same line.
A comment `! try: TEXT` is a part of the advice for one of the races. -DFIXED applies it.

  check_test.py --photofinish PATH --pfcaf PATH --mpi openmpi|mpich [--times 1] [NAMES...]
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import caf_tool

sys.path.insert(0, os.path.join(os.path.dirname(caf_tool.HERE), "support"))
from advice import missing_advice  # noqa: E402

MARKER = re.compile(r"! race ([\d ]+)$")
IMAGES = 3


def lines_of_races(source):
    """The pair of lines of each race."""
    lines = {}
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if marker := MARKER.search(line.rstrip()):
                for race in marker.group(1).split():
                    lines.setdefault(race, []).append(number)
    assert all(len(pair) <= 2 for pair in lines.values()), f"{source}: a race has more than two lines: {lines}"
    return {race: tuple(pair) if len(pair) == 2 else (pair[0], pair[0]) for race, pair in lines.items()}


def declared_races(source):
    return sorted(set(lines_of_races(source).values()))


def found_races(report, name):
    """The lines of both sides of each finding; and findings that read the same."""
    pairs, seen, twice = set(), set(), []
    for finding in report.split("WARNING: photofinish: ")[1:]:
        lines = tuple(sorted(int(number) for number in re.findall(rf"#0 .*{re.escape(name)}:(\d+)", finding)))
        pairs.add(lines)
        accesses = re.findall(r"(?mi)^  (?:conflicts with )?(read|write|atomic|atomic read) of", finding)
        sides = tuple(sorted(a.lower() + "".join(re.findall(r"(?m)^ +#\d+ .*$", side))
                             for a, side in zip(accesses, finding.split("conflicts with", 1))))
        twice += [lines] if sides in seen else []
        seen.add(sides)
    return sorted(pairs), twice


def check(arguments, source, flags, directory):
    """Why the program fails; None: it does not."""
    binary = os.path.join(directory, "program")
    code, said = caf_tool.build(arguments, source, binary, *flags)
    if code != 0 or "photofinish:" in said:
        return f"does not compile, or not without notes:\n{said}"
    expected = [] if flags else declared_races(source)
    if not flags and not expected:
        return "declares no races"
    for _ in range(arguments.times):
        done = caf_tool.photofinish(arguments, directory, "check", "--overwrite", "-n", str(IMAGES), "-o", "run", binary)
        said = done.stdout + done.stderr
        found, twice = found_races(said, os.path.basename(source))
        if twice:
            return f"found {twice} twice:\n{said}"
        if done.returncode != (66 if expected else 0) or found != expected or (not expected and "no findings" not in said):
            return f"exit code {done.returncode}, found {found} instead of {expected}:\n{said}"
        if missing := missing_advice(source, said) if expected else []:
            return f"no advice {missing}:\n{said}"
        if "done" not in done.stdout:
            return f"the program did not come to its end:\n{said}"
        findings = re.sub(r"(?m)^ +\d+ \|.*$|^ +#\d+ .*$", "", said.partition("==================")[2])  # without the program's own text
        if re.search(r"\b(ranks?|PEs?|window|put|get|store|load|MPI_\w+)\b", findings):
            return f"a finding has words of MPI:\n{said}"
    return None


def main():
    parser = caf_tool.parser(__doc__)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="programs at the same time")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    folder = os.path.join(caf_tool.HERE, "races")
    names = arguments.names or sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".f90"))
    builds = [(name, flags) for name in names for flags in ([], ["-DFIXED"])]

    def run(build):
        name, flags = build
        with tempfile.TemporaryDirectory() as directory:
            try:
                return check(arguments, os.path.join(folder, name + ".f90"), flags, directory)
            except subprocess.TimeoutExpired as error:
                return f"takes too long: {error}"

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        problems = list(pool.map(run, builds))
    for (name, flags), problem in zip(builds, problems):
        if problem:
            print(f"{name} {' '.join(flags)}: {problem}")
    wrong = sum(problem is not None for problem in problems)
    print(f"{len(builds)} programs: {wrong} wrong")
    return 1 if wrong or not builds else 0


if __name__ == "__main__":
    sys.exit(main())

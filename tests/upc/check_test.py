#!/usr/bin/env python3
"""photofinish check finds the races that the programs declare, at their lines, and no others. A race is one finding, or one for each
pair of call stacks, whether its accesses were local or remote.

A comment `// race 1 3` names the races that the line is part of. A race is a pair of lines, or twice the same line. `// race[FT24] 4`
counts if the program is built with -DFT24, and others then do not. A comment `// try: TEXT` is a part of the advice for one of the
races. -DFIXED applies it.

  check_test.py --photofinish PATH --pfupcc PATH --mpi openmpi|mpich [--papers] [--times 1] [NAMES...]
"""
import os
import re
import subprocess
import sys
import tempfile

import upc_tool

sys.path.insert(0, os.path.join(os.path.dirname(upc_tool.HERE), "support"))
from advice import missing_advice  # noqa: E402

# Builds of each program: flags, and whether its races are there.
BOTH = [([], True), (["-DFIXED"], False)]
RACES = {f"races/{name[:-4]}": BOTH for name in sorted(os.listdir(os.path.join(upc_tool.HERE, "races"))) if name.endswith(".upc")}
CASES = {f"cases/{name}": [([], False)] for name in ["copies", "heap", "locks", "strict", "collectives"]}
PAPERS = {
    "kernels/guppie": [([], True)],
    "kernels/knapsack": BOTH,
    "kernels/laplace": [(["-lm"], False)],
    "kernels/mcop": [([], False)],
    "kernels/psearch": [([], True)],
    "kernels/ft": [(["-lm"], True), (["-DFT24", "-lm"], True), (["-DFIXED", "-lm"], False)],
    "kernels/mg": [(["-lm"], True), (["-DFIXED", "-lm"], False)],
    "kernels/cg": [(["-lm"], True), (["-DFIXED", "-lm"], False)],
    "kernels/ep": [([], False)],
    "kernels/is": [([], False)],
    "kernels/lu": [([], False)],
    "kernels/bt": BOTH,
}
MARKER = re.compile(r"// race(?:\[(\w+)\])? ([\d ]+)$")


def lines_of_races(source, flags):
    """The pair of lines of each race."""
    lines = {}
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if marker := MARKER.search(line.rstrip()):
                condition = f"-D{marker.group(1)}" if marker.group(1) else None
                if (condition in flags) if condition else not any(flag.startswith("-D") for flag in flags):
                    for race in marker.group(2).split():
                        lines.setdefault(race, []).append(number)
    assert all(len(pair) <= 2 for pair in lines.values()), f"{source}: a race has more than two lines: {lines}"
    return {race: tuple(pair) if len(pair) == 2 else (pair[0], pair[0]) for race, pair in lines.items()}


def declared_races(source, flags):
    return sorted(lines_of_races(source, flags).values())


def found_races(report, name):
    """The lines of both sides of each finding; and findings that read the same."""
    pairs, stacks, twice = set(), set(), []
    for finding in report.split("WARNING: photofinish: ")[1:]:
        lines = [int(number) for number in re.findall(rf"#0 .*{re.escape(name)}:(\d+)", finding)]
        pairs.add(tuple(sorted(lines)))
        sides = tuple(sorted("".join(re.findall(r"(?m)^ +#\d+ .*$", side)) for side in finding.split("conflicts with", 1)))
        twice += [tuple(sorted(lines))] if sides in stacks else []
        stacks.add(sides)
    return sorted(pairs), twice


def check(arguments, program, flags, races, directory):
    source = os.path.join(upc_tool.HERE, program + ".upc")
    binary = os.path.join(directory, "program")
    code, said = upc_tool.build(arguments, source, binary, "-O1", *flags)
    if code != 0:
        return f"does not compile:\n{said}"
    expected = declared_races(source, flags) if races else []
    if races and not expected:
        return "declares no races"
    for _ in range(arguments.times):
        done = subprocess.run([arguments.photofinish, "check", "--overwrite", "-n", "3", "-o", os.path.join(directory, "run"), binary], capture_output=True,
                              text=True, timeout=300, env=upc_tool.environment(arguments))
        said = done.stdout + done.stderr
        found, twice = found_races(said, os.path.basename(source))
        if twice:
            return f"found {twice} twice:\n{said}"
        if done.returncode != (66 if expected else 0) or found != expected or (not expected and "no findings" not in said):
            return f"exit code {done.returncode}, found {found} instead of {expected}:\n{said}"
        if missing := missing_advice(source, said) if expected else []:
            return f"no advice {missing}:\n{said}"
        findings = re.sub(r"(?m)^ +\d+ \|.*$|^ +#\d+ .*$", "", said.partition("==================")[2])  # without the program's own text
        if re.search(r"\b(ranks?|PEs?|window|put|get|store|load)\b", findings):
            return f"a finding has words of MPI or OpenSHMEM:\n{said}"
    return None


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--papers", action="store_true", help="the programs of the papers instead of small ones")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    programs = PAPERS if arguments.papers else {**RACES, **CASES}
    builds = [(program, flags, races) for program, all in programs.items() if not arguments.names or os.path.basename(program) in arguments.names
              for flags, races in all]
    wrong = 0
    for program, flags, races in builds:
        with tempfile.TemporaryDirectory() as directory:
            problem = check(arguments, program, flags, races, directory)
        if problem:
            wrong += 1
            print(f"{program} {' '.join(flags)}: {problem}")
    print(f"{len(builds)} programs: {wrong} wrong")
    return 1 if wrong or not builds else 0


if __name__ == "__main__":
    sys.exit(main())

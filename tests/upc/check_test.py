#!/usr/bin/env python3
"""photofinish check finds the races of the papers' programs, at their lines, and none in programs without.

  check_test.py --photofinish PATH --pfupcc PATH --mpi openmpi|mpich
"""
import os
import re
import subprocess
import sys
import tempfile

import upc_tool

# (program, flags, pairs of source lines that race; a line is named by a part of it)
READ_TABLE, WRITE_TABLE = "value = table[index]", "table[index] = value"
KERNELS = [
    ("kernels/guppie", [], {(READ_TABLE, WRITE_TABLE), (WRITE_TABLE, WRITE_TABLE)}),
    ("kernels/knapsack", [], {("wj = w[0]", "weight[i] = 1"), ("vj = v[0]", "value[i] = 1")}),
    ("kernels/knapsack", ["-DFIXED"], set()),
    ("kernels/laplace", ["-lm"], set()),
    ("kernels/mcop", [], set()),
    ("cases/heap", [], set()),
    ("cases/locks", [], set()),
    ("cases/strict", [], set()),
    ("cases/collectives", [], set()),
]


def line_number(source, part):
    with open(source, encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1) if part in line]
    assert len(found) == 1, f"{source}: '{part}' is on lines {found}"
    return found[0]


def found_pairs(report, name):
    """The lines of both sides of each finding."""
    pairs = set()
    for finding in report.split("WARNING: photofinish: ")[1:]:
        lines = [int(number) for number in re.findall(rf"#0 .*{re.escape(name)}:(\d+)", finding)]
        pairs.add(tuple(sorted(lines)))
    return pairs


def check(arguments, program, flags, expected, directory):
    source = os.path.join(upc_tool.HERE, program + ".upc")
    binary = os.path.join(directory, "program")
    code, said = upc_tool.build(arguments, source, binary, "-O1", *flags)
    if code != 0:
        return f"does not compile:\n{said}"
    done = subprocess.run([arguments.photofinish, "check", "-n", "3", "-o", os.path.join(directory, "run"), binary], capture_output=True, text=True,
                          timeout=300, env=upc_tool.environment(arguments))
    said = done.stdout + done.stderr
    wanted = {tuple(sorted(line_number(source, part) for part in pair)) for pair in expected}
    found = found_pairs(said, os.path.basename(source))
    if done.returncode != (66 if expected else 0) or found != wanted or (not expected and "no findings" not in said):
        return f"exit code {done.returncode}, found {sorted(found)} instead of {sorted(wanted)}:\n{said}"
    return None


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--photofinish", required=True)
    arguments = parser.parse_args()
    wrong = 0
    for program, flags, expected in KERNELS:
        with tempfile.TemporaryDirectory() as directory:
            problem = check(arguments, program, flags, expected, directory)
        if problem:
            wrong += 1
            print(f"{program} {' '.join(flags)}: {problem}")
    print(f"{len(KERNELS)} programs: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

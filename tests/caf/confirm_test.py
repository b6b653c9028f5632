#!/usr/bin/env python3
"""photofinish confirm finds the state of each race that the programs in confirm/ declare, and each order that was seen can be seen again.

A comment `! confirm 1: confirmed, harmful` is the state of race 1 (check_test.py: `! race 1`) or its beginning. A race with several
findings, one for each pair of call stacks, is confirmed if one of them is.

  confirm_test.py --photofinish PATH --pfcaf PATH --mpi openmpi|mpich [--times 1] [NAMES...]
"""
import os
import re
import sys
import tempfile

import caf_tool
import check_test

sys.path.insert(0, os.path.join(os.path.dirname(caf_tool.HERE), "support"))
from confirmed_states import Failure, problem_of  # noqa: E402

STATE = re.compile(r"! confirm (\d+): (.+)$")
FOLDER = os.path.join(caf_tool.HERE, "confirm")


def declared_states(source):
    """By pair of lines."""
    with open(source, encoding="utf-8") as file:
        states = dict(found.groups() for line in file if (found := STATE.match(line.rstrip())))
    lines = check_test.lines_of_races(source)
    if not states or states.keys() != lines.keys():
        raise Failure(f"declares races {sorted(lines)}, and states of {sorted(states)}")
    return {lines[race]: state for race, state in states.items()}


def check(arguments, name, directory):
    source, binary = os.path.join(FOLDER, name + ".f90"), os.path.join(directory, "program")
    code, said = caf_tool.build(arguments, source, binary)
    if code != 0:
        return f"does not compile:\n{said}"
    return problem_of(arguments.photofinish, caf_tool.environment(arguments), binary, os.path.basename(source),
                      lambda: declared_states(source), directory)


def main():
    parser = caf_tool.parser(__doc__)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    names = arguments.names or sorted(name[:-4] for name in os.listdir(FOLDER) if name.endswith(".f90"))
    wrong = 0
    for name in names * arguments.times:
        with tempfile.TemporaryDirectory() as directory:
            problem = check(arguments, name, directory)
        if problem:
            wrong += 1
            print(f"{name}: {problem}")
    print(f"{len(names) * arguments.times} programs: {wrong} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())

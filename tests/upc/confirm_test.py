#!/usr/bin/env python3
"""photofinish confirm finds the state of each race that the programs declare, and each order that was seen can be seen again.

A comment `// confirm 1: confirmed, harmful` is the state of race 1 (check_test.py: `// race 1`) or its beginning; `// confirm[FT24] 3: …` counts
if the program is built with -DFT24. A race with several findings, one for each pair of call stacks, is confirmed if one of them is.

  confirm_test.py --photofinish PATH --pfupcc PATH --mpi openmpi|mpich [--papers] [--times 1] [NAMES...]
"""
import os
import re
import sys
import tempfile

import check_test
import upc_tool

sys.path.insert(0, os.path.join(os.path.dirname(upc_tool.HERE), "support"))
from confirmed_states import Failure, problem_of  # noqa: E402

STATE = re.compile(r"// confirm(?:\[(\w+)\])? (\d+): (.+)$")
SMALL = {f"confirm/{name[:-4]}": [[]] for name in sorted(os.listdir(os.path.join(upc_tool.HERE, "confirm"))) if name.endswith(".upc")}
PAPERS = {
    "kernels/guppie": [[]],
    "kernels/knapsack": [[]],
    "kernels/psearch": [[]],
    "kernels/ft": [["-lm"], ["-DFT24", "-lm"]],
    "kernels/mg": [["-lm"]],
    "kernels/cg": [["-lm"]],
    "kernels/bt": [[]],
}


def declared_states(source, flags):
    """By pair of lines."""
    states = {}
    with open(source, encoding="utf-8") as file:
        for line in file:
            if found := STATE.match(line.rstrip()):
                condition = f"-D{found.group(1)}" if found.group(1) else None
                if (condition in flags) if condition else not any(flag.startswith("-D") for flag in flags):
                    states[found.group(2)] = found.group(3)
    lines = check_test.lines_of_races(source, flags)
    if not states or states.keys() != lines.keys():
        raise Failure(f"declares races {sorted(lines)}, and states of {sorted(states)}")
    return {lines[race]: state for race, state in states.items()}


def check(arguments, program, flags, directory):
    source = os.path.join(upc_tool.HERE, program + ".upc")
    binary = os.path.join(directory, "program")
    code, said = upc_tool.build(arguments, source, binary, "-O1", *flags)
    if code != 0:
        return f"does not compile:\n{said}"
    return problem_of(arguments.photofinish, upc_tool.environment(arguments), binary, os.path.basename(source),
                      lambda: declared_states(source, flags), directory)


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--papers", action="store_true", help="the programs of the papers instead of small ones")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    programs = PAPERS if arguments.papers else SMALL
    builds = [(program, flags) for program, all in programs.items() if not arguments.names or os.path.basename(program) in arguments.names
              for flags in all] * arguments.times
    wrong = 0
    for program, flags in builds:
        with tempfile.TemporaryDirectory() as directory:
            problem = check(arguments, program, flags, directory)
        if problem:
            wrong += 1
            print(f"{program} {' '.join(flags)}: {problem}")
    print(f"{len(builds)} programs: {wrong} wrong")
    return 1 if wrong or not builds else 0


if __name__ == "__main__":
    sys.exit(main())

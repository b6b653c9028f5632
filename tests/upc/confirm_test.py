#!/usr/bin/env python3
"""photofinish confirm finds the state of each race that the programs declare, and each order that was seen can be seen again.

A comment `// confirm 1: confirmed, harmful` is the state of race 1 (check_test.py: `// race 1`) or its beginning; `// confirm[FT24] 3: …` counts
if the program is built with -DFT24. A race with several findings, one for each pair of call stacks, is confirmed if one of them is.

  confirm_test.py --photofinish PATH --pfupcc PATH --mpi openmpi|mpich [--papers] [--times 1] [--verbose] [NAMES...]
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

import check_test
import upc_tool

STATE = re.compile(r"// confirm(?:\[(\w+)\])? (\d+): (.+)$")
FINDING = re.compile(r"WARNING: photofinish: .*? \[F(\d+)\] (.*?) · ")
AGAIN = re.compile(r"^    repeat with: photofinish (.*)$", re.MULTILINE)
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
TRIES = 3  # what is to happen has so many, as in tests/run_program.py


class Failure(Exception):
    pass


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


class Program:
    def __init__(self, arguments, directory):
        self.arguments, self.run, self.told = arguments, os.path.join(directory, "run"), ""

    def photofinish(self, *words):
        command = [self.arguments.photofinish, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=upc_tool.environment(self.arguments))
        self.told += f"--- {shlex.join(command)}\n--- exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def states(self, name):
        """What the report says: the states of all findings of a pair of lines, and their numbers."""
        report = self.photofinish("report", self.run).stdout
        states = {}
        for finding in re.split(r"(?m)^(?=WARNING: photofinish: )", report)[1:]:
            number, state = FINDING.match(finding).groups()
            lines = tuple(sorted(int(line) for line in re.findall(rf"#0 .*{re.escape(name)}:(\d+)", finding)))
            states.setdefault(lines, []).append((f"F{number}", state))
        return states

    def check(self, binary, name, declared):
        if self.photofinish("check", "-n", "3", "-o", self.run, binary).returncode != 66:
            raise Failure("check finds no race")
        if self.states(name).keys() != declared.keys():
            raise Failure(f"races of the lines {sorted(self.states(name))} instead of {sorted(declared)}")
        for _ in range(TRIES):
            done = self.photofinish("confirm", "--timeout", "20", self.run)
            states = self.states(name)
            missing = [lines for lines, found in states.items()
                       if declared[lines].startswith("confirmed") and not any(state.startswith("confirmed") for _, state in found)]
            if not missing:
                break
        for lines, found in states.items():
            wanted = declared[lines]
            agrees = any if wanted.startswith("confirmed") else all
            if not agrees(state.startswith(wanted) for _, state in found):
                raise Failure(f"lines {lines}: {found} instead of {wanted}")
        some = any(state.startswith("confirmed") for found in states.values() for _, state in found)
        if done.returncode != (66 if some else 0):
            raise Failure(f"confirm ended with {done.returncode}")
        if words := re.search(r"\b(rank|window|put|get|store|load)s?\b", re.sub(r"\S*\.upc\S*|" + re.escape(self.run), "", done.stdout)):
            raise Failure(f"confirm uses a word of MPI: {words.group(0)}")
        for again in AGAIN.findall(done.stdout):
            if not any(self.happens(shlex.split(again)) for _ in range(TRIES)):
                raise Failure(f"did not happen again: {again}")

    def happens(self, words):
        done = self.photofinish(*words)
        return done.returncode != 0 and re.search(r"^photofinish: F\d+ forced with ", done.stderr, re.MULTILINE)


def check(arguments, program, flags, directory):
    source = os.path.join(upc_tool.HERE, program + ".upc")
    binary = os.path.join(directory, "program")
    code, said = upc_tool.build(arguments, source, binary, "-O1", *flags)
    if code != 0:
        return f"does not compile:\n{said}"
    tested = Program(arguments, directory)
    try:
        tested.check(binary, os.path.basename(source), declared_states(source, flags))
    except (Failure, subprocess.TimeoutExpired) as problem:
        return f"{problem}\n{tested.told}"
    if arguments.verbose:
        print(tested.told)
    return None


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--papers", action="store_true", help="the programs of the papers instead of small ones")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
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

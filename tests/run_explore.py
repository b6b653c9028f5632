#!/usr/bin/env python3
"""Builds one program, explores it, and compares the outcomes with what its comments say.

  run_explore.py --mpi openmpi|mpich --photofinish PATH [--compiler oshcc] PROGRAM.c

Comments, `//` and one space:

  // run: ranks=4
  // explore: all=6 outcomes=2 complete
        all: the number of matchings, which must all be explored in as many runs. complete: all are explored, in any number.
        outcomes: the number of distinct outcomes.
  // outcome: sum 0
        a line that an outcome prints; one comment for each.
  // failure: MPI_Abort with 33
        an outcome that fails in this way.
  // deadlock: 2
        an outcome is a deadlock, and so many choices lead there.
  // hang: all PEs wait
        an outcome hangs, without a proof.
  // not explored: how often …
        a line that tells what is not controlled. There are no others.

Every outcome must happen again with the command that is printed. Exit code: 0 passed, 1 failed.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FINDINGS, INCOMPLETE = 66, 67
COMPILERS = {"openmpi": ["mpicc.openmpi", "mpicc"], "mpich": ["mpicc.mpich"]}
OUTCOME = re.compile(r"^Outcome (\d+): (.*) · (\d+) of (\d+) runs?$")


class Failure(Exception):
    pass


def comments(text, kind):
    return [line[len(kind) + 5:].strip() for line in text.splitlines() if line.startswith(f"// {kind}: ")]


def run(words, folder, timeout=100):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    environment.pop("PHOTOFINISH_OPTIONS", None)
    done = subprocess.run(words, cwd=folder, env=environment, timeout=timeout, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def check(arguments, folder):
    text = pathlib.Path(arguments.program).read_text()
    wanted = dict(word.partition("=")[::2] for word in " ".join(comments(text, "explore")).split())
    ranks = dict(word.partition("=")[::2] for word in " ".join(comments(text, "run")).split())["ranks"]
    compiler = next(name for name in COMPILERS[arguments.mpi] if subprocess.run(["which", name], capture_output=True).returncode == 0)
    build = [arguments.compiler or compiler, "-g", "-O1", "-o", "app", os.path.abspath(arguments.program), "-lm"]
    if arguments.program.endswith(".upc"):
        build.insert(1, f"--mpi={arguments.mpi}")
    code, out, err = run(build, folder)
    if code != 0:
        raise Failure(f"cannot build: {err}")
    code, out, err = run([arguments.photofinish, "explore", "-n", ranks, "./app"], folder)
    print(out, err)
    outcomes = []
    for line in out.splitlines():
        if found := OUTCOME.match(line):
            outcomes.append({"title": found.group(2), "lines": [], "choices": 0})
        elif outcomes and line.startswith(("    wildcard", "    operation")):
            outcomes[-1]["choices"] += 1
        elif outcomes and line.startswith("  "):
            outcomes[-1]["lines"].append(line.strip())
    summary = out.splitlines()[-1]
    if len(outcomes) != int(wanted["outcomes"]):
        raise Failure(f"{len(outcomes)} outcomes instead of {wanted['outcomes']}")
    not_explored = [line.split(": ", 1)[1] for line in out.splitlines() if line.startswith("Not explored: ")]
    if sorted(not_explored) != sorted(comments(text, "not explored")) and not comments(text, "failure"):
        raise Failure(f"not explored: {not_explored}")
    if code != (FINDINGS if len(outcomes) > 1 else INCOMPLETE if not_explored else 0):
        raise Failure(f"exit code {code}")
    runs = int(re.search(r" in ([\d,]+) runs?:", summary).group(1).replace(",", ""))
    complete = f"all {runs:,} matchings of " in summary or "the only matching" in summary or "so there is one matching" in summary
    complete = complete or any("did not follow" in line for line in not_explored)
    if not complete or ("all" in wanted and runs != int(wanted["all"])):
        raise Failure(f"not all {wanted.get('all', '')} matchings explored: {summary}")
    for line in comments(text, "outcome"):
        if len(outcomes) > 1 and not any(line in one["lines"] for one in outcomes):
            raise Failure(f"no outcome prints '{line}'")
    for failure in comments(text, "failure"):
        if not any(failure in one["title"] for one in outcomes):
            raise Failure(f"no outcome fails with '{failure}'")
    for count in comments(text, "deadlock"):
        if not any(one["title"] == "deadlock" and one["choices"] == int(count) for one in outcomes):
            raise Failure(f"no deadlock after {count} choices")
    for what in comments(text, "hang"):
        if not any(one["title"] == f"hangs: {what}" for one in outcomes):
            raise Failure(f"no outcome hangs: {what}")
    for number, one in enumerate(outcomes, 1):
        words = [line for line in one["lines"] if line.startswith("repeat with: ")][0].split(": ", 1)[1]
        code, out, err = run([arguments.photofinish, *shlex.split(words)[1:]], folder)
        if f"outcome {number} reproduced" not in err:
            raise Failure(f"'{words}' did not show outcome {number}: {out}{err}")
        lines = [line for line in one["lines"] if line in comments(text, "outcome")]
        if any(line not in out for line in lines):
            raise Failure(f"'{words}' did not print {lines}: {out}")
    code, out, _ = run([arguments.photofinish, "explore", "photofinish.run"], folder)
    if out.splitlines()[-1] != summary:
        raise Failure(f"a resumed run explored more: {out}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True, choices=COMPILERS)
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--compiler", help="oshcc, or the path of pfupcc")
    parser.add_argument("program")
    arguments = parser.parse_args()
    arguments.photofinish = os.path.abspath(arguments.photofinish)
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(arguments, folder)
        except Failure as failure:
            print(f"{arguments.program}: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks a program of UPC or with coarrays, and confirms its races: for confirm_test.py of both."""
import os
import re
import shlex
import subprocess

FINDING = re.compile(r"WARNING: photofinish: .*? \[F(\d+)\] (.*?) · ")
AGAIN = re.compile(r"^    repeat with: photofinish (.*)$", re.MULTILINE)
TRIES = 3  # what is to happen has so many, as in tests/run_program.py


class Failure(Exception):
    pass


class Program:
    def __init__(self, photofinish, environment, directory):
        self.tool, self.environment, self.run, self.told = photofinish, environment, os.path.join(directory, "run"), ""

    def photofinish(self, *words):
        command = [self.tool, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=self.environment)
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
        if words := re.search(r"\b(rank|window|put|get|store|load)s?\b", re.sub(r"\S*\.(?:upc|f90)\S*|rank \d+: MPI_Abort|" + re.escape(self.run), "", done.stdout)):
            raise Failure(f"confirm uses a word of MPI: {words.group(0)}")
        for again in AGAIN.findall(done.stdout):
            if not any(self.happens(shlex.split(again)) for _ in range(TRIES)):
                raise Failure(f"did not happen again: {again}")

    def happens(self, words):
        done = self.photofinish(*words)
        return done.returncode != 0 and re.search(r"^photofinish: F\d+ forced with ", done.stderr, re.MULTILINE)


def problem_of(photofinish, environment, binary, name, declared, directory):
    """None if each pair of lines has its declared state. Otherwise what is wrong, with all output."""
    tested = Program(photofinish, environment, directory)
    try:
        tested.check(binary, name, declared())
    except (Failure, subprocess.TimeoutExpired) as problem:
        return f"{problem}\n{tested.told}"
    return None

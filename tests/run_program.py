#!/usr/bin/env python3
"""Builds one test program, runs it under `photofinish check`, and compares `photofinish dump` or `photofinish report` with
what its comments say.

  run_program.py --mpi openmpi|mpich [--photofinish PATH] [--cc COMPILER] [--preload LIBRARY] [--keep]
                 [--times N] [--load] [--bare] [--openshmem] [--pass] [--flag=FLAG]… PROGRAM.{c,cpp,f90}

Comments, `//` in C and C++, `!` in Fortran, one space, nothing in front:

  // run: ranks=4 mpi=both args="a b" exit=0 timeout=60 env=NAME:VALUE
        all optional; these are the defaults. mpi=openmpi or mpich: only there. exit=nonzero: any failure.
  // build: flags="-O2 -pthread" lib=other.c source=more.c
        lib: built as a shared library and linked; source: compiled along. Both from the program's folder.
  // output: sum 6
        a line that the program must print, `*` for anything. At least one.
  // expect rank 0: MPI_Send to=1 tag=7 reads=*+8(1xMPI_DOUBLE) @main
        an event of rank 0: its call, then tokens of its line in dump (several reads= or the like in their order).
        Expectations for a rank are found in their order, other events may lie between. At least one expectation.
  // expect rank 1-3: …      // expect rank 0,2: …      // expect rank all: …
  // expect not rank 0: MPI_Recv from=2
        no event of the rank matches.
  // expect count=3 rank 0: MPI_Send
        exactly so many events match, anywhere.
  // expect define rank all: win1 uid=$WIN flavour=allocate
        a definition line (`define` itself left out), anywhere.
  // expect end rank 0: MPI_Abort with 3
        how the rank ended.
  // expect mpi=openmpi rank 0: …
        under that MPI only.
  // expect distinct: $A $B
        the values differ.

Or, instead of events, races, for a program with a bug and its mended form (-DFIXED):

  // expect race: put @{write} get @{read}
        a finding of the report: the kinds (load, store, get, put, accumulate) and places of its sides, in either order. The
        program as it is must have exactly these findings, and the check ends with 66. With -DFIXED there is no finding,
        it ends with 0, and prints what `output` says.
  // expect race by hand: …     // expect race with the pass: …
        where the two differ: by hand means with LOAD and STORE (rma/access.h).
  // expect message race: receive @{take} send @{give} send @{other}
        a receive, or probe, and all sends that it could have got and did not. `message race always`: in the mended form as well.
  // expect not deterministic     // expect not independent of send buffering
        the verdict about the form with the bug; the mended one is. `expect deterministic`, `expect independent of send buffering`: in every form. Where a
        verdict is expected, `photofinish analyze` must afterwards find the same as the ranks did while they ran.
  // expect confirmed, harmful: put @{write} get @{read}       // expect confirmed, same outcome: …
  // expect confirmed: …                                       // expect not reproduced: …
        a race as above, also of messages (receive @{take} send @{other}), and its state after `photofinish confirm`. Each order of theirs that was
        seen must be seen again with the command that it tells. What is to happen has three tries; how often it takes one, bench/confirm/run tells.
  // expect deadlock
        the form with the bug deadlocks, and `check --deadlock-timeout 1` ends it with that finding; the mended one has none.
  // expect no race
        for a program without a bug: built once, no finding.
  // expect report: in region "halo"     // expect report buggy: …     // expect report fixed: …
        a line of the report, without the spaces in front, `*` for anything, {mark} for the file and line of a mark: of each form, or of one.
  // output buggy: …
        a line that the form with the bug must print. In every form all ranks must be on record and end with 0.

Tokens: `*` is anything; nothing else is special. !token: no token of the line is like this. $name: a value, the same wherever
the name is used for this rank; $NAME: the same on all ranks, so `uid=$WIN` says that all ranks mean one window. ${name+8}: that
address plus 8. tN: the thread, where a rank has several. @f: called in function f; @{mark}: at the line that carries the
comment /*{mark}*/ (!{mark} in Fortran); @f<g<main: the callers, too; @f(inlined)<g.

--times N: the same build so often, with the same findings. --load: with two processes beside it that keep the cores busy.
PHOTOFINISH_TEST_TIMES and PHOTOFINISH_TEST_LOAD=1 say the same (`ctest --preset nightly` sets them).
--openshmem: a program of OpenSHMEM; its PEs are the ranks. --confirm: every race is confirmed, in whichever state.
--pass: built with pfmpicc, pfmpicxx or pfmpifort (pfoshcc, pfoshcxx), beside the photofinish that is named. --flag=-O2: one more flag for the compiler.
--message-rendezvous: races are confirmed by messages between the ranks, as between nodes.
--bare: a program about races without the tool: it is built and run, and prints what it must.

Exit code: 0 passed, 1 failed, 77 not for this MPI.
"""
import argparse
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent / "support"))
from expectations import BadProgram, find_marks, match_one, match_site, match_tokens, parse_program  # noqa: E402

COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort"}
OPENSHMEM_COMPILERS = {".c": ("oshcc", "pfoshcc"), ".cpp": ("oshc++", "pfoshcxx")}
EVENT = re.compile(r"(?:(t\d+) )? *(\d+\.\d+) +(\d+\.\d+)  (.*?)(?:  @ (.*))?$")
FRAME = re.compile(r"    #\d+ (.*?) (\S+(?::\d+|\+0x[0-9a-f]+))( \(inlined\))?$")
LONGEST_RUN = 1e6  # seconds
RUN_MARK = "PHOTOFINISH_TEST_RUN"
NO_PROBLEM, FINDINGS = 0, 66  # exit codes of `photofinish check`
DEADLINE = time.monotonic() + 100  # for all it does, and as much again for each further time


class Failure(Exception):
    pass


def processes_of(mark):
    """Launchers put ranks into process groups of their own; what we put into their environment stays with them."""
    wanted = f"{RUN_MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)
            except OSError:
                pass


def end_processes(mark):
    for sent in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + 2
        while (alive := list(processes_of(mark))) and time.monotonic() < until:
            for pid in alive:
                try:
                    os.kill(pid, sent)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)


def run(command, environment, directory, timeout):
    """Exit code, standard output and standard error. Nothing that it started is left."""
    mark = str(uuid.uuid4())
    timeout = max(1, min(timeout, DEADLINE - time.monotonic()))
    process = subprocess.Popen(command, cwd=directory, env={**environment, RUN_MARK: mark}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        end_processes(mark)
        out, err = process.communicate()
        code = f"none after {timeout:.0f} s: stopped"
    finally:
        end_processes(mark)
    return code, out, err


def run_environment(arguments, program, directory):
    environment = dict(os.environ)
    environment.pop("PHOTOFINISH_OPTIONS", None)
    if arguments.openshmem and arguments.bare:
        environment["OMPI_MCA_memory"] = "^patcher"  # or Open MPI 4.1 crashes in shmem_finalize
    environment.update(
        TMPDIR=directory,
        OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl_base_warn_component_unused="0",
        **program.env)
    if arguments.mpi == "mpich" and arguments.preload:
        environment["LD_PRELOAD"] = str(Path(arguments.preload).resolve())
    return environment


def build(arguments, program, source, directory, *more_flags):
    def compile(compiler, *words):
        command = [*compiler, "-g", "-Wall", *program.flags, *arguments.flags, *more_flags, *map(str, words)]
        code, out, err = run(command, dict(os.environ), directory, 120)
        if code != 0:
            raise Failure(f"{shlex.join(command)}\nexit code {code}\n{out}{err}")

    def compiler_of(path):
        if arguments.openshmem:
            plain, instrumented = OPENSHMEM_COMPILERS[path.suffix]
            return [str(Path(arguments.photofinish).resolve().parent / instrumented)] if arguments.built_with_pass else [plain]
        name = COMPILERS[path.suffix]
        if arguments.built_with_pass:
            return [str(Path(arguments.photofinish).resolve().parent / f"pf{name}"), f"--mpi={arguments.mpi}"]
        return [arguments.cc or f"{name}.{arguments.mpi}"]

    libraries = []
    for name in program.libs:
        path = source.parent / name
        libraries.append(directory / f"lib{path.stem}.so")
        compile(compiler_of(path), "-fPIC", "-shared", path, "-o", libraries[-1])
    executable = directory / source.stem
    more = [source.parent / name for name in program.sources]
    compile(compiler_of(source), source, *more, *libraries, "-o", executable,
            *([f"-Wl,-rpath,{directory}"] if libraries else []))
    return executable


def parse_dump(text):
    ranks, rank = {}, None
    for line in text.splitlines():
        if header := re.match(r"== rank (\d+) of \d+ .*?\): (.*)$", line):
            rank = ranks[int(header[1])] = {"end": header[2], "define": [], "event": []}
        elif rank is None:
            raise Failure(f"dump began with: {line}")
        elif line.startswith("define "):
            rank["define"].append({"text": line, "tokens": line.split()[1:], "frames": []})
        elif frame := FRAME.match(line):
            rank["event"][-1]["frames"].append(
                {"function": frame[1], "place": re.sub(r":(\d+):\d+$", r":\1", frame[2].rsplit("/", 1)[-1]),
                 "inlined": bool(frame[3])})
        elif event := EVENT.match(line):
            tokens = event[4].split()
            if float(event[2]) > LONGEST_RUN:
                raise Failure(f"dump printed an event at a time that no run has: {line}")
            if event[1]:
                tokens.append(event[1])
            rank["event"].append({"text": line, "tokens": tokens, "frames": []})
        else:
            raise Failure(f"dump printed a line that is neither event nor definition: {line}")
    return ranks


class Checker:
    def __init__(self, ranks, size, marks):
        self.ranks, self.size, self.marks = ranks, size, marks
        self.position = {rank: 0 for rank in ranks}
        self.bound = {rank: {} for rank in ranks}
        self.shared = {}

    def ranks_of(self, text):
        if text == "all":
            return range(self.size)
        chosen = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            chosen += range(int(first), int(last or first) + 1)
        return chosen

    def match(self, rank, expectation, line):
        sites = [token for token in expectation.tokens[1:] if token.startswith("@")]
        patterns = [token for token in expectation.tokens[1:] if not token.startswith("@")]
        if match_one(expectation.tokens[0], line["tokens"][0], self.bound[rank], self.shared) is None:
            return None
        if not all(match_site(site, line["frames"], self.marks) for site in sites):
            return None
        return match_tokens(patterns, line["tokens"][1:], self.bound[rank], self.shared)

    def bind(self, rank, values):
        for name, value in values.items():
            (self.shared if name[0].isupper() else self.bound[rank])[name] = value

    def check(self, expectation):
        if expectation.kind == "distinct":
            values = [self.shared.get(name[1:], f"({name} has no value)") for name in expectation.tokens]
            if any(value.startswith("(") for value in values):
                raise Failure(" ".join(values))
            if len(set(values)) != len(values):
                raise Failure(f"the same: {' '.join(values)}")
            return
        for rank in self.ranks_of(expectation.ranks):
            if rank not in self.ranks:
                raise Failure(f"rank {rank} is not on record")
            self.check_rank(rank, expectation)

    def check_rank(self, rank, expectation):
        if expectation.kind == "end":
            if match_one(" ".join(expectation.tokens), self.ranks[rank]["end"], {}, {}) is None:
                raise Failure(f"rank {rank} ended with: {self.ranks[rank]['end']}")
            return
        lines = self.ranks[rank][expectation.kind]
        if expectation.negated or expectation.count >= 0:
            found = [line for line in lines if self.match(rank, expectation, line) is not None]
            if len(found) != max(expectation.count, 0):
                raise Failure(f"rank {rank}: {len(found)} match" + self.listing(rank, found))
            return
        ordered = expectation.kind == "event"
        start = self.position[rank] if ordered else 0
        for i in range(start, len(lines)):
            values = self.match(rank, expectation, lines[i])
            if values is not None:
                self.bind(rank, values)
                if ordered:
                    self.position[rank] = i + 1
                return
        behind = f" behind{self.listing(rank, [lines[start - 1]])}\n" if start > 0 else " "
        near = self.near(rank, expectation, lines[start:])
        raise Failure(f"rank {rank}: not found{behind}in{self.listing(rank, near)}")

    def near(self, rank, expectation, lines):
        def same(line):
            return match_one(expectation.tokens[0], line["tokens"][0], self.bound[rank], self.shared) is not None

        return list(filter(same, lines)) or lines

    def listing(self, rank, lines):
        known = "".join(f" ${name}={value}" for name, value in {**self.bound[rank], **self.shared}.items())
        text = "".join("\n    " + line["text"] for line in lines[:40])
        return text + (f"\n    … {len(lines)} in all" if len(lines) > 40 else "") + (f"\n    with{known}" if known else "")


def check_output(outputs, out):
    lines = [line.strip() for line in out.splitlines()]
    for number, text in outputs:
        if not any(match_one(text, line, {}, {}) is not None for line in lines):
            raise Failure(f"line {number}: the program did not print: {text}")


def last_events(arguments, record, environment, directory):
    """Where the ranks were when it went wrong."""
    text = ""
    try:
        _, dumped, _ = run([arguments.photofinish, "dump", str(record)], environment, directory, 20)
        for rank, lines in parse_dump(dumped).items():
            text += f"--- rank {rank}, {lines['end']}; last calls:\n"
            text += "".join(f"    {event['text']}\n" for event in lines["event"][-3:])
    except Failure:
        pass
    return text


def test(arguments, program, source, directory):
    executable = build(arguments, program, source, directory)
    marks = find_marks([source] + [source.parent / name for name in program.libs + program.sources + program.headers])
    environment = run_environment(arguments, program, str(directory))
    record = directory / "run"
    command = [arguments.photofinish, "check", "-n", str(program.ranks), "-o", str(record), str(executable)]
    command += program.args
    code, out, err = run(command, environment, directory, program.timeout)
    told = f"\n--- {shlex.join(command)}\n--- exit code {code}\n{out}{err}"
    wrong_exit = code == 0 or isinstance(code, str) if program.exit == "nonzero" else code != int(program.exit)
    if wrong_exit:
        last = last_events(arguments, record, environment, directory)
        raise Failure(f"exit code {code} instead of {program.exit}{told}{last}")
    dump = [arguments.photofinish, "dump", "-d", "-s", str(record)]
    dump_code, dumped, dump_err = run(dump, environment, directory, 60)
    if dump_code != 0:
        raise Failure(f"{shlex.join(dump)}\nexit code {dump_code}\n{dump_err}{told}")
    try:
        check_output(program.outputs, out)
        ranks = parse_dump(dumped)
        checker = Checker(ranks, program.ranks, marks)
    except Failure as failure:
        raise Failure(f"{failure}{told}") from None
    problems = []
    for expectation in program.expectations:
        if expectation.mpi in ("both", arguments.mpi):
            try:
                checker.check(expectation)
            except (Failure, BadProgram) as failure:
                problems.append(f"{source.name}:{expectation.line}: expect{expectation.text}\n  {failure}")
    if problems:
        raise Failure("\n".join(problems) + told)
    return len(program.expectations)


# --- races

RULE = re.compile(r"=+$")
FINDING = re.compile(r"WARNING: photofinish: (?:one-sided|buffer|message) race \[F\d+\] (.*?) · ")
CONFIRM_TRIES = 3
AGAIN = re.compile(r" +repeat with: photofinish (confirm .*)$", re.MULTILINE)
NOTE = re.compile(r"NOTE: photofinish: deadlock if sends are not buffered|WARNING: photofinish: deadlock on ")
REMARK = re.compile(r"NOTE: photofinish: (\d+ races? (was|were) declared intended|sampled|the run was (?:interrupted|ended in a deadlock)"
                    r"|loads and stores were sampled|sampling cost|sampling was suspended|\S+ is not instrumented|not instrumented: |ranks? \S+ made MPI calls or accesses from more than one thread)")
VERDICT = re.compile(r"VERDICT: photofinish: (not )?(deterministic|independent of send buffering)\b")
BUFFERING_NEEDED = re.compile(r"VERDICT: photofinish: (depends on send buffering|deadlocked)\b")
RECEIVER = re.compile(r"  (MPI_\w+) by rank \d+ from ")
SENDER = re.compile(r"  could have (?:got|seen) the message of rank \d+, ")
SIDE = re.compile(r"  (conflicts with )?([A-Za-z-]+)(?: \([^()]*\))? of \d+ bytes? by (?:(\w+) of )?(?:rank|PE) \d+\b")
REPORT_FRAME = re.compile(r" +#(\d+) (?:.*? )?(\S+?)(:\d+)?(?: \(inlined\))?$")
COUNT = r"\d+ (?:(?:one-sided|buffer|message) race|deadlock)s?"
SUMMARY = re.compile(rf"SUMMARY: photofinish: (no findings|{COUNT}(?:, {COUNT})*)(?: \([^()]*\))?(?:, (?:but|and) the run [^·]*)? · ")
NEXT = "Next: photofinish confirm "
KINDS = {"load": "load", "store": "store", "release": "release", "get": "get", "put": "put", "accumulate": "accumulate",
         "atomic": "atomic", "update": "update", "get-accumulate": "accumulate", "fetch-and-op": "accumulate", "compare-and-swap": "accumulate"}
BUFFER_KINDS = {"read": "load", "write": "store"}  # by a call, of the buffer that it was given


def parse_report(text):
    """The findings, each as its (kind, place) in their order in the alphabet, the verdicts, and the states. What is not understood is a failure."""
    findings, states, verdicts, summary, side, noted = [], [], {}, None, None, False
    for line in text.splitlines():
        if summary is not None and line.strip() and not line.startswith(NEXT):
            raise Failure(f"report went on behind its summary: {line}")
        if RULE.match(line) or not line.strip() or line.startswith(NEXT):
            side = None
        elif found := FINDING.match(line):
            findings.append([])
            states.append(found[1])
            noted = False
        elif NOTE.match(line):
            noted = True
        elif REMARK.match(line):
            side, noted = None, False
        elif noted and line.startswith("  "):
            continue
        elif found := VERDICT.match(line):
            verdicts[found[2]] = not found[1]
        elif BUFFERING_NEEDED.match(line):
            verdicts["independent of send buffering"] = False
        elif line.startswith("VERDICT: "):
            continue
        elif found := SUMMARY.match(line):
            summary = sum(map(int, re.findall(r"(\d+) (?!deadlock)", found[1])))
            if "deadlock" in found[1]:
                verdicts["deadlock"] = True
        elif not findings or not line.startswith("  "):
            raise Failure(f"report has a line that is no part of a finding: {line}")
        elif found := RECEIVER.match(line):
            side = ["probe" if "probe" in found[1].lower() else "receive", None]
            findings[-1].append(side)
        elif SENDER.match(line):
            side = ["send", None]
            findings[-1].append(side)
        elif found := SIDE.match(line):
            kind = (BUFFER_KINDS if found[3] else KINDS).get(found[2].lower())
            if not kind or len(findings[-1]) != bool(found[1]):
                raise Failure(f"report has a side that is none: {line}")
            side = [kind, None]
            findings[-1].append(side)
        elif found := REPORT_FRAME.match(line):
            if side and found[1] == "0":
                side[1] = found[2].rsplit("/", 1)[-1] + (found[3] or "")
            if side and side[1] is None:
                raise Failure(f"report has a side without its innermost frame: {line}")
        else:
            side = None  # what is said about the finding, perhaps with frames of its own
    for finding in findings:
        if len(finding) < 2 or any(place is None for _, place in finding):
            raise Failure(f"report has a finding without two sides and their places: {finding}")
    if summary != len(findings):
        raise Failure(f"report has {len(findings)} findings, and its summary says {summary}")
    return [tuple(sorted((kind, re.sub(r"(:\d+):\d+$", r"\1", place)) for kind, place in finding)) for finding in findings], verdicts, states


def expected_findings(races, marks):
    for race in races:
        for _, mark in race.sides:
            if mark not in marks:
                raise BadProgram(f"line {race.line}: no line is marked {{{mark}}}")
    return [tuple(sorted((kind, marks[mark]) for kind, mark in race.sides)) for race in races]


def check_findings(found, wanted, marks):
    names = {place: f"{{{mark}}}" for mark, place in marks.items()}
    lines = []
    for title, findings in (("missing", Counter(wanted) - Counter(found)), ("not expected", Counter(found) - Counter(wanted))):
        for finding in sorted(findings.elements()):
            lines.append(f"  {title}: " + " and ".join(f"{kind} {place} {names.get(place, '')}" for kind, place in finding))
    if lines:
        raise Failure("\n".join(["findings are not the expected ones:", *lines]))


def check_ranks(dumped, size):
    """All ranks are on record, and came to their end."""
    ends = {int(rank): end for rank, end in re.findall(r"^== rank (\d+) of \d+ .*?\): (.*)$", dumped, re.MULTILINE)}
    for rank in range(size):
        if ends.get(rank) != "exit 0":
            raise Failure(f"rank {rank}: {ends.get(rank, 'is not on record')}")


@contextlib.contextmanager
def busy_cores(wanted):
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 if wanted else 0)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def run_form(arguments, program, executable, expected, environment, directory, number, marks):
    """One run of one form of the program. `expected` is its findings, verdicts, output, and lines of its report."""
    findings, verdicts, outputs, reports, deadlock = expected
    wanted_code = FINDINGS if findings or deadlock else NO_PROBLEM
    record = directory / f"run{number}"
    start = (["oshrun" if arguments.openshmem else f"mpirun.{arguments.mpi}"] if arguments.bare else [arguments.photofinish, "check", "-o", str(record), *(["--deadlock-timeout", "1"] if deadlock else [])])
    command = [*start, "-n", str(program.ranks), str(executable), *program.args]
    code, out, err = run(command, environment, directory, program.timeout)
    told = f"\n--- {shlex.join(command)}\n--- exit code {code}\n{out}{err}"
    try:
        if arguments.bare:
            if code != 0:
                raise Failure(f"exit code {code}")
            check_output(outputs, out)
            return
        dump = [arguments.photofinish, "dump", str(record)]
        dump_code, dumped, dump_err = run(dump, environment, directory, 60)
        told += f"--- {shlex.join(dump)}\n--- exit code {dump_code}\n{dump_err}"
        if dump_code != 0:
            raise Failure("no dump")
        if not deadlock:
            check_ranks(dumped, program.ranks)
        report = [arguments.photofinish, "report", str(record)]
        report_code, reported, report_err = run(report, environment, directory, 60)
        told += f"--- {shlex.join(report)}\n--- exit code {report_code}\n{reported}{report_err}"
        found, told_verdicts, _ = parse_report(reported)
        check_findings(found, findings, marks)
        if told_verdicts.get("deadlock", False) != deadlock:
            raise Failure(f"the report has {'no' if deadlock else 'a'} deadlock")
        for name, wanted in verdicts.items():
            if told_verdicts.get(name) != wanted:
                raise Failure(f"the report does not say that it is {'' if wanted else 'not '}{name}")
        if code != wanted_code:
            raise Failure(f"exit code {code} instead of {wanted_code}")
        if verdicts and number == 1:  # what ranks found while they ran, and what the traces tell
            analyze = [arguments.photofinish, "analyze", str(record)]
            told += f"--- {shlex.join(analyze)}\n"
            run(analyze, environment, directory, 60)
            afterwards = run(report, environment, directory, 60)[1]
            if parse_report(afterwards)[:2] != (found, told_verdicts):
                raise Failure(f"analyze finds something else afterwards:\n{afterwards}")
        check_output(outputs, out)
        lines = [line.strip() for line in reported.splitlines()]
        for line, text in reports:
            if not any(match_one(text, told_line, {}, {}) is not None for told_line in lines):
                raise Failure(f"line {line}: the report has no line: {text}")
    except Failure as failure:
        raise Failure(f"{failure}{told}") from None


def confirm_races(arguments, races, environment, directory, number, marks):
    """What the run of that number becomes when it is confirmed, and that each order can be seen again."""
    global DEADLINE
    DEADLINE += 500  # many runs for each finding
    record = directory / f"run{number}"
    told = ""

    def photofinish(*words):
        nonlocal told
        command = [arguments.photofinish, *words]
        code, out, err = run(command, environment, directory, 600)
        told += f"--- {shlex.join(command)}\n--- exit code {code}\n{out}{err}"
        return code, out, err

    wanted = dict(zip(expected_findings(races, marks), (race.state for race in races)))
    try:
        found = parse_report(photofinish("report", str(record))[1])[0]
        # The program's comments state nothing about the others.
        stated = ",".join(f"F{number}" for number, finding in enumerate(found, 1) if finding in wanted)
        for _ in range(CONFIRM_TRIES):
            code, confirmed, _ = photofinish("confirm", "--finding", stated, "--timeout", "20", *(["--message-rendezvous"] if arguments.message_rendezvous else []), str(record))
            _, reported, _ = photofinish("report", str(record))
            found, _, states = parse_report(reported)
            # Through messages, a rank learns late that the other has made its access. On a busy machine, the other race of the same two
            # ranks, which cannot be held, may then take either order.
            again = ("not", "confirmed, unstable") if arguments.message_rendezvous else "not"
            if not any(wanted.get(finding, "").startswith("confirmed") and not state.startswith(wanted[finding]) and state.startswith(again)
                       for finding, state in zip(found, states)):
                break
        for finding, state in zip(found, states):
            # Between nodes, one instance of several is steered.
            if arguments.message_rendezvous and state == "confirmed, effect unknown" and wanted.get(finding) == "confirmed, same outcome":
                continue
            if finding in wanted and not state.startswith(wanted[finding]):
                raise Failure(f"{' and '.join(f'{kind} {place}' for kind, place in finding)}: {state}, instead of {wanted[finding]}")
        if code != (FINDINGS if any(state.startswith("confirmed") for state in states) else NO_PROBLEM):
            raise Failure(f"confirm ended with {code}")
        asked = {f"F{number}" for number, finding in enumerate(found, 1) if wanted.get(finding, "").startswith("confirmed")}

        def happens(words):
            again_code, _, again_err = photofinish(*words, *(["--message-rendezvous"] if arguments.message_rendezvous else []))
            return again_code != NO_PROBLEM and re.search(r"^photofinish: F\d+ forced with ", again_err, re.MULTILINE)

        for words in map(shlex.split, AGAIN.findall(confirmed)):
            if asked.intersection(words) and not any(happens(words) for _ in range(CONFIRM_TRIES)):
                raise Failure(f"it did not happen again: {shlex.join(words)}")
            if arguments.openshmem and "F1" in words and "F1" in asked:
                _, out, err = photofinish(*words, "--record")
                if (recorded := re.search(r"recorded in (\S+)\. Next: ", err)) is None:
                    raise Failure(f"its replay is not as recorded: {shlex.join(words)} --record")
                _, again, _ = photofinish("replay", recorded[1])
                if sorted(again.splitlines()) != sorted(out.splitlines()):
                    raise Failure(f"the replay of {recorded[1]} prints something else than was recorded")
    except Failure as failure:
        raise Failure(f"{failure}\n{told}") from None


def test_races(arguments, program, source, directory):
    marks = find_marks([source] + [source.parent / name for name in program.libs + program.sources + program.headers])
    environment = run_environment(arguments, program, str(directory))
    how = "with the pass" if arguments.built_with_pass else "by hand"
    races = [race for race in program.races if race.how in ("", how)]
    if arguments.confirm:
        for race in races:
            race.state = race.state or "confirmed"
    always = expected_findings([race for race in races if race.always], marks)

    def reports(form):
        return [(line, re.sub(r"\{([\w-]+)\}", lambda mark: marks.get(mark[1], mark[0]), text)) for line, text, of in program.reports if of in (None, form)]

    fine = (always, dict.fromkeys(program.verdicts, True), program.outputs, reports("fixed"), False)
    forms = {"correct": ([], fine)}
    if program.two_forms:
        buggy = (expected_findings(races, marks), program.verdicts, program.outputs_buggy, reports("buggy"), program.deadlock)
        forms = {"buggy": ([], buggy), "fixed": (["-DFIXED"], fine)}
    problems = []
    for form, (flags, expected) in forms.items():
        folder = directory / form
        folder.mkdir()
        executable = build(arguments, program, source, folder, *flags)
        for number in range(1, arguments.times + 1):
            try:
                with busy_cores(arguments.load):
                    run_form(arguments, program, executable, expected, environment, folder, number, marks)
                    if form == "buggy" and any(race.state for race in races):
                        confirm_races(arguments, [race for race in races if race.state], environment, folder, number, marks)
            except Failure as failure:
                problems.append(f"--- {form} form, run {number} of {arguments.times}: {failure}")
                break
    if problems:
        raise Failure("\n".join(problems))
    return len(program.races)


def main():
    global DEADLINE
    parser = argparse.ArgumentParser(description="Runs one test program.")
    parser.add_argument("--mpi", required=True, choices=("openmpi", "mpich"))
    parser.add_argument("--photofinish", default="photofinish", help="the tool; otherwise the one in PATH")
    parser.add_argument("--cc", help="compiler instead of mpicc.MPI, mpicxx.MPI, mpifort.MPI")
    parser.add_argument("--preload", help="library that keeps waiting ranks of MPICH from spinning")
    parser.add_argument("--keep", action="store_true", help="keep the folder with program and record")
    parser.add_argument("--openshmem", action="store_true")
    parser.add_argument("--confirm", action="store_true", help="every race is confirmed, in whichever state")
    parser.add_argument("--pass", dest="built_with_pass", action="store_true")
    parser.add_argument("--flag", dest="flags", action="append", default=[])
    parser.add_argument("--times", type=int, default=int(os.environ.get("PHOTOFINISH_TEST_TIMES", "1")),
                        help="run what is about races so often")
    parser.add_argument("--load", action="store_true", default=os.environ.get("PHOTOFINISH_TEST_LOAD") == "1",
                        help="with two processes beside it that keep the cores busy")
    parser.add_argument("--message-rendezvous", action="store_true", help="what is confirmed is so by messages between the ranks, as between nodes")
    parser.add_argument("--bare", action="store_true", help="without the tool")
    parser.add_argument("program", type=Path)
    arguments = parser.parse_args()
    DEADLINE += 100 * (arguments.times - 1)
    source = arguments.program.resolve()
    if os.sep in arguments.photofinish:
        arguments.photofinish = str(Path(arguments.photofinish).resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # as an exception, so that everything is cleaned up
    directory = Path(tempfile.mkdtemp(prefix="pf-"))
    try:
        program = parse_program(source)
        if program.mpi not in ("both", arguments.mpi):
            print(f"skipped: {source.name} is for {program.mpi}")
            return 77
        if not program.about_races and (arguments.times != 1 or arguments.load or arguments.bare):
            parser.error("--times, --load and --bare are for programs about races")
        if program.about_races:
            count = test_races(arguments, program, source, directory)
            print(f"passed: {source.name} under {arguments.mpi}, {count or 'no'} {'race' if count == 1 else 'races'}")
        else:
            count = test(arguments, program, source, directory)
            print(f"passed: {source.name} under {arguments.mpi}, {count} expectations")
        return 0
    except (Failure, BadProgram, OSError) as failure:
        again = [sys.executable, *[word for word in sys.argv if word != "--keep"], "--keep"]
        print(f"FAILED: {source.name} under {arguments.mpi}\n{failure}")
        print(f"--- again, and keep what it made:\n{shlex.join(again)}")
        return 1
    finally:
        if arguments.keep:
            print(f"kept: {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

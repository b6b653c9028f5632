#!/usr/bin/env python3
"""Builds one test program, records some of its ranks, and replays them: each must print what it printed, and end as it did.

  run_replay.py --mpi openmpi|mpich [--photofinish PATH] [--preload LIBRARY] [--times N] [--ranks N] [--groups G] [--pass] PROGRAM.c|cpp|f90

Comments in the program:

  // run: ranks=6 groups=0;1,3;0-2 exit=0 replay_exit=143 timeout=60 interrupt=S args="a b" mpi=openmpi most=40000 times=20
        groups: what is recorded, one run for each. exit=nonzero: any failure. replay_exit: of
        the replay. interrupt: a SIGINT after so many seconds.
        times: how often each group is replayed; twice if this is missing.
        most: so many bytes a rank, where all are recorded: what they give each other is not among it.
  // build: flags="-O2" pass=only
        pass=only: what it does cannot be replayed unless it is built with the pass.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77


def settings(source, word):
    found = re.search(r"^(?://|!) %s: (.*)$" % word, source, re.M)
    return dict(part.split("=", 1) for part in shlex.split(found.group(1))) if found else {}


def ranks_of(group):
    ranks = []
    for part in group.split(","):
        first, _, last = part.partition("-")
        ranks += range(int(first), int(last or first) + 1)
    return ranks


def environment(mpi):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_memory="^patcher")
    if ARGS.preload and mpi == "mpich":
        env["LD_PRELOAD"] = ARGS.preload
    return env


def launcher(mpi, ranks, folder):
    if mpi == "openmpi":
        return ["mpirun.openmpi", "--oversubscribe", "--output-filename", folder, "-n", str(ranks)]
    return ["mpirun.mpich", "-outfile-pattern", folder + "/out.%r", "-errfile-pattern", folder + "/err.%r", "-n", str(ranks)]


def output_of(mpi, folder, rank, ranks):
    if mpi == "mpich":
        path = "%s/out.%d" % (folder, rank)
        return open(path, "rb").read() if os.path.exists(path) else b""
    # Open MPI counts with as many digits as the last rank has.
    found = [path for path in glob.glob(folder + "/*/rank.*/stdout") if int(path.split("/")[-2].split(".")[1]) == rank]
    return open(found[0], "rb").read() if found else b""


def run(line, env, timeout, interrupt=0):
    process = subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        try:
            out, err = process.communicate(timeout=interrupt or timeout)
        except subprocess.TimeoutExpired:
            if not interrupt:
                raise
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-KILL", "-s", str(process.pid)])  # ranks have groups of their own
        process.communicate()
        raise Failure("no end after %d s: %s" % (timeout, " ".join(line)))
    return process.returncode, out, err.decode(errors="replace")


class Failure(Exception):
    pass


def replay(recorded, group, expected, env, timeout):
    """These ranks once more: the exit code, when each printed what it is to print."""
    printed = recorded + ".printed"
    code, _, err = run([ARGS.photofinish, "replay", "--ranks", group, "--output-dir", printed, recorded], env, timeout)
    for rank, text in expected.items():
        path = "%s/rank-%d.out" % (printed, rank)
        got = open(path, "rb").read() if os.path.exists(path) else b""
        if got != text:
            raise Failure("rank %d of group %s, recorded and replayed:\n%s\n---\n%s\n%s" %
                          (rank, group, text.decode(errors="replace"), got.decode(errors="replace"), err))
    if code in (70, 72):
        raise Failure("group %s ended with %d\n%s" % (group, code, err))
    shutil.rmtree(printed)
    return code


def check(program, work):
    source = open(program).read()
    how, build = settings(source, "run"), settings(source, "build")
    ranks, timeout = ARGS.ranks or int(how.get("ranks", 4)), ARGS.timeout or int(how.get("timeout", 60))
    binary = os.path.join(work, "program")
    ending = os.path.splitext(program)[1]
    wrapper, plain = {".f90": ("pfmpifort", "mpifort"), ".cpp": ("pfmpicxx", "mpicxx")}.get(ending, ("pfmpicc", "mpicc"))
    compiler = [os.path.join(os.path.dirname(ARGS.photofinish), wrapper), "--mpi=" + ARGS.mpi] if ARGS.built_with_pass else ["%s.%s" % (plain, ARGS.mpi)]
    subprocess.run(compiler + ["-g", "-O1", "-w"] + shlex.split(build.get("flags", "")) + [program, "-o", binary, "-lm"], check=True)
    env = environment(ARGS.mpi)
    for number, group in enumerate((ARGS.groups or how["groups"]).split(";")):
        recorded, outputs = "%s/run.%d" % (work, number), "%s/out.%d" % (work, number)
        os.makedirs(outputs)
        line = [ARGS.photofinish, "record", "--ranks", group, "-o", recorded, "--no-progress", "--"] + launcher(ARGS.mpi, ranks, outputs)
        line += [binary] + shlex.split(how.get("args", ""))
        code, out, err = run(line, env, timeout, int(how.get("interrupt", 0)) * max(1, ranks // 8))
        if (code == 0) != (how.get("exit", "0") == "0"):
            raise Failure("recording ended with %d\n%s%s" % (code, out.decode(errors="replace"), err))
        expected = {rank: output_of(ARGS.mpi, outputs, rank, ranks) for rank in ranks_of(group)}
        for rank, text in expected.items():
            if not text:
                raise Failure("rank %d printed nothing when it was recorded\n%s" % (rank, err))
        kept = max(os.path.getsize(path) for path in glob.glob(recorded + "/rank-*.trace"))
        if "most" in how and len(expected) == ranks and not ARGS.ranks and kept > int(how["most"]):
            raise Failure("group %s: %d bytes a rank were kept, %s at most were expected" % (group, kept, how["most"]))
        codes = {replay(recorded, group, expected, env, timeout) for _ in range(ARGS.times or int(how.get("times", 2)))}
        if len(codes) > 1:
            raise Failure("group %s ended with %s" % (group, sorted(codes)))
        if "replay_exit" in how and codes != {int(how["replay_exit"])}:
            raise Failure("the replay of group %s ended with %s" % (group, sorted(codes)))
        if len(expected) > 1:  # of a group, one alone
            rank = max(expected)
            replay(recorded, str(rank), {rank: expected[rank]}, env, timeout)


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--photofinish", default="photofinish")
    parser.add_argument("--preload", default="")
    parser.add_argument("--times", type=int, help="another number than the program's comment has, or 2")
    parser.add_argument("--ranks", type=int, help="another number than the program's comment has")
    parser.add_argument("--groups", help="likewise")
    parser.add_argument("--timeout", type=int, help="likewise")
    parser.add_argument("--pass", dest="built_with_pass", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("program")
    ARGS = parser.parse_args()
    if not shutil.which("mpicc." + ARGS.mpi):
        print("there is no mpicc." + ARGS.mpi)
        return SKIPPED
    work = tempfile.mkdtemp(prefix="photofinish-replay.")
    try:
        check(os.path.abspath(ARGS.program), work)
    except Failure as failure:
        print("FAILED:", failure)
        print("again: " + " ".join(shlex.quote(word) for word in sys.argv))
        return 1
    finally:
        if not ARGS.keep:
            shutil.rmtree(work, ignore_errors=True)
    print("replayed as recorded")
    return 0


sys.exit(main())

#!/usr/bin/env python3
"""Builds one test program, records some of its ranks, and replays them: each must print what it printed, and end as it did.

  run_replay.py --mpi openmpi|mpich [--photofinish PATH] [--preload LIBRARY] [--times N] [--ranks N] [--groups G] [--openshmem] [--pass] PROGRAM.c|cpp|f90

Comments in the program:

  // run: ranks=6 groups=0;1,3;0-2 exit=0 replay_exit=143 timeout=60 interrupt=S args="a b" mpi=openmpi most=40000 times=20
        groups: what is recorded, one run for each. If this is missing: 0, 1 and all;
        some rank has to print something. exit=nonzero: any failure. replay_exit: of
        the replay. interrupt: a SIGINT after so many seconds.
        times: how often each group is replayed; twice if this is missing.
        most: so many bytes a rank, where all are recorded: what they give each other is not among it.
  // build: flags="-O2" pass=only
        pass=only: what it does cannot be replayed unless it is built with the pass.
"""
import glob
import os
import pathlib
import shlex
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "support"))
from recorded_program import Failure, build, environment, main, run, settings  # noqa: E402


def ranks_of(group):
    ranks = []
    for part in group.split(","):
        first, _, last = part.partition("-")
        ranks += range(int(first), int(last or first) + 1)
    return ranks


def launcher(arguments, ranks, folder):
    mpi = arguments.mpi
    if arguments.openshmem:
        return ["oshrun", "--oversubscribe", "--output-filename", folder, "-n", str(ranks)]
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


def replay(arguments, recorded, group, expected, env, timeout):
    """These ranks once more: the exit code, when each printed what it is to print."""
    printed = recorded + ".printed"
    code, _, err = run([arguments.photofinish, "replay", "--ranks", group, "--output-dir", printed, recorded], env, timeout)
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


def check(arguments, program, work):
    source = open(program).read()
    how, flags = settings(source, "run"), settings(source, "build")
    ranks, timeout = arguments.ranks or int(how.get("ranks", 4)), arguments.timeout or int(how.get("timeout", 60))
    binary = os.path.join(work, "program")
    build(arguments, program, binary, arguments.built_with_pass, flags.get("flags", ""))
    env = environment(arguments)
    for number, group in enumerate((arguments.groups or how.get("groups", "0;1;0-%d" % (ranks - 1))).split(";")):
        recorded, outputs = "%s/run.%d" % (work, number), "%s/out.%d" % (work, number)
        os.makedirs(outputs)
        line = [arguments.photofinish, "record", "--ranks", group, "-o", recorded, "--no-progress", "--"] + launcher(arguments, ranks, outputs)
        line += [binary] + shlex.split(how.get("args", ""))
        code, out, err = run(line, env, timeout, int(how.get("interrupt", 0)) * max(1, ranks // 8))
        if (code == 0) != (how.get("exit", "0") == "0"):
            raise Failure("recording ended with %d\n%s%s" % (code, out.decode(errors="replace"), err))
        expected = {rank: output_of(arguments.mpi, outputs, rank, ranks) for rank in ranks_of(group)}
        for rank, text in expected.items():
            if not text and ("groups" in how or (len(expected) == ranks and not any(expected.values()))):
                raise Failure("rank %d printed nothing when it was recorded\n%s" % (rank, err))
        kept = max(os.path.getsize(path) for path in glob.glob(recorded + "/rank-*.trace"))
        if "most" in how and len(expected) == ranks and not arguments.ranks and kept > int(how["most"]):
            raise Failure("group %s: %d bytes a rank were kept, %s at most were expected" % (group, kept, how["most"]))
        codes = {replay(arguments, recorded, group, expected, env, timeout) for _ in range(arguments.times or int(how.get("times", 2)))}
        if len(codes) > 1:
            raise Failure("group %s ended with %s" % (group, sorted(codes)))
        if "replay_exit" in how and codes != {int(how["replay_exit"])}:
            raise Failure("the replay of group %s ended with %s" % (group, sorted(codes)))
        if len(expected) > 1:  # of a group, one alone
            rank = max(expected)
            replay(arguments, recorded, str(rank), {rank: expected[rank]}, env, timeout)


def add_arguments(parser):
    parser.add_argument("--times", type=int, help="another number than the program's comment has, or 2")
    parser.add_argument("--ranks", type=int, help="another number than the program's comment has")
    parser.add_argument("--groups", help="likewise")
    parser.add_argument("--timeout", type=int, help="likewise")
    parser.add_argument("--openshmem", action="store_true", help="a program of OpenSHMEM; its PEs are the ranks")
    parser.add_argument("--pass", dest="built_with_pass", action="store_true")


sys.exit(main(check, "replayed as recorded", add_arguments))

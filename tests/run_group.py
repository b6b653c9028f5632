#!/usr/bin/env python3
"""Builds one test program, records all of its ranks, and asks which of them explain the failure of one: exactly these must be named, and a
replay of these alone must show the failure.

  run_group.py --mpi openmpi|mpich [--photofinish PATH] [--preload LIBRARY] PROGRAM.c

A comment in the program:

  // run: ranks=16 failure=5 group=5,11 prints="rank 5: wrong index" timeout=60
        failure: the rank that fails. group: the ranks to be found. prints: what the failed rank prints, recorded and replayed.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "support"))
from recorded_program import Failure, build, environment, main, run, settings  # noqa: E402


def check(arguments, program, work):
    how = settings(open(program).read(), "run")
    timeout, env = int(how.get("timeout", 120)), environment(arguments)
    binary, recorded, printed = work + "/program", work + "/all.run", work + "/printed"
    build(arguments, program, binary, True, "")
    code, out, err = run([arguments.photofinish, "record", "-n", how["ranks"], "-o", recorded, "--no-progress", binary], env, timeout)
    if code in (0, 70) or how["prints"].encode() not in out:
        raise Failure("recording ended with %d\n%s%s" % (code, out.decode(errors="replace"), err))
    code, out, err = run([arguments.photofinish, "group", recorded, "--failure", how["failure"]], env, timeout)
    out = out.decode(errors="replace")
    print(out + err)
    if code != 0 or not out.startswith("Ranks %s of %s explain the failure of rank %s" % (how["group"], how["ranks"], how["failure"])):
        raise Failure("group ended with %d" % code)
    if "replay %s --ranks %s" % (recorded, how["group"]) not in out:
        raise Failure("group does not say how to replay the ranks")
    code, _, err = run([arguments.photofinish, "replay", recorded, "--ranks", how["group"], "--verbose", "--output-dir", printed], env, timeout)
    text = open("%s/rank-%s.out" % (printed, how["failure"])).read()
    if code in (0, 70, 72) or how["prints"] not in text or "is discarded" in err:
        raise Failure("the replay of the group ended with %d\n%s%s" % (code, text, err))


sys.exit(main(check, "the group was found, and its replay shows the failure"))

#!/usr/bin/env python3
"""Builds one test program, records all of its ranks, and asks which of them explain the failure of one: exactly these must be named, and a
replay of these alone must show the failure.

  run_group.py --mpi openmpi|mpich [--photofinish PATH] [--preload LIBRARY] PROGRAM.c

A comment in the program:

  // run: ranks=16 failure=5 group=5,11 prints="rank 5: wrong index" timeout=60
        failure: the rank that fails. group: the ranks to be found. prints: what the failed rank prints, recorded and replayed.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


class Failure(Exception):
    pass


def run(line, env, timeout):
    process = subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-KILL", "-s", str(process.pid)])
        process.communicate()
        raise Failure("no end after %d s: %s" % (timeout, " ".join(line)))
    return process.returncode, out, err


def environment():
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               OMPI_MCA_mpi_yield_when_idle="1")
    if ARGS.preload and ARGS.mpi == "mpich":
        env["LD_PRELOAD"] = ARGS.preload
    return env


def check(program, work):
    found = re.search(r"^// run: (.*)$", open(program).read(), re.M)
    how = dict(part.split("=", 1) for part in shlex.split(found.group(1)))
    timeout, env = int(how.get("timeout", 120)), environment()
    binary, recorded, printed = work + "/program", work + "/all.run", work + "/printed"
    wrapper = os.path.join(os.path.dirname(ARGS.photofinish), "pfmpicc")
    subprocess.run([wrapper, "--mpi=" + ARGS.mpi, "-g", "-O1", "-w", program, "-o", binary], check=True)
    code, out, err = run([ARGS.photofinish, "record", "-n", how["ranks"], "-o", recorded, "--no-progress", binary], env, timeout)
    if code in (0, 70) or how["prints"] not in out:
        raise Failure("recording ended with %d\n%s%s" % (code, out, err))
    code, out, err = run([ARGS.photofinish, "group", recorded, "--failure", how["failure"]], env, timeout)
    print(out + err)
    if code != 0 or not out.startswith("Ranks %s of %s explain the failure of rank %s" % (how["group"], how["ranks"], how["failure"])):
        raise Failure("group ended with %d" % code)
    if "replay %s --ranks %s" % (recorded, how["group"]) not in out:
        raise Failure("group does not say how to replay the ranks")
    code, _, err = run([ARGS.photofinish, "replay", recorded, "--ranks", how["group"], "--verbose", "--output-dir", printed], env, timeout)
    text = open("%s/rank-%s.out" % (printed, how["failure"])).read()
    if code in (0, 70, 72) or how["prints"] not in text or "is discarded" in err:
        raise Failure("the replay of the group ended with %d\n%s%s" % (code, text, err))


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--photofinish", default="photofinish")
    parser.add_argument("--preload", default="")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("program")
    ARGS = parser.parse_args()
    if not shutil.which("mpicc." + ARGS.mpi):
        print("there is no mpicc." + ARGS.mpi)
        return SKIPPED
    work = tempfile.mkdtemp(prefix="photofinish-group.")
    try:
        check(os.path.abspath(ARGS.program), work)
    except Failure as failure:
        print("FAILED:", failure)
        print("again: " + " ".join(shlex.quote(word) for word in sys.argv))
        return 1
    finally:
        if not ARGS.keep:
            shutil.rmtree(work, ignore_errors=True)
    print("the group was found, and its replay shows the failure")
    return 0


sys.exit(main())

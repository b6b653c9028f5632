"""What run_replay.py and run_group.py have in common: a test program is built, recorded and replayed in a folder of its own."""
import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77


class Failure(Exception):
    """The tool did not do what the program's comments say."""


def settings(source, word):
    """The settings of a comment: `// run: ranks=4 exit=0`."""
    found = re.search(r"^(?://|!) %s: (.*)$" % word, source, re.M)
    return dict(part.split("=", 1) for part in shlex.split(found.group(1))) if found else {}


def environment(arguments):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_memory="^patcher")
    if arguments.preload and arguments.mpi == "mpich":
        env["LD_PRELOAD"] = arguments.preload
    return env


def build(arguments, program, binary, with_pass, flags):
    ending = os.path.splitext(program)[1]
    wrapper, plain = {".f90": ("pfmpifort", "mpifort"), ".cpp": ("pfmpicxx", "mpicxx")}.get(ending, ("pfmpicc", "mpicc"))
    if getattr(arguments, "openshmem", False):
        wrapper, plain = ("pfoshcxx", "oshc++") if ending == ".cpp" else ("pfoshcc", "oshcc")
        compiler = [os.path.join(os.path.dirname(arguments.photofinish), wrapper)] if with_pass else [plain]
        subprocess.run(compiler + ["-g", "-O1", "-w"] + shlex.split(flags) + [program, "-o", binary, "-lm"], check=True)
        return
    compiler = [os.path.join(os.path.dirname(arguments.photofinish), wrapper), "--mpi=" + arguments.mpi] if with_pass else ["%s.%s" % (plain, arguments.mpi)]
    subprocess.run(compiler + ["-g", "-O1", "-w"] + shlex.split(flags) + [program, "-o", binary, "-lm"], check=True)


def run(line, env, timeout, interrupt=0):
    """The exit code, standard output in bytes, and standard error. `interrupt`: a SIGINT after so many seconds."""
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


def main(check, success, more_arguments=lambda parser: None):
    """Calls check(arguments, program, folder), which raises a Failure; returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--photofinish", default="photofinish")
    parser.add_argument("--preload", default="")
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    more_arguments(parser)
    parser.add_argument("program")
    arguments = parser.parse_args()
    if not shutil.which("mpicc." + arguments.mpi):
        print("there is no mpicc." + arguments.mpi)
        return SKIPPED
    work = tempfile.mkdtemp(prefix="photofinish-recorded.")
    try:
        check(arguments, os.path.abspath(arguments.program), work)
    except Failure as failure:
        print("FAILED:", failure)
        print("again: " + " ".join(shlex.quote(word) for word in sys.argv))
        return 1
    finally:
        if not arguments.keep:
            shutil.rmtree(work, ignore_errors=True)
    print(success)
    return 0

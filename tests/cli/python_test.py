"""Python programs: their MPI library is found, and reports show their lines. With mpi4py (Open MPI's) and with ctypes (either MPI).

  python_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os
import re
import subprocess
import sys
import unittest

import cli_test
from cli_test import Case

PYTHON = "/usr/bin/python3"  # the one that Debian's mpi4py is for

ONE_SIDED = """\
import sys
from mpi4py import MPI
import numpy as np

def exchange(window, rank):
    value = np.full(4, rank, dtype="i4")
    window.Lock(0, MPI.LOCK_SHARED if len(sys.argv) == 1 else MPI.LOCK_EXCLUSIVE)
    window.Put(value, 0)  # conflict
    window.Unlock(0)

def main():
    comm = MPI.COMM_WORLD
    window = MPI.Win.Allocate(16, 4, comm=comm)
    exchange(window, comm.rank)
    comm.Barrier()
    window.Free()

main()
print("ended")
"""

# Rank 0 receives from anyone; with an argument, from ranks 1 and 2 in turn.
MESSAGES = """\
import ctypes, sys
mpi = ctypes.CDLL("{library}")
mpi.MPI_Init(None, None)
{constants}
rank, value = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))

def receive(source):
    mpi.MPI_Recv(ctypes.byref(value), 1, integer, source, 5, world, ignore)  # receive

if rank.value == 0:
    for sender in (1, 2):
        receive(sender if len(sys.argv) > 1 else any_source)
        print("received", value.value, "as number", sender)
else:
    mpi.MPI_Send(ctypes.byref(rank), 1, integer, 0, 5, world)
mpi.MPI_Finalize()
"""
CONSTANTS = {
    "openmpi": ("libmpi.so.40", """\
handle = lambda name: ctypes.byref(ctypes.c_char.in_dll(mpi, name))
world, integer, ignore, any_source = handle("ompi_mpi_comm_world"), handle("ompi_mpi_int"), None, -1"""),
    "mpich": ("libmpich.so.12", "world, integer, ignore, any_source = 0x44000000, 0x4c000405, ctypes.c_void_p(1), -2"),
}


def line_of(text, mark):
    return next(number for number, line in enumerate(text.splitlines(), 1) if mark in line)


class Python(Case):
    def check(self, name, *words):
        return self.photofinish("check", "-n", "3", "--overwrite", PYTHON, name, *words)

    def has_mpi4py(self):
        return cli_test.arguments.mpi == "openmpi" and subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True).returncode == 0

    def messages(self):
        library, constants = CONSTANTS[cli_test.arguments.mpi]
        text = MESSAGES.format(library=library, constants=constants)
        self.write("messages.py", text)
        return text

    def test_mpi4py(self):
        if not self.has_mpi4py():
            self.skipTest("mpi4py is for Open MPI here")
        self.write("put.py", ONE_SIDED)
        run = self.check("put.py")
        line = line_of(ONE_SIDED, "# conflict")
        self.assertEqual(run.code, 66, run)
        self.assertIn(f"#0 exchange {self.path('put.py')}:{line}\n      {line} | window.Put(value, 0)  # conflict\n", run.err, run)
        self.assertIn(f"#1 main {self.path('put.py')}:{line_of(ONE_SIDED, 'exchange(window, comm.rank)')}\n", run.err, run)
        self.assertIn("#2 <module> ", run.err, run)
        self.assertNotIn("cpython", run.err, run)
        run = self.check("put.py", "fixed")
        self.assertEqual(run.code, 0, run)
        self.assertEqual(run.out.count("ended"), 3, run)

    def test_ctypes(self):
        text = self.messages()
        run = self.check("messages.py")
        self.assertEqual(run.code, 66, run)
        self.assertIn(f"#0 receive {self.path('messages.py')}:{line_of(text, '# receive')}\n", run.err, run)
        run = self.check("messages.py", "fixed")
        self.assertEqual(run.code, 0, run)

    def test_a_script_with_its_interpreter_in_the_first_line(self):
        text = self.messages()
        self.write("messages.py", f"#!/usr/bin/env {PYTHON}\n{text}")
        os.chmod(self.path("messages.py"), 0o755)
        run = self.photofinish("check", "-n", "3", "--overwrite", "./messages.py", "fixed")
        self.assertEqual(run.code, 0, run)

    def test_a_script_without_mpi(self):
        self.write("app.py", "print('no MPI')\n")
        self.write("python3", f"#!/bin/sh\nexec {PYTHON} -S \"$@\"\n")  # without mpi4py
        os.chmod(self.path("python3"), 0o755)
        run = self.photofinish("check", "-n", "2", self.path("python3"), "app.py")
        self.assertEqual(run.code, 64, run)
        self.assertIn("has no mpi4py; install mpi4py", run.err, run)
        self.assertIn("give --mpi=openmpi or --mpi=mpich", run.err, run)
        for name in ("app.py", "./app.py"):
            run = self.photofinish("check", "-n", "2", name)
            self.assertEqual((run.code, run.err), (64, f"photofinish: {name} is a Python script; write python3 {name}\n"), run)

    def test_record_and_replay(self):
        self.messages()
        recorded = self.photofinish("record", "-n", "3", "--overwrite", PYTHON, "messages.py")
        self.assertEqual(recorded.code, 0, recorded)
        expected = [line for line in recorded.out.splitlines() if line.startswith("received")]
        for _ in range(int(os.environ.get("PHOTOFINISH_TEST_TIMES", "3"))):
            replayed = self.photofinish("replay", "photofinish.run", "--ranks", "0")
            self.assertEqual(replayed.code, 0, replayed)
            self.assertEqual([line for line in replayed.out.splitlines() if line.startswith("received")], expected, replayed)

    def test_confirm(self):
        self.messages()
        self.check("messages.py")
        run = self.photofinish("confirm", "photofinish.run")
        self.assertEqual(run.code, 66, run)
        self.assertIn("confirmed, harmful", run.out + run.err, run)
        report = self.photofinish("report", "photofinish.run", "--format", "json", "--exit-zero")
        functions = re.findall(r'"function":\s*"([^"]*)"', report.out)
        self.assertIn("receive", functions, report)


if __name__ == "__main__":
    cli_test.main()

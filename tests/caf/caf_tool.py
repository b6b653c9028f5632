"""Builds coarray programs with pfcaf and runs them, for the tests in this folder."""
import argparse
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def parser(description):
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--photofinish", required=True)
    arguments.add_argument("--pfcaf", required=True)
    arguments.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    arguments.add_argument("--yield-preload", help="library that makes MPICH yield on machines with few cores")
    return arguments


def environment(arguments):
    result = dict(os.environ)
    result.update(
        OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
        OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl_base_warn_component_unused="0")
    if arguments.yield_preload and arguments.mpi == "mpich":
        result["LD_PRELOAD"] = os.path.abspath(arguments.yield_preload)
    return result


def build(arguments, source, program, *flags):
    """The exit code and what the compiler printed. Modules go into the folder of the program."""
    command = [arguments.pfcaf, f"--mpi={arguments.mpi}", "-O1", "-cpp", *flags, source, "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=os.path.dirname(program))
    return done.returncode, done.stdout + done.stderr


def photofinish(arguments, folder, *words, timeout=120):
    return subprocess.run([arguments.photofinish, *words], capture_output=True, text=True, timeout=timeout, cwd=folder,
                          env=environment(arguments))

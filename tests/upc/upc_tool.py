"""Builds UPC programs with pfupcc and runs them, for the tests in this folder."""
import argparse
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def parser(description):
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--pfupcc", required=True)
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
    """The exit code and what the compiler printed."""
    command = [arguments.pfupcc, f"--mpi={arguments.mpi}", *flags, source, "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def run(arguments, program, threads, *words, timeout=300, **variables):
    command = [f"mpirun.{arguments.mpi}", "-n", str(threads), program, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**environment(arguments), **variables})
    return done.returncode, done.stdout, done.stderr

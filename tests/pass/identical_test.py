#!/usr/bin/env python3
"""Programs with long chains of products and sums compute the same bits with the pass as without it, whichever of their copies they run.

  identical_test.py --pass PLUGIN --clang CLANG [--flang FLANG]

The programs are in `identical`: a block solver, triangular sweeps, sparse rows, forces of particles. Each is compiled by the same compiler with the same
options, with and without the pass, also for a processor with fused multiply-add and 32-byte vectors if this one is. It runs as without the tool, with
reachable memory elsewhere, with all memory reachable, and as in a recorded rank. `watch.c` ends a run in which no hook was called. A recorded rank is not
compared if products are fused: see docs/internals/loads-and-stores.md.
"""
import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
WATCH = ("none", "some", "all", "values")


def fused():
    """The options for fused multiply-add, or none if this processor has none."""
    if platform.machine() == "aarch64":
        return []
    flags = Path("/proc/cpuinfo").read_text().split()
    return ["-march=x86-64-v3"] if {"fma", "avx2", "bmi2"} <= set(flags) else None


def output(program, watch="none"):
    environment = {name: value for name, value in os.environ.items() if name != "PHOTOFINISH_WATCH"}
    if watch != "none":
        environment["PHOTOFINISH_WATCH"] = watch
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=300, env=environment)
    return done.stdout if done.returncode == 0 and done.stdout else f"exit code {done.returncode}: {done.stdout}{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description="The same bits with and without the pass.")
    parser.add_argument("--pass", dest="plugin", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--flang")
    arguments = parser.parse_args()
    programs = [(arguments.clang, "kernels.c", ["-ffp-contract=fast"])]
    if arguments.flang:
        programs += [(arguments.flang, name, ["-flang-experimental-integer-overflow"]) for name in ("block_tridiagonal.f90", "sweeps.f90")]
    levels = [(["-O2"], False)]
    if fused() is not None:
        levels.append((["-O3", *fused()], True))
    problems, compared = [], 0
    with tempfile.TemporaryDirectory(prefix="pf-") as name:
        folder = Path(name)
        watch = folder / "watch.o"
        subprocess.run([arguments.clang, "-O1", f"-I{INCLUDE}", "-c", str(HERE / "identical/watch.c"), "-o", str(watch)], check=True)
        for compiler, source, options in programs:
            for level, is_fused in levels:
                command = [compiler, *level, *options, str(HERE / "identical" / source)]
                subprocess.run([*command, "-o", str(folder / "bare"), "-lm"], check=True, cwd=folder)
                subprocess.run([*command, "-g1", f"-fpass-plugin={arguments.plugin}", str(watch), "-o", str(folder / "checked"), "-lm"], check=True, cwd=folder)
                expected = output(folder / "bare")
                if "exit code" in expected:
                    problems.append(f"{source} {' '.join(level)}: {expected}")
                for what in WATCH:
                    if what == "values" and is_fused:
                        continue
                    compared += 1
                    found = output(folder / "checked", what)
                    if found != expected:
                        problems.append(f"{source} {' '.join(level)}, {what} watched, computes\n{found}, and without the pass\n{expected}")
    print("\n".join(problems))
    print(f"{compared - len(problems)} of {compared} runs compute the same bits")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

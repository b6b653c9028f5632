#!/usr/bin/env python3
"""The checks of .clang-tidy find nothing in the folders below.

  clang_tidy_test.py --build DIR [FOLDER…]      DIR has compile_commands.json; folders of src, instead of those below

A target with a unity build is checked as it is compiled: several sources at once.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = "clang-tidy-19"
FOLDERS = ["model", "order", "memory", "effects", "detect", "trace", "runtime", "record", "confirm", "symbols", "report", "explain", "launch", "doctor", "manual", "options",
           "frontend/mpi/meaning"]


def sources_of(unit):
    """The sources that a compiled file stands for."""
    if not unit.endswith(".cxx"):
        return [unit]
    with open(unit, encoding="utf-8") as file:
        return re.findall(r'#include "([^"]+)"', file.read())


def units(build, folders):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        compiled = sorted({command["file"] for command in json.load(file)})
    wanted = tuple(os.path.join(ROOT, "src", folder) + os.sep for folder in folders)
    tests = os.path.join(build, "tests") + os.sep  # compile some sources a second time
    found = {unit: sources_of(unit) for unit in compiled if not unit.startswith(tests)}
    return {unit: sources for unit, sources in found.items() if any(source.startswith(wanted) for source in sources)}


def check(build, unit):
    result = subprocess.run([TOOL, "--quiet", "-p", build, unit], capture_output=True, text=True)
    return result.returncode, result.stdout + (result.stderr if result.returncode and not result.stdout else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    arguments = parser.parse_args()
    if shutil.which(TOOL) is None:
        print(f"skipped: {TOOL} is not installed")
        return 77
    found = units(os.path.abspath(arguments.build), arguments.folders)
    sources = {source for each in found.values() for source in each}
    for folder in arguments.folders:
        if not any(source.startswith(os.path.join(ROOT, "src", folder) + os.sep) for source in sources):
            print(f"no source of src/{folder} is compiled in {arguments.build}")
            return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda unit: check(arguments.build, unit), found))
    for code, text in results:
        if code != 0:
            print(text)
    if any(code != 0 for code, _ in results):
        return 1
    print(f"{len(sources)} sources in {len(found)} compiled files: no finding")
    return 0


if __name__ == "__main__":
    sys.exit(main())

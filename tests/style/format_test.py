#!/usr/bin/env python3
"""Every C and C++ file is formatted as .clang-format says.

  format_test.py [--fix]        --fix formats the files instead of naming them
"""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["bench", "examples", "include", "src", "tests"]
TOOL = "clang-format-19"  # other versions format differently


def sources():
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (os.path.join(where, name) for name in sorted(names) if name.endswith((".c", ".cpp", ".h")))


def main():
    if shutil.which(TOOL) is None:
        print(f"skipped: {TOOL} is not installed")
        return 77
    files = list(sources())
    if len(files) < 500:
        print(f"only {len(files)} files found below {ROOT}: is the list of folders right?")
        return 1
    if "--fix" in sys.argv[1:]:
        return subprocess.run([TOOL, "-i", *files], cwd=ROOT).returncode
    result = subprocess.run([TOOL, "--dry-run", "--Werror", *files], cwd=ROOT, capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "code should be clang-formatted" in line})
    for path in wrong:
        print(os.path.relpath(path, ROOT))
    if result.returncode != 0:
        print(result.stderr[-2000:] if not wrong else f"{len(wrong)} of {len(files)} files are not formatted; run tests/style/format_test.py --fix")
        return 1
    print(f"{len(files)} files are formatted")
    return 0


if __name__ == "__main__":
    sys.exit(main())

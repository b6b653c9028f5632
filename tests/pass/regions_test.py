#!/usr/bin/env python3
"""Regions without a place that matters go on in their copies, all others do not; and who says that is runtime/regions.cpp, by what the pass has written into the program.

  regions_test.py --pass PLUGIN --clang CLANG
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The lines that matter, and what is heard of. What is outside of regions, `e`, always is.
CASES = [("a", "ae"), ("b", "be"), ("c", "ce"), ("d", "de"), ("ad", "ade"), ("e", "e"), ("", "e"), ("abcde", "abcde")]
# Of a line that is not known, or that is nobody's, nothing follows.
OTHERS = [(["0"], "abcde"), (["9999"], "abcde"), (["9999", "a"], "abcde")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pass", dest="plugin", required=True)
    parser.add_argument("--clang", required=True)
    arguments = parser.parse_args()
    text = (HERE / "regions.c").read_text().splitlines()
    line_of = {mark[1]: str(number) for number, line in enumerate(text, 1) if (mark := re.search(r"/\*\{(\w)\}\*/", line))}
    problems = []
    with tempfile.TemporaryDirectory(prefix="pf-") as folder:
        main_object = f"{folder}/main.o"
        subprocess.run(["g++", "-std=c++20", "-O1", f"-I{ROOT}/src", f"-I{ROOT}/include", "-r", "-nostdlib", str(HERE / "regions_main.cpp"), f"{ROOT}/src/runtime/regions.cpp",
                        f"{ROOT}/src/runtime/notes.cpp", "-o", main_object], check=True)
        for flags in (["-O1"], ["-O2"], ["-O3"], ["-O2", "-ffunction-sections", "-Wl,--gc-sections"]):
            program = f"{folder}/program"
            subprocess.run([arguments.clang, *flags, "-g", f"-fpass-plugin={arguments.plugin}", str(HERE / "regions.c"), main_object, "-lstdc++", "-o", program], check=True)
            outputs = set()
            for lines, wanted in [([line_of[one] for one in lines], wanted) for lines, wanted in CASES] + [([line_of.get(one, one) for one in lines], wanted) for lines, wanted in OTHERS]:
                said = subprocess.run([program, *lines], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
                heard, results = zip(*(line.split(" ", 1) for line in said))
                outputs.add(results)
                if heard != (wanted, "abcde"):
                    problems.append(f"{flags} lines {lines}: heard of {heard}, wanted {wanted} and then all")
            if len(outputs) != 1:
                problems.append(f"{flags}: different results {outputs}")
    print("\n".join(problems) or "as wanted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

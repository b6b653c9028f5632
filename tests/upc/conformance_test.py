#!/usr/bin/env python3
"""The programs in cases/ print "ok N cases": on each number of threads, with dynamic and with static THREADS.

  conformance_test.py --pfupcc PATH --mpi openmpi|mpich [--threads 1,2,3] [--static] [--flag=-O2] [CASES...]
"""
import glob
import os
import re
import sys
import tempfile

import upc_tool


def one(arguments, source, threads, flags, directory):
    """What is wrong, or nothing."""
    with open(source, encoding="utf-8") as file:
        expected = len(re.findall(r"^  RUN\(", file.read(), re.MULTILINE))
    program = os.path.join(directory, "program")
    code, said = upc_tool.build(arguments, source, program, *flags)
    if code != 0 or "warning" in said:
        return f"does not compile without warnings:\n{said}"
    for count in threads:
        code, out, err = upc_tool.run(arguments, program, count)
        if code != 0 or out != f"ok {expected} cases\n":
            return f"on {count} threads: exit code {code}, {expected} cases expected:\n{out}{err}"
    return None


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--threads", default="3")
    parser.add_argument("--static", action="store_true", help="compile for each number of threads")
    parser.add_argument("--flag", action="append", default=["-O1"])
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    threads = [int(word) for word in arguments.threads.split(",")]
    sources = sorted(glob.glob(os.path.join(upc_tool.HERE, "cases", "*.upc")))
    if arguments.cases:
        sources = [path for path in sources if os.path.basename(path)[:-4] in arguments.cases]
    if not sources:
        print("no cases found")
        return 1
    wrong = 0
    for source in sources:
        runs = [([count], arguments.flag + [f"-fupc-threads={count}"]) for count in threads] if arguments.static else [(threads, arguments.flag)]
        for counts, flags in runs:
            with tempfile.TemporaryDirectory() as directory:
                problem = one(arguments, source, counts, flags, directory)
            if problem:
                wrong += 1
                print(f"{os.path.basename(source)} {' '.join(flags)}: {problem}")
    print(f"{len(sources)} programs, threads {arguments.threads}: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The programs of the papers, written in UPC, compute what they should.

  kernels_test.py --pfupcc PATH --mpi openmpi|mpich [--threads 4]
"""
import os
import sys
import tempfile

import upc_tool

# (name, flags, libraries). knapsack races, so that only its fixed form has a certain result.
KERNELS = [("guppie", []), ("knapsack", ["-DFIXED"]), ("laplace", ["-lm"]), ("mcop", []), ("psearch", []), ("ft", ["-DFIXED", "-lm"]), ("mg", ["-DFIXED", "-lm"]),
           ("cg", ["-DFIXED", "-lm"]), ("ep", []), ("is", []), ("lu", []), ("bt", ["-DFIXED"])]


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--threads", default="4")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "program")
        for name, flags in KERNELS:
            code, said = upc_tool.build(arguments, os.path.join(upc_tool.HERE, "kernels", name + ".upc"), program, "-O2", *flags)
            if code != 0 or said:
                wrong += 1
                print(f"{name}: exit code {code} of pfupcc:\n{said}")
                continue
            for threads in arguments.threads.split(","):
                code, out, err = upc_tool.run(arguments, program, threads)
                if code != 0 or out != f"{name}: passed\n":
                    wrong += 1
                    print(f"{name} on {threads} threads: exit code {code}:\n{out}{err}")
    print(f"{len(KERNELS)} kernels, threads {arguments.threads}: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

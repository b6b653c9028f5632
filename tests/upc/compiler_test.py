#!/usr/bin/env python3
"""pfupcc as a compiler: steps, several files, strict regions, local accesses as loads and stores, lines of debug information."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import upc_tool

ARGUMENTS = None


class Compiler(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def pfupcc(self, *words, code=0):
        done = subprocess.run([ARGUMENTS.pfupcc, f"--mpi={ARGUMENTS.mpi}", *words], capture_output=True, text=True, cwd=self.folder.name, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def assembly(self, text, *flags):
        self.write("one.upc", text)
        self.pfupcc("-S", "-O1", *flags, "one.upc", "-o", "one.s")
        with open(os.path.join(self.folder.name, "one.s"), encoding="utf-8") as file:
            return file.read()

    def function(self, text):
        """The code of f, without the copies that the pass makes of it."""
        assembly = self.assembly(text)
        return assembly[assembly.index("\nf:"):assembly.index("\t.size\tf,")]

    def run_program(self, name, threads=2, **variables):
        return upc_tool.run(ARGUMENTS, os.path.join(self.folder.name, name), threads, **variables)

    def test_several_files_share_variables(self):
        self.write("shared.h", "extern shared [2] int table[4 * THREADS];\nint sum(void);\n")
        self.write("main.upc", '#include <stdio.h>\n#include "shared.h"\nstatic shared int own = 1;\nint main(void) { table[2 * MYTHREAD] = 5 + own; upc_barrier; '
                   'int s = sum(); if (MYTHREAD == 0) printf("%d\\n", s); return 0; }\n')
        self.write("sum.upc", '#include "shared.h"\nshared [2] int table[4 * THREADS];\nstatic shared int own = 100;\n'
                   'int sum(void) { int s = own; for (int i = 0; i < 4 * THREADS; i++) s += table[i]; return s; }\n')
        self.write("plain.c", "int unused(void) { return 1; }\n")
        self.pfupcc("-c", "-O2", "main.upc")
        self.pfupcc("-c", "sum.upc", "-o", "other.o")
        self.pfupcc("main.o", "other.o", "plain.c", "-o", "program")
        self.assertEqual(self.run_program("program"), (0, "112\n", self.run_program("program")[2]))

    def test_strict_accesses_are_calls(self):
        text = "shared int a;\nvoid f(void) {\n  a = 1;\n  {\n#pragma upc strict\n    a = 2;\n  }\n  a = 3;\n}\nint main(void) { return 0; }\n"
        self.assertEqual(self.function(text).count("__upc_strict_put"), 1)
        self.assertEqual(self.function("#include <upc_strict.h>\n" + text).count("__upc_strict_put"), 3)
        self.assertEqual(self.function("#include <upc_relaxed.h>\n" + text.replace("shared int", "strict shared int")).count("__upc_strict_put"), 3)

    def test_private_pointers_need_no_runtime(self):
        text = "shared [8] int a[8 * THREADS];\nint f(int *p) { int s = 0; for (int i = 0; i < 8; i++) s += p[i]; return s; }\nint main(void) { return f((int *)&a[8 * MYTHREAD]); }\n"
        self.assertNotIn("__upc_get", self.assembly(text))

    def test_local_accesses_are_loads_at_the_line(self):
        text = "shared int a[THREADS];\nint f(void) {\n  return\n    a[3];\n}\nint main(void) { return f(); }\n"
        assembly = self.assembly(text)
        function = assembly[assembly.index("\nf:"):]
        self.assertIn("__upc_get", function)
        self.assertRegex(function, r"\.loc\s+\d+ 4 5")

    def test_static_threads_are_constant(self):
        text = "int f(void) { switch (3) { case THREADS: return 7; } return 8; }\n#if THREADS != 3\n#error\n#endif\nint main(void) { return 0; }\n"
        self.assertRegex(self.assembly(text, "-fupc-threads=3"), r"movl\s+\$7, %eax")
        for option in ("-T=3", "-fupc-threads-3"):
            self.assembly(text, option)
        self.write("bad.upc", text)
        self.pfupcc("-c", "bad.upc", code=1)

    def test_preprocessing_only(self):
        self.write("one.upc", "shared int a[THREADS]; int b = __UPC__;\n")
        said = self.pfupcc("-E", "one.upc")
        self.assertIn("shared int a[THREADS]; int b = 1;", said)

    def test_wrong_arguments(self):
        self.assertIn("no input files", self.pfupcc(code=64))
        self.assertIn("not a positive integer", self.pfupcc("-fupc-threads=x", "a.upc", code=64))
        self.assertIn("usage: pfupcc", self.pfupcc("--help"))

    def test_columns_of_errors(self):
        self.write("one.upc", "shared [4] int a[4 * THREADS];\nint main(void) {\n  shared [4] int *p = a; return missing;\n}\n")
        self.assertRegex(self.pfupcc("one.upc", code=1), re.compile(r"^one\.upc:3:33: error: .*missing.*\n 3 \|   shared \[4\] int \*p = a; return missing;\n   \| {33}\^$", re.MULTILINE))

    def test_exit_code_and_arguments_of_programs(self):
        self.write("one.upc", '#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) { if (MYTHREAD == 0) printf("%d %s\\n", argc, argv[1]); upc_barrier; exit(3); }\n')
        self.pfupcc("one.upc", "-o", "one")
        code, out, _ = upc_tool.run(ARGUMENTS, os.path.join(self.folder.name, "one"), 2, "word")
        self.assertEqual((code, out), (3, "2 word\n"))

    def test_size_of_the_heap(self):
        self.write("one.upc", "#include <upc.h>\n#include <stdio.h>\nint main(void) { shared void *p = upc_alloc(100ul << 20); printf(\"%d\\n\", p != NULL); return 0; }\n")
        self.pfupcc("one.upc", "-o", "one")
        self.assertEqual(self.run_program("one", 1)[1], "0\n")
        self.assertEqual(self.run_program("one", 1, UPC_SHARED_HEAP_SIZE="200MB")[1], "1\n")
        self.assertIn("is not a size", self.run_program("one", 1, UPC_SHARED_HEAP_SIZE="much")[2])


def main():
    global ARGUMENTS
    ARGUMENTS, rest = upc_tool.parser(__doc__).parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

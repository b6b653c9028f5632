#!/usr/bin/env python3
"""Calls of the C library, and vectors of which only some lanes are touched: the hooks tell of exactly the bytes that are.

  calls_test.py --pass PLUGIN --clang CLANG
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
FORMS = (("-O0",), ("-O1",), ("-O2", "-D_FORTIFY_SOURCE=2"), ("-O3",))

# At 100: "hello" (6 bytes with its zero), at 200: "help", at 300: "42 ab 7", at 400: 8 ints, the largest first. S(n) is the address.
# Each case: the statements, bytes read, bytes written. A range is [begin, end).
CASES = [
    ("sum = strlen(S(100));", [(100, 106)], []),
    ("sum = strnlen(S(100), 3 + zero);", [(100, 103)], []),
    ("sum = strnlen(S(100), 30 + zero);", [(100, 106)], []),
    ("strcpy(S(1000), S(100));", [(100, 106)], [(1000, 1006)]),
    ("char out[32]; strcpy(out, S(100)); keep(out);", [(100, 106)], []),
    ("sum = stpcpy(S(1000), S(100)) - S(1000);", [(100, 106)], [(1000, 1006)]),
    ("strncpy(S(1000), S(100), 20 + zero);", [(100, 106)], [(1000, 1020)]),
    ("strncpy(S(1000), S(100), 3 + zero);", [(100, 103)], [(1000, 1003)]),
    ("strcat(S(100), S(200));", [(100, 106), (200, 205)], [(105, 110)]),
    ("sum = strcmp(S(100), S(200)) > 0;", [(100, 104), (200, 204)], []),
    ("sum = strncmp(S(100), S(200), 2 + zero);", [(100, 102), (200, 202)], []),
    ("sum = strchr(S(100), 'e' + zero) != 0;", [(100, 102)], []),
    ("sum = strchr(S(100), 'x' + zero) != 0;", [(100, 106)], []),
    ("sum = strrchr(S(100), 'l' + zero) != 0;", [(100, 106)], []),
    ("sum = memchr(S(100), 'l' + zero, 50) != 0;", [(100, 103)], []),
    ("sum = memchr(S(100), 'x' + zero, 5 + zero) != 0;", [(100, 105)], []),
    ("sum = strspn(S(100), allowed);", [(100, 103)], []),
    ("sum = memcmp(S(100), S(200), 40 + zero) > 0;", [(100, 140), (200, 240)], []),
    ("char* copy = strdup(S(100)); keep(copy); free(copy);", [(100, 106)], []),
    ("sum = (unsigned long)atoi(S(300));", [(300, 301)], []),
    ("qsort(S(400), 8, sizeof(int), compare);", [(400, 432)], [(400, 432)]),
    ("FILE* f = tmpfile(); fwrite(S(100), 3, 20 + zero, f); fclose(f);", [(100, 160)], []),
    ("FILE* f = tmpfile(); fputs(\"abcdef\", f); rewind(f); sum = fread(S(1000), 2, 50 + zero, f); fclose(f);", [], [(1000, 1006)]),
    ("FILE* f = tmpfile(); fputs(\"abc\\ndef\", f); rewind(f); fgets(S(1000), 50, f); fclose(f);", [], [(1000, 1005)]),
    ("FILE* f = tmpfile(); sum = fgets(S(1000), 50, f) == NULL; fclose(f);", [], []),
    ("int p[2]; pipe(p); write(p[1], S(100), 10 + zero); sum = (unsigned long)read(p[0], S(1000), 100 + zero); close(p[0]); close(p[1]);",
     [(100, 110)], [(1000, 1010)]),
    ("sum = (unsigned long)read(-1, S(1000), 100 + zero) + 1;", [], []),
    ("sprintf(S(1000), \"<%s>\", S(100));", [(100, 106)], [(1000, 1008)]),
    ("sprintf(S(1000), \"%d %*d %.2s|\", 5, 3 + zero, 7, S(100));", [(100, 102)], [(1000, 1010)]),
    ("snprintf(S(1000), 4 + zero, \"%s-%.*s\", S(100), 2 + zero, S(200));", [(100, 106), (200, 202)], [(1000, 1004)]),
    ("snprintf(S(1000), 64 + zero, \"%5.1f%% %s\", 2.5, S(200));", [(200, 205)], [(1000, 1012)]),
    ("snprintf(NULL, 0, \"%s\", S(200));", [(200, 205)], []),
    ("fprintf(stderr, \"%ld %s\\n\", 3L, S(100));", [(100, 106)], []),
    ("sum = (unsigned long)sscanf(S(300), \"%d %7s %hd\", (int*)S(1000), S(1100), (short*)S(1200));", [(300, 308)],
     [(1000, 1004), (1100, 1103), (1200, 1202)]),
    ("sum = (unsigned long)sscanf(S(300), \"%ld %*s %d %lf\", (long*)S(1000), (int*)S(1100), (double*)S(1200));", [(300, 308)],
     [(1000, 1008), (1100, 1104)]),
    ("memmove(S(1000), S(100), 300 + zero);", [(100, 400)], [(1000, 1300)]),
]

TEXT = """#define _GNU_SOURCE
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int zero;
static const char allowed[] = "he";
#define S(n) ((char*)shared + (n))
__attribute__((noinline)) static void keep(const char* text) { __asm__ volatile("" :: "r"(text) : "memory"); }
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
"""

# What all functions of vectors.ll touch together.
VECTORS = ([(0, 4), (8, 12), (100, 104), (108, 112), (300, 304), (324, 328), (500, 508), (700, 704)],
           [(200, 204), (208, 212), (400, 404), (424, 428), (600, 608), (800, 804)])


def text():
    cases = "".join(f"__attribute__((noinline)) static unsigned long case{i}(unsigned char* shared) {{\n  unsigned long sum = 0;\n  {code}\n  return sum;\n}}\n"
                    for i, (code, _, _) in enumerate(CASES))
    switch = "".join(f"    case {i}: return case{i}(shared);\n" for i in range(len(CASES)))
    return (f"{TEXT}{cases}unsigned long work(unsigned char* shared) {{\n"
            '  prepare(100, "hello");\n  prepare(200, "help");\n  prepare(300, "42 ab 7");\n'
            f"  switch (selected) {{\n{switch}  }}\n  return 0;\n}}\n")


def ranges(line):
    found, begin = [], None
    for at, bit in enumerate(line + "0"):
        if bit == "1" and begin is None:
            begin = at
        elif bit != "1" and begin is not None:
            found.append((begin, at))
            begin = None
    return found


def bytes_of(pieces):
    return {at for begin, end in pieces for at in range(begin, end)}


class Runs:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.total = self.problems = 0
        self.harness = folder / "harness.o"
        subprocess.run([arguments.clang, "-O1", "-w", "-D__PHOTOFINISH__=1", f"-I{INCLUDE}", "-c", HERE / "harness.c", "-o", self.harness], check=True)

    def build(self, source, form):
        command = [self.arguments.clang, *form, "-w", f"-I{HERE}", f"-fpass-plugin={self.arguments.plugin}", source, self.harness]
        subprocess.run([*command, "-o", self.folder / "program"], check=True)

    def check(self, name, number, reads, writes):
        self.total += 1
        ran = subprocess.run([self.folder / "program", str(number)], capture_output=True, text=True, timeout=60)
        lines = ran.stdout.split("\n")
        if ran.returncode != 0 or len(lines) < 3:
            print(f"{name}\n  exit code {ran.returncode}")
            self.problems += 1
            return
        read, written = ranges(lines[1]), ranges(lines[2])
        # A compiler may spare a load of what is written as well.
        if bytes_of(written) != bytes_of(writes) or bytes_of(read) - bytes_of(writes) != bytes_of(reads) - bytes_of(writes):
            print(f"{name}\n  read {read}, not {reads}\n  written {written}, not {writes}")
            self.problems += 1


def main():
    parser = argparse.ArgumentParser(description="Calls with the pass.")
    parser.add_argument("--pass", dest="plugin", required=True)
    parser.add_argument("--clang", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pf-") as name:
        source = Path(name) / "calls.c"
        source.write_text(text())
        runs = Runs(arguments, Path(name))
        for form in FORMS:
            runs.build(source, form)
            for number, (code, reads, writes) in enumerate(CASES):
                runs.check(f"{' '.join(form)}: {code}", number, reads, writes)
            runs.build(HERE / "vectors.ll", form)
            runs.check(f"{' '.join(form)}: vectors.ll", 0, *VECTORS)
    print(f"{runs.total - runs.problems} of {runs.total} as expected")
    return 1 if runs.problems else 0


if __name__ == "__main__":
    sys.exit(main())

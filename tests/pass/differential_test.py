#!/usr/bin/env python3
"""Random small C programs: with the pass, at every level of optimisation, they compute what they compute without it, and the hooks tell of every
byte of shared memory that the program touches, and of no other; where only a part of it is reachable, of every byte of the part. Where memory holds nothing of use, and each load is given its value by a hook, they compute it, too.

  differential_test.py --pass PLUGIN --clang CLANG [--programs N] [--seed N]
  differential_test.py --pass PLUGIN --gcc GCC [--programs N] [--seed N]
  differential_test.py --hooks SCRIPT --gcc GCC [--programs N] [--seed N]

With --hooks: the hooks of GCC's -fsanitize=thread in place of a pass.

A compiler may spare a load of what was just stored: such bytes must be among those written.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")  # -Os: short hooks, as in huge functions


class Program:
    """One function of random statements; every index stays inside the shared memory, whatever the loops do."""

    TYPES = {"char": 1, "short": 2, "int": 4, "long": 8}

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.depth = 0
        self.helpers = []
        self.variables = []

    def text(self):
        # A function that calls elsewhere may lead to MPI: not all of it has a copy, but its loops have.
        call = self.random.choice(("", "  elsewhere();\n"))
        statements = [self.statement() for _ in range(self.random.randint(2, 6))]
        for _ in range(self.random.choice((0, 0, 1, 2))):
            statements.insert(self.random.randint(0, len(statements)), self.walk("  "))
        for _ in range(self.random.choice((0, 1, 2))):
            statements.insert(self.random.randint(0, len(statements)), self.tested("  "))
        body = call.join(["", *statements, ""])
        return ('#include "harness.h"\n#include <string.h>\n'
                "struct point { int x, y; long z; };\n"
                "static volatile int zero;\n"
                + "".join(self.helpers) +
                "unsigned long work(unsigned char* shared) {\n  unsigned long sum = 0;\n  const int n = 12 + zero;\n  int order[16];\n"
                "  for (int i = 0; i < 16; ++i) order[i] = (i * 5 + zero) % 16;\n"
                f"  {self.random.choice(('signed char', 'short', 'int', 'long', 'unsigned char', 'unsigned short'))} many[48][3];\n"
                "  for (int i = 0; i < 48; ++i) for (int k = 0; k < 3; ++k) many[i][k] = (i * 29 + 7 * k + zero) % 48;\n"
                f"{body}  return sum;\n}}\n")

    def place(self):
        """An element, as text: base, and an index that is at most 15 for each loop variable."""
        name = self.random.choice(list(self.TYPES))
        base = self.random.randrange(0, 1024) // 8 * 8
        index = str(self.random.randrange(8))
        for variable in self.variables:
            kind = self.random.random()
            if kind < 0.5:
                index += f" + {self.random.choice((1, 1, 2, 5))} * {variable}"
            elif kind < 0.65:
                index += f" + order[{variable}]"
            elif kind < 0.75:
                index += f" + (15 - {variable})"
        return f"(({name}*)(shared + {base}))[{index}]"

    def through_pointers(self, pad):
        """Pointers of which only the run knows whether they point to shared memory or to what nobody else knows of."""
        number = len(self.helpers)
        at = self.random.randrange(0, 800) // 8 * 8
        shared = f"(struct point*)(shared + {at})"
        kind = self.random.randrange(6)
        if kind == 0:  # one of two
            self.helpers.append(f"__attribute__((noinline)) static void pick{number}(struct point* p, int by) {{ W(p->y, R(p->x) + by); }}\n")
            body = f"struct point* p = sum % 2 ? &own : {shared}; pick{number}(p, 3); pick{number}(&own, 4); sum += (unsigned long)own.y;"
            return f"{pad}{{ struct point own = {{1, 2, 3}}; {body} }}\n"
        if kind == 1:  # through a variable of the file
            self.helpers.append(f"static struct point* saved{number};\n__attribute__((noinline)) static void use{number}(void) {{ W(saved{number}->z, 5); }}\n")
            return f"{pad}{{ static struct point own; saved{number} = sum % 3 ? {shared} : &own; use{number}(); sum += (unsigned long)R(saved{number}->x); }}\n"
        if kind == 2:  # recursion
            self.helpers.append(f"__attribute__((noinline)) static long walk{number}(struct point* p, int n) {{\n"
                                f"  if (n == 0) return R(p->x);\n  W(p[n].y, n);\n  return walk{number}(p, n - 1) + R(p[n].x);\n}}\n")
            return f"{pad}{{ struct point own[6] = {{{{1, 2, 3}}}}; sum += (unsigned long)(walk{number}(own, 5) + walk{number}({shared}, 4)); }}\n"
        if kind == 3:  # by its address
            self.helpers.append(f"static long called{number}(struct point* p) {{ W(p->x, 8); return R(p->y); }}\n"
                                f"static long (*volatile known{number})(struct point*) = called{number};\n")
            return f"{pad}{{ struct point own = {{1, 2, 3}}; sum += (unsigned long)(called{number}(&own) + known{number}({shared})); }}\n"
        if kind == 4:  # a pointer that somebody else sets
            self.helpers.append(f"__attribute__((noinline)) static void aim{number}(struct point** p, void* at) {{ *p = (struct point*)at; }}\n")
            return f"{pad}{{ struct point own = {{1, 2, 3}}, *p = &own; aim{number}(&p, shared + {at}); W(p->z, 6); sum += (unsigned long)R(p->y) + (unsigned long)own.x; }}\n"
        step, count = self.random.choice((1, 2, 3)), self.random.randrange(3, 20)  # from one address to another
        name = self.random.choice(list(self.TYPES))
        end = at + self.TYPES[name] * step * count
        return (f"{pad}for ({name} *p = ({name}*)(shared + {at}), *end = ({name}*)(shared + {end}) + zero; p < end; p += {step}) "
                f"W(*p, R(*p) + ({name})(sum + 1));\n")

    def through_indices(self, pad):
        """A loop that is long enough for its indices to be read in front of it, or is not; also behind a number that makes them negative."""
        accesses = ""
        bases = [self.random.randrange(128, 900) // 8 * 8 for _ in range(2)]
        for _ in range(self.random.randint(1, 4)):
            name = self.random.choice((*self.TYPES, "struct point"))
            index = f"many[g{self.random.choice(('', '', ' + 1'))}][{self.random.randrange(3)}] - {self.random.choice((0, 0, 8))}"
            element = f"(({name}*)(shared + {self.random.choice(bases)}))[{index}]" + (".y" if name == "struct point" else "")
            accesses += self.random.choice((f" W({element}, sum + 5);", f" sum = sum * 3 + (unsigned long)R({element});", f" W({element}, R({element}) + 1);"))
        condition = self.random.choice(("", "", "", "if (g % 3 == 1) "))
        head = self.random.choice(("int g = 0; g < 40 + zero; ++g", "long g = 3; g < 47; ++g", "int g = 0; g < 46; g += 1 + zero", "int g = 0; g < n; ++g"))
        loop = f"{pad}for ({head}) {{ {condition}{{{accesses} }} }}\n"
        # The same rows once more in a loop around: one row, or several.
        return loop if self.random.random() < 0.7 else f"{pad}for (int h = 0; h < 2 + zero; ++h)\n  {loop}"

    def compressed_rows(self, pad):
        """Rows of indices, each of which begins where the one before ends: all of them read in front of the loops, or not where a row is left out."""
        number, chosen = len(self.helpers), self.random.choice
        lengths = [chosen((0, 1, 2, 5, 9)) for _ in range(14)]
        begins = [sum(lengths[:row]) for row in range(15)]
        type_of_begin, type_of_index = chosen(("int", "long", "short", "unsigned", "unsigned char")), chosen(("int", "short", "long", "unsigned char"))
        name = chosen(list(self.TYPES))
        element = f"(({name}*)(shared + {self.random.randrange(128, 900) // 8 * 8}))[m->index[k]]"
        access = chosen((f"total += (unsigned long)R({element});", f"total = total * 3 + (unsigned long)R({element});", f"W({element}, R({element}) + 1);"))
        test = chosen(("", "", "", "if (row % 3 != 1) ", "if (total % 2) ", "if (zero == 0) "))
        head = chosen((*3 * (("m->begin[row]", "m->begin[row + 1]"),), ("row * 3", "(row + 1) * 3"), ("row * 3", "row * 3 + 2"), ("m->begin[row] + 1", "m->begin[row + 1]")))
        rows = chosen(("0; row < 14", "2; row < 14 + zero", "3; row < n"))
        self.helpers.append(f"struct rows{number} {{ {type_of_begin}* begin; {type_of_index}* index; }};\n"
                            f"__attribute__((noinline)) static unsigned long multiply{number}(const struct rows{number}* m, unsigned char* shared, int n) {{\n"
                            f"  unsigned long total = 0;\n  for (long row = {rows}; ++row)\n    {test}for ({chosen(('long', 'int'))} k = {head[0]}; k < {head[1]}; ++k) {access}\n"
                            "  return total;\n}\n")
        return (f"{pad}{{ {type_of_begin} begin[15] = {{{', '.join(map(str, begins))}}}; {type_of_index} index[{begins[-1] + 64}];\n"
                f"{pad}  for (int i = 0; i < {begins[-1] + 64}; ++i) index[i] = (i * 37 + zero) % 90;\n"
                f"{pad}  struct rows{number} m = {{begin, index}}; sum += multiply{number}(&m, shared, n); }}\n")

    def walk(self, pad):
        """A loop that ends when it has found something; what it found is used behind it: alone, by a second loop, and as a length."""
        name = self.random.choice(list(self.TYPES))
        at, most = self.random.randrange(0, 800) // 8 * 8, self.random.randrange(1, 30)
        stop = self.random.choice(("R(*w) % 4 == 3", "R(*w) > 40", "(sum += (unsigned long)R(*w)) % 5 == 4", "R(*w) == R(w[1])"))
        uses = ("W(*w, sum + 7);", "W(w[-1], 9);", "sum = sum * 5 + (unsigned long)R(w[2]);",
                "for (int k = 0; k < n; ++k) W(w[k], sum + 1);", "for (long k = w - begin; k < 12; ++k) sum += (unsigned long)R(begin[k]);",
                "for (int k = 0; k < 2 + zero; ++k) for (int l = 0; l < n; ++l) W(w[k * 16 + l], 4);",
                f"for (int k = 0; k < 40; ++k) sum += (unsigned long)R(w[many[k][1] & 15]);",
                "tell_copy(shared + 2048, w, (unsigned long)(w - begin)); memcpy(shared + 2048, w, (unsigned long)(w - begin));",
                f"for ({name}* v = w; v < end; ++v) if (w != begin) W(*v, 3);")
        body = " ".join(self.random.sample(uses, self.random.randint(1, 4)))
        return (f"{pad}{{ {name} *begin = ({name}*)(shared + {at + 8}), *w = begin, *end = begin + {most} + zero;\n"
                f"{pad}  while (w < end && !({stop})) ++w;\n{pad}  {body} }}\n")

    def tested(self, pad):
        """Loops whose accesses depend on data, so that they have no range, but bounds: forwards, backwards and over a triangle."""
        chosen = self.random.choice
        name = chosen(list(self.TYPES))
        outer = chosen(("long r = 0; r < n", "int r = n - 1; r >= 0; --r", "int r = 1; r < 11 + zero; r += 2", "unsigned r = 2; r < (unsigned)n"))
        outer += "" if "r >= 0" in outer or "+=" in outer else "; ++r"
        inner = chosen(("int c = 0; c < n; ++c", "long c = n - 1; c >= 0; --c", "int c = 0; c < (int)r; ++c", "int c = (int)r; c < n; ++c", "int c = 0; c < 5 + zero; ++c"))
        test = chosen(("if (many[r][c % 3] % 3 == 1) ", "if (order[c] & 1) ", "if (sum % 3) ", "if (R(shared[c]) & 1) "))
        base = self.random.randrange(0, 1400) // 8 * 8
        index = chosen(("r * 12 + c", "r * 7 + c", "c * 12 + r", "(11 - r) * 12 + c", "144 - r * 12 - c", "c"))
        element = f"(({name}*)(shared + {base}))[{index}]"
        access = chosen((f"W({element}, sum + 3);", f"sum = sum * 3 + (unsigned long)R({element});"))
        body = f"{test}{access}"
        return f"{pad}for ({outer})\n{pad}  for ({inner}) {body}\n"

    def rows(self, pad):
        """Loops inside loops over rows that may be the same memory: vectorised behind tests of that. Some tests come out the same for all rows."""
        name = self.random.choice(list(self.TYPES))
        step = self.random.choice((7, 16))
        into, source = (self.random.randrange(0, 1600) // 8 * 8 for _ in range(2))
        width = self.random.choice(("5", "n", "n / 2", "16", "0"))
        first = self.random.choice(("0", "0", "3", "h", "r", "zero"))
        test = self.random.choice(("", "", "if (n > 5 + zero) ", "if (n < zero) ", "if (sum % 2) ", "if (r != 2) ", "if (h) if (n > h) "))
        row = self.random.choice(("r", "h", "zero"))
        body = f"W((({name}*)(shared + {into}))[r * {step} + c], R((({name}*)(shared + {source}))[{row} * {step} + c]) + ({name})1);"
        rows = self.random.choice(("r < 6 + zero", "r < n", "r < 9", "r < h"))
        return (f"{pad}for (long h = 0; h < 2 + zero; ++h)\n{pad}  for (long r = {self.random.choice(('0', '2', 'h'))}; {rows}; ++r) {{\n"
                f"{pad}    {test}for (long c = {first}; c < {width}; ++c) {body}\n{pad}  }}\n")

    def statement(self):
        pad = "  " * (self.depth + 1)
        kind = self.random.random()
        if kind < 0.35 and self.depth < 3:
            variable = "ijk"[self.depth]
            self.variables.append(variable)
            self.depth += 1
            body = "".join(self.statement() for _ in range(self.random.randint(1, 3)))
            self.depth -= 1
            self.variables.pop()
            head = self.random.choice((f"for (int {variable} = 0; {variable} < n; ++{variable})",
                                       f"for (int {variable} = 1; {variable} < n - 1; {variable} += 2)",
                                       f"for (int {variable} = n - 1; {variable} >= 2; --{variable})",
                                       f"for (long {variable} = 3; {variable} < 9; ++{variable})",
                                       f"for (int {variable} = n; {variable} < n; ++{variable})"))
            return f"{pad}{head} {{\n{body}{pad}}}\n"
        if kind < 0.45 and self.depth > 0:
            variable = self.variables[-1]
            self.depth += 1
            body = self.statement()
            self.depth -= 1
            return f"{pad}if ({variable} % 3 == {self.random.randrange(3)}) {{\n{body}{pad}}}\n"
        if kind < 0.5 and self.depth > 0:
            return f"{pad}if (sum % 7 == 3) break;\n"
        if kind < 0.52:
            return self.random.choice((self.through_indices, self.compressed_rows))(pad) if self.depth < 2 else ""
        if kind < 0.55:
            return self.rows(pad) if self.depth < 2 else ""
        if kind < 0.59:
            to, origin, size = self.random.randrange(0, 1500), self.random.randrange(2000, 3500), self.random.randrange(1, 400)
            return (f"{pad}tell_copy(shared + {to}, shared + {origin}, {size});\n{pad}memcpy(shared + {to}, shared + {origin}, {size} + zero);\n"
                    if self.depth == 0 else "")
        if kind < 0.65:
            number = len(self.helpers)
            field = self.random.choice(("x", "y", "z"))
            self.helpers.append(f"__attribute__((noinline)) static long helper{number}(struct point* p, int by) {{\n"
                                f"  W(p->{field}, R(p->{field}) + by);\n  return R(p->x) + R(p->z);\n}}\n")
            index = self.variables[-1] if self.variables else "3"
            return f"{pad}sum += (unsigned long)helper{number}((struct point*)(shared + {self.random.randrange(0, 800) // 8 * 8}) + {index}, {self.random.randrange(1, 9)});\n"
        if kind < 0.75:
            return self.through_pointers(pad)
        if kind < 0.88:
            return f"{pad}sum = sum * 3 + (unsigned long)R({self.place()});\n"
        return f"{pad}W({self.place()}, sum + {self.random.randrange(99)});\n"


def build_harness(arguments, directory):
    """Without and with hooks. It is not looked at itself: its own loads and stores are no part of the program."""
    for name, flags in (("bare.o", []), ("hooks.o", ["-D__PHOTOFINISH__=1"])):
        subprocess.run([arguments.compiler, "-O1", "-w", f"-I{INCLUDE}", *flags, "-c", str(HERE / "harness.c"), "-o", str(directory / name)], check=True)


def build(clang, level, source, harness, flags):
    program = source.with_name(f"program{level}{len(flags)}")
    subprocess.run([clang, level, "-w", "-fno-strict-aliasing", f"-I{HERE}", *flags, str(source), str(harness), "-o", str(program)], check=True)
    return program


def run(program, **environment):
    lines = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=60, env={**os.environ, **environment}).stdout.split("\n")
    touched = [{at for at, bit in enumerate(line) if bit == "1"} for line in lines[1:3]]
    return lines[0], touched[0], touched[1]


def check(arguments, harnesses, seed):
    with tempfile.TemporaryDirectory(prefix="pf-") as name:
        source = Path(name) / "program.c"
        text = Program(seed).text().replace(
            '#include <string.h>\n', '#include <string.h>\n#ifdef __PHOTOFINISH__\n#define tell_copy(to, from, size)\n#else\n'
            '#define tell_copy(to, from, size) (tell(to, size, 1), tell(from, size, 0))\n#endif\n', 1)
        source.write_text(text)
        result, reads, writes = run(build(arguments.compiler, "-O1", source, harnesses / "bare.o", []))
        problems = []
        plugin = ["-fchecking", *(["-wrapper", arguments.hooks] if arguments.hooks else [f"-fplugin={arguments.plugin}"])] if arguments.gcc else [f"-fpass-plugin={arguments.plugin}"]
        for level in LEVELS:
            program = build(arguments.compiler, level, source, harnesses / "hooks.o", [*plugin, "-D__PHOTOFINISH__=1"])
            short = {"PHOTOFINISH_SHORT_HOOKS": "1"} if level == "-Os" and not arguments.gcc else {}
            found, alone = run(program, **short), run(program, PHOTOFINISH_UNWATCHED="1")
            begin = random.Random(f"{seed}{level}").randrange(0, 1500)
            part = set(range(begin, begin + 48))  # reachable; of other memory the hooks may tell, or not
            some = run(program, PHOTOFINISH_PART=f"{begin} {begin + 48}", **short)
            if some[0] != result or some[2] & part != writes & part or not some[1] <= reads or not reads & part <= some[1] | some[2]:
                problems.append(f"{level}: with bytes {begin} to {begin + 48} reachable computes {some[0]}, not {result}; written {sorted((some[2] ^ writes) & part)[:20]} differ; "
                                f"not told of {sorted((reads - some[1] - some[2]) & part)[:20]}")
            loads = set()
            for values in () if arguments.gcc else ("seen", "given"):  # GCC's plugin has no copies with values
                ended = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, env={**os.environ, "PHOTOFINISH_VALUES": values})
                loads.add(ended.stderr)
                if ended.stdout.split("\n")[0] != result:
                    problems.append(f"{level}: with values that are {values} computes {ended.stdout.split(chr(10))[0]}, not {result}; exit code {ended.returncode}")
            if len(loads) > 1:
                problems.append(f"{level}: counts different loads: {loads}")
            if alone != (result, set(), set()):
                problems.append(f"{level}: without the tool computes {alone[0]}, not {result}, or calls hooks")
            if found[0] != result:
                problems.append(f"{level}: computes {found[0]}, not {result}")
            if found[2] != writes:
                problems.append(f"{level}: written {sorted(found[2] ^ writes)[:20]} differ")
            if not found[1] <= reads:
                problems.append(f"{level}: read, and was not: {sorted(found[1] - reads)[:20]}")
            if not reads <= found[1] | found[2]:
                problems.append(f"{level}: not told of: {sorted(reads - found[1] - found[2])[:20]}")
        return f"seed {seed}\n" + "\n".join(problems) + "\n" + text if problems else None


def main():
    parser = argparse.ArgumentParser(description="Random programs with and without the pass.")
    parser.add_argument("--pass", dest="plugin")
    parser.add_argument("--hooks")
    parser.add_argument("--clang")
    parser.add_argument("--gcc")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.compiler = arguments.gcc or arguments.clang
    if not arguments.compiler or not (arguments.plugin or (arguments.hooks and arguments.gcc)):
        parser.error("a compiler, or what it is to use, is missing")
    with tempfile.TemporaryDirectory(prefix="pf-") as harnesses, ThreadPoolExecutor(2) as pool:
        build_harness(arguments, Path(harnesses))
        failures = [f for f in pool.map(lambda i: check(arguments, Path(harnesses), arguments.seed + i), range(arguments.programs)) if f]
    for failure in failures[:3]:
        print(failure)
    print(f"{arguments.programs - len(failures)} of {arguments.programs} programs agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Random declarations, pointer arithmetic, casts and accesses, compared with a slow model of UPC's pointer rules.

The model moves a pointer one element at a time: the phase grows; after the last element of a block it is 0 again, on the next
thread; after the last thread, on thread 0, in its next block. A cast to other blocks keeps thread and address; the phase is 0.

  differential_test.py --pfupcc PATH --mpi openmpi|mpich [--programs 4] [--seed 1]
"""
import os
import random
import sys
import tempfile

import upc_tool

TYPES = {"char": 1, "short": 2, "int": 4, "double": 8}
BLOCKS = [0, 1, 2, 3, 5, 7, 16]


class Array:
    def __init__(self, name, kind, block, per_thread, threads):
        self.name, self.kind, self.block, self.threads = name, kind, block, threads
        self.size = TYPES[kind]
        self.elements = per_thread * (threads if block else 1)
        self.dimension = f"{per_thread} * THREADS" if block else str(per_thread)
        self.memory = {}  # (thread, byte) to value

    def local_bytes(self):
        if self.block == 0:
            return self.elements * self.size
        row = self.block * self.threads
        return (self.elements + row - 1) // row * self.block * self.size


class Pointer:
    """To `array`, with a type of its own."""

    def __init__(self, array, block, thread=0, address=0, phase=0):
        self.array, self.block = array, block
        self.thread, self.address, self.phase = thread, address, phase

    def step(self, direction):
        size, block = self.array.size, self.block
        self.address += direction * size
        if block == 0:
            return
        self.phase += direction
        last = self.array.threads - 1
        if self.phase == block:
            self.phase = 0
            if self.thread == last:
                self.thread = 0
            else:
                self.thread += 1
                self.address -= block * size
        elif self.phase < 0:
            self.phase = block - 1
            if self.thread == 0:
                self.thread = last
            else:
                self.thread -= 1
                self.address += block * size

    def moved(self, count):
        result = Pointer(self.array, self.block, self.thread, self.address, self.phase)
        for _ in range(abs(count)):
            result.step(1 if count > 0 else -1)
        return result

    def cast(self, block):
        if block == self.block:
            return Pointer(self.array, block, self.thread, self.address, self.phase)
        return Pointer(self.array, block, self.thread, self.address, 0)

    def is_inside(self):
        threads = range(1) if self.array.block == 0 else range(self.array.threads)
        return self.thread in threads and 0 <= self.address and self.address + self.array.size <= self.array.local_bytes()

    def shown(self):
        return f"{self.thread} {self.phase} {self.address}"


def layout(block):
    return "[]" if block == 0 else f"[{block}]"


class Program:
    def __init__(self, seed, threads):
        self.random = random.Random(seed)
        self.threads = threads
        self.lines, self.expected = [], []
        self.arrays = []
        for number in range(self.random.randint(2, 4)):
            kind = self.random.choice(list(TYPES))
            self.arrays.append(Array(f"a{number}", kind, self.random.choice(BLOCKS), self.random.randint(3, 20), threads))
        self.pointers = []  # (name, model)
        self.variables = {}

    def variable(self, model):
        name = f"p{len(self.pointers)}"
        self.pointers.append((name, model))
        self.variables[name] = f"shared {layout(model.block)} {model.array.kind} *{name}"
        return name

    def show(self, name, model):
        self.lines.append(f'printf("%d %d %ld\\n", (int)upc_threadof({name}), (int)upc_phaseof({name}), '
                          f'(long)upc_addrfield({name}) - (long)upc_addrfield({model.array.name}));')
        self.expected.append(model.shown())

    def start(self):
        array = self.random.choice(self.arrays)
        index = self.random.randrange(array.elements)
        model = Pointer(array, array.block).moved(index)
        name = self.variable(model)
        self.lines.append(f"{self.variables[name]} = &{array.name}[{index}];")
        self.show(name, model)

    def move(self):
        name, model = self.random.choice(self.pointers)
        count = self.random.randint(-30, 30)
        target = model.moved(count)
        if not -2000 < target.address < 2000 or target.address < -64:
            return
        new = self.variable(target)
        self.lines.append(f"{self.variables[new]} = {name} {'-' if count < 0 else '+'} {abs(count)};")
        self.lines.append(f'printf("%ld\\n", (long)({new} - {name}));')
        self.expected.append(str(count))
        self.show(new, target)

    def cast(self):
        name, model = self.random.choice(self.pointers)
        target = model.cast(self.random.choice(BLOCKS))
        new = self.variable(target)
        self.lines.append(f"{self.variables[new]} = (shared {layout(target.block)} {model.array.kind} *){name};")
        self.show(new, target)

    def through_void(self):
        name, model = self.random.choice(self.pointers)
        new = self.variable(model.moved(0))
        self.lines.append(f"shared void *v{new} = {name}; {self.variables[new]} = v{new};")
        self.lines.append(f'printf("%d\\n", v{new} == {name} && {name} == {new});')
        self.expected.append("1")
        self.show(new, model)

    def write(self):
        name, model = self.random.choice(self.pointers)
        if model.is_inside():
            value = self.random.randint(0, 100)
            model.array.memory[model.thread, model.address] = value
            self.lines.append(f"*{name} = {value};")

    def read(self):
        name, model = self.random.choice(self.pointers)
        if model.is_inside():
            self.lines.append(f'printf("%d\\n", (int)*{name});')
            self.expected.append(str(model.array.memory.get((model.thread, model.address), 0)))

    def read_all(self):
        for array in self.arrays:
            self.lines.append(f'for (int i = 0; i < {array.elements}; i++) printf("%d ", (int){array.name}[i]); printf("\\n");')
            pointer = Pointer(array, array.block)
            values = []
            for _ in range(array.elements):
                values.append(str(array.memory.get((pointer.thread, pointer.address), 0)))
                pointer.step(1)
            self.expected.append(" ".join(values) + " ")

    def text(self, operations):
        self.start()
        for _ in range(operations):
            self.random.choice([self.start, self.move, self.move, self.cast, self.through_void, self.write, self.write, self.read])()
        self.read_all()
        arrays = "\n".join(f"shared {layout(a.block)} {a.kind} {a.name}[{a.dimension}];" for a in self.arrays)
        body = "\n    ".join(self.lines)
        return ("#include <stdio.h>\n#include <upc.h>\n" + arrays +
                "\nint main(void) {\n  if (MYTHREAD == THREADS - 1) {\n    " + body + "\n  }\n  return 0;\n}\n")


def main():
    parser = upc_tool.parser(__doc__)
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--operations", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong = 0
    for seed in range(arguments.seed, arguments.seed + arguments.programs):
        threads = 1 + seed % 4
        program = Program(seed, threads)
        text = program.text(arguments.operations)
        flags = [f"-O{seed % 3}"] + ([f"-fupc-threads={threads}"] if seed % 2 else [])
        with tempfile.TemporaryDirectory() as directory:
            source = os.path.join(directory, "program.upc")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            code, said = upc_tool.build(arguments, source, source + ".out", *flags)
            code, out, err = upc_tool.run(arguments, source + ".out", threads) if code == 0 else (code, "", said)
        lines = out.splitlines()
        if code != 0 or lines != program.expected:
            wrong += 1
            first = next((i for i, pair in enumerate(zip(lines, program.expected)) if pair[0] != pair[1]), min(len(lines), len(program.expected)))
            print(f"seed {seed}, {threads} threads, {flags}: exit code {code}, line {first}: "
                  f"{lines[first:first + 1]} instead of {program.expected[first:first + 1]}\n{err}")
            with open(f"differential-{seed}.upc", "w", encoding="utf-8") as file:
                file.write(text)
            print(f"the program is in differential-{seed}.upc")
    print(f"{arguments.programs} programs: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

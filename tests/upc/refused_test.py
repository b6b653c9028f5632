#!/usr/bin/env python3
"""Programs that pfupcc refuses, and runs that the runtime ends: with the right message, at the right line."""
import os
import sys
import tempfile

import upc_tool

# (name, program, line of the error, words of the message). The first line of a program is line 1.
REFUSED = [
    ("automatic", "int main(void) {\n  shared int x;\n  return 0;\n}", 2, "a shared variable cannot be automatic"),
    ("automatic array", "int main(void) {\n  shared [4] int x[8];\n  return 0;\n}", 2, "a shared variable cannot be automatic"),
    ("automatic by typedef", "typedef shared int s;\nint main(void) {\n  s x;\n  return 0;\n}", 3, "a shared variable cannot be automatic"),
    ("parameter", "int f(shared int x) { return 0; }\nint main(void) { return 0; }", 1, "a parameter cannot be shared"),
    ("member", "struct s {\n  shared int x;\n};\nint main(void) { return 0; }", 2, "a member of a struct cannot be shared"),
    ("result", "shared int f(void);\nint main(void) { return 0; }", 1, "a function cannot return a shared object"),
    ("other block", "shared [2] int a[4*THREADS];\nint main(void) {\n  shared [3] int *p = a;\n  return 0;\n}", 3, "'shared [3] int *' with an expression of type 'shared [2] int"),
    ("other block, argument", "shared [2] int a[4*THREADS];\nvoid f(shared int *p) {}\nint main(void) {\n  f(a);\n  return 0;\n}", 4, "changes the block size"),
    ("shared to private", "shared int a[THREADS];\nint main(void) {\n  int *p = a;\n  return 0;\n}", 3, "use a cast"),
    ("private to shared", "int x;\nint main(void) {\n  shared int *p = &x;\n  return 0;\n}", 3, "use a cast"),
    ("private to shared, cast", "int x;\nint main(void) {\n  shared int *p = (shared int *)&x;\n  return *p;\n}", 3, "a private pointer cannot become a pointer to shared"),
    ("private local to shared, cast", "int main(void) {\n  int x = 0, *q = &x;\n  shared int *p = (shared int *)q;\n  return *p;\n}", 3, "a private pointer cannot become a pointer to shared"),
    ("private to shared void", "#include <upc.h>\nint x;\nint main(void) {\n  upc_memget(&x, &x, 4);\n  return 0;\n}", 4, "a private pointer cannot become a pointer to shared"),
    ("integer to shared", "int main(int c, char **v) {\n  shared int *p = (shared int *)(long)c;\n  return *p;\n}", 2, "an integer cannot become a pointer to shared"),
    ("object of type void", "shared void x;\nint main(void) { return 0; }", 1, "only pointers can"),
    ("no type", "shared x;\nint main(void) { return 0; }", 1, ""),
    ("[*] of a pointer", "int main(void) {\n  int i = 0;\n  return i + sizeof(shared [*] int *);\n}", 3, "[*] can only be the block size of an array"),
    ("[*] without threads", "shared [*] int a[10];\nint main(void) { return 0; }", 1, "multiply a dimension by THREADS"),
    ("[*] of a scalar", "shared [*] int a;\nint main(void) { return 0; }", 1, "[*] can only be the block size of an array"),
    ("size that is no multiple", "shared int a[THREADS + 1];\nint main(void) { return 0; }", 1, "must be a constant multiple of THREADS"),
    ("threads twice", "shared int a[THREADS][THREADS];\nint main(void) { return 0; }", 1, "must be a constant multiple of THREADS"),
    ("threads divided", "shared int a[THREADS / 2];\nint main(void) { return 0; }", 1, "must be a constant multiple of THREADS"),
    ("divisor in brackets", "shared int a[4 / (THREADS)];\nint main(void) { return 0; }", 1, "must be a constant multiple of THREADS"),
    ("block too large", "shared [10000019] char a[10000019*THREADS];\nint main(void) { return 0; }", 1, "the block is too large"),
    ("forall with two parts", "int main(void) {\n  upc_forall (;;) ;\n  int i;\n  upc_forall (i = 0; i < 3) ;\n  return 0;\n}", 4, "upc_forall has 4 parts"),
    ("size of a private name", "int x;\nint main(void) {\n  return upc_blocksizeof(x);\n}", 3, "upc_blocksizeof needs a shared type"),
    ("atomics of C", "shared int a;\nint main(void) {\n  return __sync_fetch_and_add(&a, 1);\n}", 3, "atomic operations of C"),
    ("struct that is never complete", "struct s;\nshared struct s *p;\nint main(void) {\n  return (shared [] char *)p != 0;\n}", 4, "a struct that is not defined in this file"),
    ("assignment to a constant", "const shared int a;\nint main(void) {\n  a = 3;\n  return 0;\n}", 3, "const"),
    ("THREADS is constant", "int main(void) {\n  THREADS = 3;\n  return 0;\n}", 2, "const"),
    ("unknown name after a long rewrite", "shared [4] int a[4*THREADS], b[4*THREADS];\nint main(void) {\n  upc_forall (int i = 0; i < 4; i++; &a[i]) a[i] = unknown;\n  return 0;\n}", 3, "'unknown'"),
    ("dimension that is no constant", "int n;\nshared int a[n];\nint main(void) { return 0; }", 2, "variable length array"),
]

# (name, program, words of the message): compiles, and the runtime ends it on 2 threads.
ENDED = [
    ("different values", "int main(void) { upc_barrier MYTHREAD; return 0; }", "different values: 0 and 1"),
    ("notify twice", "int main(void) { upc_notify; upc_notify; return 0; }", "upc_notify follows a upc_notify"),
    ("wait first", "int main(void) { upc_wait; return 0; }", "upc_wait without a upc_notify"),
    ("wait with another value", "int main(void) { upc_notify 1; upc_wait 2; return 0; }", "the values must be equal"),
    ("unlock of another's lock", "#include <upc.h>\nint main(void) { upc_lock_t *l = upc_all_lock_alloc(); upc_unlock(l); return 0; }", "this thread does not hold the lock"),
    ("lock twice", "#include <upc.h>\nint main(void) { upc_lock_t *l = upc_global_lock_alloc(); upc_lock(l); upc_lock(l); return 0; }", "holds the lock already"),
    ("free of no allocation", "#include <upc.h>\nshared int a[THREADS];\nint main(void) { upc_free(&a[0]); return 0; }", "not one that an allocation returned"),
    ("operation that a domain does not have", "#include <upc_atomic.h>\nshared int a;\nint main(void) { int x = 1; upc_atomic_relaxed(upc_all_atomicdomain_alloc(UPC_INT, UPC_ADD, 0), 0, UPC_SET, &a, &x, 0); return 0; }",
     "the domain does not have the operation"),
]


def refused(arguments, name, program, line, words, source):
    with open(source, "w", encoding="utf-8") as file:
        file.write(program + "\n")
    code, said = upc_tool.build(arguments, source, source + ".out")
    if code == 0:
        return f"{name}: compiles"
    errors = [text for text in said.splitlines() if text.startswith(f"{source}:{line}:") and "error" in text]
    if not any(words in text for text in errors):
        return f"{name}: expected '{words}' at line {line}:\n{said}"
    if "address_space" in said or "__upc" in said:
        return f"{name}: names what is not UPC:\n{said}"
    return None


def ended(arguments, name, program, words, source):
    with open(source, "w", encoding="utf-8") as file:
        file.write(program + "\n")
    code, said = upc_tool.build(arguments, source, source + ".out")
    if code != 0:
        return f"{name}: does not compile:\n{said}"
    code, out, err = upc_tool.run(arguments, source + ".out", 2)
    if code == 0 or words not in err:
        return f"{name}: exit code {code}, expected '{words}':\n{out}{err}"
    return None


def static_threads(arguments, source):
    """A program that was compiled for 3 threads does not run on 2."""
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    upc_tool.build(arguments, source, source + ".out", "-fupc-threads=3")
    code, out, err = upc_tool.run(arguments, source + ".out", 2)
    return None if code != 0 and "-fupc-threads=3" in err else f"static threads: exit code {code}:\n{out}{err}"


def main():
    parser = upc_tool.parser(__doc__)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "program.upc")
        problems = [refused(arguments, *row, source) for row in REFUSED]
        problems += [ended(arguments, *row, source) for row in ENDED]
        problems.append(static_threads(arguments, source))
    wrong = [problem for problem in problems if problem]
    print("\n".join(wrong + [f"{len(problems)} programs: {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

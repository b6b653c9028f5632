#!/usr/bin/env python3
"""The core knows no programming model, and folders do not depend on each other in circles.

  - Code of CORE, without comments, has no name of MPI and of no other model, and includes nothing from a front end.
  - The includes between folders of src form no cycle.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SRC = os.path.join(ROOT, "src")
CORE = ["model", "order", "memory", "effects", "detect", "confirm", "steering", "record"]
FOREIGN = re.compile(r"\bP?MPIX?_\w+|\bmpi\w*\b|\bMpi\w+|\bp?shmem_\w+|\bupc_\w+|\bcaf_\w+")
INCLUDE = re.compile(r'^#include "([^"]+)/[^/"]+"', re.MULTILINE)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text):
    keep = lambda match: match.group() if match.group().startswith('"') else "\n" * match.group().count("\n")
    return COMMENT.sub(keep, text)


def sources():
    for where, _, names in os.walk(SRC):
        for name in sorted(names):
            if name.endswith((".h", ".cpp", ".def")):
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as file:
                    yield os.path.relpath(where, SRC), os.path.relpath(path, ROOT), without_comments(file.read())


def cycle(graph):
    """A list of folders that leads back to its first, or none."""
    done = set()

    def visit(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        for other in sorted(graph.get(folder, ())):
            if found := visit(other, path + [folder]):
                return found
        done.add(folder)
        return None

    for folder in sorted(graph):
        if found := visit(folder, []):
            return found
    return None


def main():
    wrong, graph, count = [], {}, 0
    for folder, path, text in sources():
        count += 1
        for other in INCLUDE.findall(text):
            if other != folder:
                graph.setdefault(folder, set()).add(other)
            if folder.split("/")[0] in CORE and other.split("/")[0] == "frontend":
                wrong.append(f"{path}: the core includes {other}")
        if folder.split("/")[0] in CORE:
            for number, line in enumerate(text.splitlines(), 1):
                wrong += [f"{path}:{number}: {name}" for name in FOREIGN.findall(line)]
    if count < 300:
        wrong.append(f"only {count} files found in {SRC}")
    if found := cycle(graph):
        wrong.append("folders include each other: " + " → ".join(found))
    print("\n".join(wrong) if wrong else f"{count} files, {len(graph)} folders: no cycle, and no foreign name in the core")
    return 1 if wrong else 0


sys.exit(main())

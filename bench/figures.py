"""Reads and writes bench/figures.json, the figures of README.md and docs/. The benchmarks write it with --figures, tests/docs/figures_test.py compares the pages with it.

`tables` has the measured values, by table and row; `measured` has the command and the machine of each table.
"""
import json
import os
import platform
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.json")


def read(path=PATH):
    with open(path) as file:
        return json.load(file)


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{os.cpu_count()} cores ({models[0] if models else platform.machine()})"


def add_option(parser):
    parser.add_argument("--figures", nargs="?", const=PATH, metavar="FILE", help="store what was measured in FILE (bench/figures.json)")


def store(path, table, row, values):
    """Replaces these values of one row, such as those of one application or one MPI; others stay. Does nothing without a path."""
    if not path:
        return
    figures = read(path) if os.path.exists(path) else {"tables": {}, "measured": {}}
    rounded = {column: round(value, 4) if isinstance(value, float) else value for column, value in values.items()}
    figures["tables"].setdefault(table, {}).setdefault(row, {}).update(rounded)
    words = [os.path.relpath(sys.argv[0], os.path.dirname(os.path.dirname(PATH)))]
    words += [word for word, before in zip(sys.argv[1:], sys.argv) if not word.startswith("--figures") and not (before == "--figures" and word == path)]
    figures["measured"][table] = {"command": " ".join(words), "machine": machine()}
    with open(path, "w") as file:
        json.dump(figures, file, indent=2, ensure_ascii=False)
        file.write("\n")

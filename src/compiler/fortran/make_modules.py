#!/usr/bin/env python3
"""Generates the modules `mpi` and `mpi_f08` for a Fortran compiler that the MPI library was not built with. Compilers read only their own module files.

  make_modules.py --include DIRECTORY… MODULES.f90 PROCEDURES.f90 PROCEDURES.c

The calls, argument names and constants come from the library's own mpi.h and mpif.h. The generated procedures call the library's mpif.h
procedures, which take addresses of any type:
  - Buffers are passed as descriptors to C procedures. These copy a section that has gaps, as a compiler without support for MPI does.
  - Other arguments are forwarded unchanged: directly in `mpi`; through Fortran procedures in `mpi_f08`, because ierror is optional there.
The names of these procedures begin with photofinish_mpi_, so that reports omit their frames.
Limits: no large-count calls, no MPI_Sizeof in mpi_f08, no calls that exist in C only.
"""
import argparse
import re
from pathlib import Path

HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Win")
OPERATIONS = "MAX MIN SUM PROD MAXLOC MINLOC BAND BOR BXOR LAND LOR LXOR REPLACE NO_OP".split()
DATATYPES = re.compile(r"MPI_(2?(CHARACTER|LOGICAL|INTEGER|REAL|COMPLEX|DOUBLE_PRECISION|DOUBLE_COMPLEX)\d*|BYTE|PACKED|AINT|COUNT|OFFSET|LB|UB|W?CHAR"
                       r"|SIGNED_CHAR|(UNSIGNED_?)?(CHAR|SHORT|INT|LONG|LONG_LONG)?|LONG_LONG_INT|FLOAT|(LONG_)?DOUBLE|U?INT\d+_T"
                       r"|C_\w+|CXX_\w+|(FLOAT|DOUBLE|LONG|SHORT|LONG_DOUBLE|2)_?INT)$")
# Names that are different in C, or missing there.
LEFT_OUT = re.compile(r"MPI_(T_|Pcontrol$|Sizeof|DUP_FN|\w+_(c2f|f2c|c2f08|f082c|f082f|f2f08)$|\w+_c$|\w+_fn$|\w+_FN$)")
# Arguments that hold addresses, as C pointers or as integers, are not buffers. A compiler that ignores types may pass the target of a C
# pointer, so these two keep their types.
POINTERS = ("baseptr", "buffer_addr")
NUMBERS = ("attribute_val", "extra_state")
PREFIX = "photofinish_"
ARGUMENTS = {"MPI_Init": [], "MPI_Init_thread": [("required", ""), ("provided", "")]}


def plain(path):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(errors="replace"), flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)


def closing(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return len(text)


def split(arguments):
    parts, depth, last = [], 0, 0
    for i, c in enumerate(arguments):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(arguments[last:i])
            last = i + 1
    return parts + [arguments[last:]]


def argument(text):
    """The name of the argument and its kind: a buffer, characters, a procedure, or other."""
    text = " ".join(text.split())
    name = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^]]*\]", "", text))[-1]
    if re.match(r"(const )?char ", text):
        return name, "strings" if "*" in text.replace("*", "", 1) or "[" in text else "string"
    if re.search(r"_(function|fn)(_c)? ?\*", text):
        return name, "procedure"
    if re.match(r"(const )?void ?\*", text) and name not in NUMBERS:
        return name, "pointer" if name in POINTERS else "buffer"
    return name, ""


def calls(include):
    found = {}
    for name in ("mpi.h", "mpi_proto.h"):
        path = next((folder / name for folder in include if (folder / name).exists()), None)
        if path is None:
            continue
        text = plain(path)
        for match in re.finditer(r"\bint\s+(MPI_[A-Z]\w*)\s*\(", text):
            if LEFT_OUT.match(match[1]) or match[1] in found:
                continue
            end = closing(text, match.end() - 1)
            body = text[match.end():end].strip()
            if "..." in body:
                continue
            arguments = ARGUMENTS.get(match[1], [] if body in ("", "void") else [argument(one) for one in split(body)])
            if any(kind.startswith("string") for _, kind in arguments):  # their lengths follow all arguments: not for C
                arguments = [(name, "" if kind == "buffer" else kind) for name, kind in arguments]
            found[match[1]] = arguments
    return found


def constants(include):
    """The constants of mpif.h and its includes, each with its handle type, or none."""
    names, seen = [], set()

    def read(name):
        path = next((folder / name for folder in include if (folder / name).exists()), None)
        if path is None or path in seen:
            return
        seen.add(path)
        text = path.read_text(errors="replace")
        for line in text.splitlines():
            if included := re.match(r"\s*include\s+['\"](.*?)['\"]", line, re.IGNORECASE):
                read(included[1])
        names.extend(name.upper() for name in re.findall(r"parameter\s*\(\s*(MPI_\w+)\s*=", text, re.IGNORECASE))

    read("mpif.h")
    return {name: handle_of(name) for name in names}


def handle_of(name):
    rest = name[len("MPI_"):]
    if rest in OPERATIONS:
        return "Op"
    for handle in HANDLES:
        if rest == f"{handle.upper()}_NULL":
            return handle
    known = {"COMM_WORLD": "Comm", "COMM_SELF": "Comm", "GROUP_EMPTY": "Group", "INFO_ENV": "Info", "MESSAGE_NO_PROC": "Message",
             "ERRORS_ARE_FATAL": "Errhandler", "ERRORS_RETURN": "Errhandler", "ERRORS_ABORT": "Errhandler"}
    return known.get(rest) or ("Datatype" if DATATYPES.match(name) else None)


def wrapped(words, first, width=110):
    """Breaks lines: free form allows 132 characters."""
    lines, line = [], first
    for i, word in enumerate(words):
        word += ", " if i + 1 < len(words) else ""
        if len(line) + len(word) > width:
            lines.append(line + "&")
            line = "      "
        line += word
    return "\n".join([*lines, line])


def has_buffers(arguments):
    return any(kind == "buffer" for _, kind in arguments)


def procedure(name, arguments, optional, body=(), pointers="type(c_ptr)"):
    """A subroutine, or, without a body, its interface."""
    names = [one for one, _ in arguments] + ["ierror"]
    anything = [one for one, kind in arguments if kind == ""]
    bound = f" bind(C, name='{name.lower()}')" if has_buffers(arguments) else ""
    lines = [wrapped(names, f"subroutine {name}(") + ")" + bound]
    if any(kind == "pointer" for _, kind in arguments):
        lines += ["  use, intrinsic :: iso_c_binding, only: c_ptr", *[f"  {pointers} :: {one}" for one, kind in arguments if kind == "pointer"]]
    lines += [f"  type(*), dimension(..) :: {one}" for one, kind in arguments if kind == "buffer"]
    lines += [f"  !dir$ ignore_tkr(tkrdm) {one}" for one in anything if not body]  # only interfaces need it
    lines += [f"  integer :: {one}" for one in anything]
    lines += [f"  character(len=*) :: {one}{'(*)' if kind == 'strings' else ''}" for one, kind in arguments if kind.startswith("string")]
    lines += [f"  external :: {one}" for one, kind in arguments if kind == "procedure"]
    lines += [f"  integer{', optional' if optional else ''} :: ierror", *body, "end subroutine"]
    return "\n".join(lines)


def module_mpif():
    return "module photofinish_mpif\n  include 'mpif.h'\nend module"


def module_mpi(known):
    parts = ["module mpi", "  use photofinish_mpif"]
    for name, arguments in known.items():
        if has_buffers(arguments):
            parts.append(f"interface {name}\n{procedure(PREFIX + name, arguments, True)}\nend interface")
        elif any(kind == "pointer" for _, kind in arguments):  # the pointer may be a number, too
            number = procedure(name, arguments, False, pointers="integer(kind=8)")
            parts.append(f"interface {name}\n{number}\n{procedure(PREFIX + name, arguments, True)}\nend interface")
        else:
            parts.append(f"interface\n{procedure(name, arguments, False)}\nend interface")
    return "\n".join([*parts, "end module"])


def module_types(values):
    handles = {name: handle for name, handle in values.items() if handle}
    parts = ["module mpi_f08_types"]
    parts += [wrapped([f"pf_{name} => {name}" for name in handles], "  use photofinish_mpif, ")]
    parts += [wrapped([f"pf_{name}" for name in handles], "  private :: ")]
    for handle in HANDLES:
        parts.append(f"  type, bind(C) :: MPI_{handle}\n    integer :: MPI_VAL\n  end type")
    parts.append("  integer, parameter, private :: ahead = MPI_SOURCE - 1, behind = MPI_STATUS_SIZE - MPI_ERROR")
    parts.append("  type :: MPI_Status\n    sequence\n    integer, private :: first(ahead)\n    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR\n"
                 "    integer, private :: last(behind)\n  end type")
    parts += [f"  type(MPI_{handle}), parameter :: {name} = MPI_{handle}(pf_{name})" for name, handle in handles.items()]
    for operator, short in (("==", "eq"), ("/=", "ne")):
        parts.append(f"  interface operator({operator})\n" + "\n".join(f"    module procedure {handle}_{short}" for handle in HANDLES) + "\n  end interface")
        parts += [f"  private :: {handle}_{short}" for handle in HANDLES]
    parts.append("contains")
    for operator, short in (("==", "eq"), ("/=", "ne")):
        for handle in HANDLES:
            parts.append(f"elemental logical function {handle}_{short}(a, b)\n  type(MPI_{handle}), intent(in) :: a, b\n"
                         f"  {handle}_{short} = a%MPI_VAL {operator} b%MPI_VAL\nend function")
    return "\n".join([*parts, "end module"])


def module_f08(known):
    interfaces = "\n".join(f"interface {name}\n{procedure(PREFIX + name, arguments, True)}\nend interface" for name, arguments in known.items())
    return f"module mpi_f08\n  use mpi_f08_types\n{interfaces}\nend module"


def procedures_in_fortran(known):
    parts = []
    for name, arguments in known.items():
        if has_buffers(arguments):
            continue
        body = ["  external :: " + name, "  integer :: error", wrapped([one for one, _ in arguments] + ["error"], f"  call {name}(") + ")",
                "  if (present(ierror)) ierror = error"]
        parts.append(procedure(PREFIX + name, arguments, True, body))
    return "\n".join(parts)


def procedures_in_c(known):
    parts = ['#include "section.h"']
    for name, arguments in known.items():
        if not has_buffers(arguments):
            continue
        buffers = [one for one, kind in arguments if kind == "buffer"]
        taken = ", ".join([f"{'CFI_cdesc_t' if one in buffers else 'void'}* {one}" for one, _ in arguments] + ["int* ierror"])
        passed = ", ".join([f"{one}_.begin" if one in buffers else one for one, _ in arguments] + ["&error"])
        lower = name.lower()
        parts.append("\n".join([
            f"void {lower}_({', '.join(['void*'] * len(arguments) + ['int*'])});",
            f"void {PREFIX}{lower}({taken}) {{",
            "  int error = 0;",
            *[f"  struct section {one}_ = begin_section({one});" for one in buffers],
            f"  {lower}_({passed});",
            *[f"  photofinish_mpi_end_section(&{one}_);" for one in buffers],
            "  if (ierror) *ierror = error;",
            "}"]))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description="Writes Fortran modules for an MPI library.")
    parser.add_argument("--include", type=Path, action="append", required=True)
    parser.add_argument("outputs", type=Path, nargs=3)
    arguments = parser.parse_args()
    known, values = calls(arguments.include), constants(arguments.include)
    modules = "\n\n".join([module_mpif(), module_mpi(known), module_types(values), module_f08(known)])
    for path, comment, text in zip(arguments.outputs, ("!", "!", "//"), (modules, procedures_in_fortran(known), procedures_in_c(known))):
        path.write_text(f"{comment} Written by make_modules.py.\n{text}\n")


if __name__ == "__main__":
    main()

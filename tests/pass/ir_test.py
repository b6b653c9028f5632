#!/usr/bin/env python3
"""What the pass puts into IR, and what it says it did.

  ir_test.py --pass PLUGIN --opt OPT FILE.ll…

Comments in front of a function, all of it that is said about it:

  ; hooks: store 4, range load, release    the calls of hooks in the function, in its order; also `gather load`; `none`
  ; tests: 1                               so many tests of a mark, or of the bounds of all that is shared
  ; copy: yes                              it begins with a choice: to call its copy, which has no hooks; or `no`
  ; loops: 1                               so many of its loops have a copy beside them, without hooks
  ; ahead: 2 spaced, 1 around            its copy with values asks for so many ranges, and pointers, in front of its loops; or `none`
  ; remark: Dropped …                      the pass's remark of this name has this text, or more behind it

Every function has a line about its hooks. `; passes: …` in a file: these, not the pass alone. The IR that comes out is one that LLVM's verifier takes.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WRITES, RELEASES, BYTES = 1 << 63, 1 << 62, (1 << 56) - 1
STATE = "@__photofinish_state_10"


def expectations(path):
    """By function: hooks, tests or none, remarks, whether it has a copy, how many of its loops have, what is asked ahead of them."""
    found, about = {}, []
    for line in path.read_text().splitlines():
        if comment := re.match(r"; (hooks|tests|remark|copy|loops|ahead): (.*)$", line):
            about.append(comment.groups())
        elif define := re.match(r"define .*@(\w+)\(", line):
            hooks = [text for kind, text in about if kind == "hooks"]
            if len(hooks) != 1:
                raise SystemExit(f"{path.name}: @{define[1]} has {len(hooks)} lines about its hooks")
            tests = [int(text) for kind, text in about if kind == "tests"]
            found[define[1]] = (hooks[0], tests[0] if tests else None, [text for kind, text in about if kind == "remark"],
                                [text for kind, text in about if kind == "copy"], [int(text) for kind, text in about if kind == "loops"], [text for kind, text in about if kind == "ahead"])
            about = []
    return found


def functions(text):
    return {name: body for name, body in re.findall(r"^define [^\n]*@([\w.]+)\([^\n]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)}


def hooks_of(body):
    hooks = []
    ored = {name: int(value) % (1 << 64) for name, value in re.findall(r"(%[\w.]+) = or i64 [^,]+, (-?\d+)$", body, re.MULTILINE)}
    for call in re.findall(r"call (?:preserve_\w+ )?void (?:%[\w.]+|@__photofinish_(?:tell_5|set_1)(?:_avx)?(?:_most)?)\((ptr @__photofinish_site[^\n]*)\)", body):
        words = [word.strip() for word in call.split(", ")]
        bytes_ = words[2].split()[-1]
        number = ored.get(bytes_, 0) if bytes_.startswith("%") else int(bytes_) % (1 << 64)
        kind = "release" if number & RELEASES else "store" if number & WRITES else "load"
        if kind == "release":
            hooks.append(kind)
        elif len(words) == 3:
            hooks.append(f"{kind} {number & BYTES}")
        else:
            hooks.append(f"{'gather' if len(words) == 6 else 'range'} {kind}")
    return ", ".join(hooks) or "none"


def tests_of(body):
    marks = len(re.findall(r"getelementptr inbounds (?:nuw )?(?:i8|\[[^]]*\]), ptr " + STATE, body))
    return marks or len(re.findall(r"br i1 [^\n]*!prof", body))


def ahead_of(body):
    """Of a copy with values. A loop that may not end asks again; that is one question."""
    spaced = len(re.findall(r"call i64 @__photofinish_ahead_\d", body))
    around = len(re.findall(r"call ptr @__photofinish_behind_\d", body)) - body.count("%pf.rounds = alloca")
    return f"{spaced} spaced, {around} around" if spaced or around else "none"


def remarks_of(text):
    """By function: each remark's name and text."""
    found = {}
    for document in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]:
        name = re.search(r"^Name: +(\S+)", document, re.MULTILINE)[1]
        function = re.search(r"^Function: +'?([^\s']+)", document, re.MULTILINE)[1]
        words = re.findall(r"^  - \w+: +(.*)$", document, re.MULTILINE)
        plain = "".join(word[1:-1] if word[:1] in "'\"" else word for word in words)
        found.setdefault(function, []).append(f"{name} {plain}")
    return found


def check(arguments, path, folder):
    remarks = folder / "remarks.yaml"
    remarks.unlink(missing_ok=True)
    passes = re.search(r"^; passes: (.*)$", path.read_text(), re.MULTILINE)
    command = [arguments.opt, f"-load-pass-plugin={arguments.plugin}", f"-passes={passes[1] if passes else 'photofinish'},verify", f"-pass-remarks-output={remarks}", "-S", str(path), "-o", "-"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if made.returncode != 0:
        return [f"{path.name}: {' '.join(command)}\n{made.stderr}"]
    bodies, said = functions(made.stdout), remarks_of(remarks.read_text() if remarks.exists() else "")
    problems = []
    for name, (hooks, tests, texts, copies, loops, ahead) in expectations(path).items():
        body = bodies[name]
        if hooks_of(body) != hooks:
            problems.append(f"{path.name}: @{name} has hooks: {hooks_of(body)}, not: {hooks}\n{body}")
        if tests is not None and tests_of(body) != tests:
            problems.append(f"{path.name}: @{name} has {tests_of(body)} tests, not {tests}\n{body}")
        # The choice of a copy with values comes first, that of one without tests behind it.
        choices = re.findall(rf"@{re.escape(name)}\.with\w+\(", body.partition("loop:")[0])
        values = bodies.get(f"{name}.with_values")
        copy = bodies.get(f"{name}.without_tests")
        if choices != ([f"@{name}.with_values("] if values else []) + ([f"@{name}.without_tests("] if copy else []):
            problems.append(f"{path.name}: @{name} does not begin with the choices: {choices}\n{body}")
        if copy and STATE in copy:
            problems.append(f"{path.name}: @{name} has a copy with tests\n{copy}")
        for wanted in copies:
            if wanted not in ("yes", "no") or bool(copy) != (wanted == "yes"):
                problems.append(f"{path.name}: @{name} has {'a' if copy else 'no'} copy, wanted: {wanted}\n{body}")
        chosen = re.findall(r"br i1 %\d+, label %[\w.]+, label %[\w.]+\.without_tests\d*$", body, re.MULTILINE)
        for wanted in loops:
            if len(chosen) != wanted:
                problems.append(f"{path.name}: @{name} has copies of {len(chosen)} loops, wanted: {wanted}\n{body}")
        for wanted in ahead:
            if ahead_of(values) != wanted:
                problems.append(f"{path.name}: @{name} asks ahead: {ahead_of(values)}, wanted: {wanted}\n{values}")
        for text in texts:
            if not any(one.startswith(text) for one in said.get(name, [])):
                problems.append(f"{path.name}: @{name} has no remark: {text}\n  " + "\n  ".join(said.get(name, ["none"])))
    return problems


def main():
    parser = argparse.ArgumentParser(description="The pass on IR.")
    parser.add_argument("--pass", dest="plugin", required=True)
    parser.add_argument("--opt", required=True)
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pf-") as name:
        problems = [problem for path in arguments.files for problem in check(arguments, path, Path(name))]
    print("\n".join(problems))
    print(f"{len(arguments.files)} files, {sum(len(expectations(path)) for path in arguments.files)} functions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

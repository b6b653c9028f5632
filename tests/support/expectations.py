"""Parses the directives in the comments of a test program: how it is built and run, and what its trace or report must show.

The syntax is described in run_program.py. Parsing is strict: a line that looks like an expectation and is none is an error,
because a typo must not turn a test into a comment.
"""
import difflib
import re
import shlex
from dataclasses import dataclass, field

KEYWORDS = ("run", "build", "output", "expect")
MARK = re.compile(r"(?:/\*|!)\{([\w-]+)\}")
RACE_SIDE = r"(load|store|release|get|put|accumulate|atomic|update) @\{([\w-]+)\}"
COMMENT = re.compile(r"\s*(//|/\*|\*|!)(\s*)([A-Za-z]+)(.*)$")  # matches whole-line comments only


class BadProgram(Exception):
    """The test program itself is wrong."""


@dataclass
class Expectation:
    line: int
    text: str
    kind: str  # "event", "define", "end", "distinct"
    ranks: str = ""
    negated: bool = False
    count: int = -1
    mpi: str = "both"
    tokens: list = field(default_factory=list)


@dataclass
class Race:
    line: int
    text: str
    sides: list  # of (kind, mark): two; or a receive and the sends that it could have matched
    how: str = ""  # "by hand", "with the pass", or "" for both
    always: bool = False  # in the fixed form, too
    state: str = ""  # after `photofinish confirm`; "": not confirmed


@dataclass
class Program:
    ranks: int = 4
    mpi: str = "both"
    args: list = field(default_factory=list)
    exit: str = "0"
    timeout: float = 60
    env: dict = field(default_factory=dict)
    flags: list = field(default_factory=list)
    libs: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    headers: list = field(default_factory=list)  # of its folder
    outputs: list = field(default_factory=list)  # (line, text), of the fixed form if there are two
    outputs_buggy: list = field(default_factory=list)
    expectations: list = field(default_factory=list)
    races: list = field(default_factory=list)
    verdicts: dict = field(default_factory=dict)  # "deterministic", "independent of send buffering": whether that holds for the buggy form; it holds for the fixed one
    reports: list = field(default_factory=list)  # (line, text, form): a line of the report of that form; None: of both
    no_race: bool = False
    deadlock: bool = False  # the buggy form never ends by itself

    @property
    def two_forms(self):
        return self.deadlock or any(not race.always for race in self.races) or not all(self.verdicts.values())

    @property
    def about_races(self):
        return self.no_race or self.deadlock or bool(self.races) or bool(self.verdicts)


def looks_like_keyword(word, rest):
    """Prose may begin with `runs`, but `runs:` is a typo."""
    word = word.lower()
    if word in KEYWORDS:
        return True
    named = rest.startswith(":")
    likeness = max(difflib.SequenceMatcher(None, word, key).ratio() for key in KEYWORDS if named or len(key) > 3)
    return likeness >= (0.6 if named else 0.8)


def parse_settings(program, keyword, text):
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"'{word}' is not key=value")
        if keyword == "run" and key == "ranks":
            program.ranks = int(value)
        elif keyword == "run" and key == "mpi" and value in ("both", "openmpi", "mpich"):
            program.mpi = value
        elif keyword == "run" and key == "args":
            program.args = shlex.split(value)
        elif keyword == "run" and key == "exit" and re.fullmatch(r"\d+|nonzero", value):
            program.exit = value
        elif keyword == "run" and key == "timeout":
            program.timeout = float(value)
        elif keyword == "run" and key == "env":
            name, _, setting = value.partition(":")
            program.env[name] = setting
        elif keyword == "build" and key == "flags":
            program.flags += shlex.split(value)
        elif keyword == "build" and key == "lib":
            program.libs.append(value)
        elif keyword == "build" and key == "source":
            program.sources.append(value)
        else:
            raise ValueError(f"unknown setting '{word}'")


def parse_race(program, line, text):
    """Parses ` race: put @{a} get @{b}`, ` no race` and similar ones. Returns whether it was one of them."""
    if re.match(r" no race\b", text):
        if text.rstrip() != " no race":
            raise ValueError("wanted 'expect no race'")
        program.no_race = True
        return True
    if text.rstrip() == " deadlock":
        program.deadlock = True
        return True
    if verdict := re.fullmatch(r" (not )?(deterministic|independent of send buffering)", text.rstrip()):
        program.verdicts[verdict[2]] = not verdict[1]
        return True
    if re.match(r" report\b", text):
        report = re.fullmatch(r" report(?: (buggy|fixed))?: (\S.*)", text.rstrip())
        if not report:
            raise ValueError("wanted 'expect report: a line of it', 'expect report buggy: …' or 'expect report fixed: …'")
        program.reports.append((line, report[2], report[1]))
        return True
    if re.match(r" message race\b", text):
        race = re.fullmatch(rf" message race( always)?: (receive|probe) @{{([\w-]+)}}((?: send @{{[\w-]+}})+)", text.rstrip())
        if not race:
            raise ValueError("wanted 'expect message race: receive @{mark} send @{mark} …', or probe")
        sends = [("send", mark) for mark in re.findall(r"@{([\w-]+)}", race[4])]
        program.races.append(Race(line, text, [(race[2], race[3]), *sends], always=bool(race[1])))
        return True
    if re.match(r" (confirmed|not reproduced)\b", text):
        race = re.fullmatch(rf" (confirmed(?:, harmful|, unstable|, effect unknown|, same outcome)?|not reproduced): (?:{RACE_SIDE} {RACE_SIDE}|receive @{{([\w-]+)}}((?: send @{{[\w-]+}})+))",
                            text.rstrip())
        if not race:
            raise ValueError("wanted 'expect STATE: KIND @{mark} KIND @{mark}' or 'receive @{mark} send @{mark} …', with confirmed, confirmed, harmful, "
                             "unstable, effect unknown or same outcome, or not reproduced")
        sides = [(race[2], race[3]), (race[4], race[5])]
        if race[6]:
            sides = [("receive", race[6]), *(("send", mark) for mark in re.findall(r"@{([\w-]+)}", race[7]))]
        program.races.append(Race(line, text, sides, state=race[1]))
        return True
    if not re.match(r" race\b", text):
        return False
    race = re.fullmatch(rf" race(?: (by hand|with the pass))?: {RACE_SIDE} {RACE_SIDE}", text.rstrip())
    if not race:
        raise ValueError("wanted 'expect race: KIND @{mark} KIND @{mark}', of load, store, release, get, put, accumulate, atomic, update")
    program.races.append(Race(line, text, [(race[2], race[3]), (race[4], race[5])], race[1] or ""))
    return True


def parse_expectation(line, text):
    head, colon, body = text.partition(": ")
    if not colon or not body.strip():
        raise ValueError("wanted 'expect …: what'")
    expectation = Expectation(line, text, "event", tokens=body.split())
    words = head.split()
    while words:
        word = words.pop(0)
        key, equals, value = word.partition("=")
        if word == "not":
            expectation.negated = True
        elif word in ("define", "end", "distinct"):
            expectation.kind = word
        elif word == "rank" and words and re.fullmatch(r"all|\d+(-\d+)?(,\d+(-\d+)?)*", words[0]):
            expectation.ranks = words.pop(0)
        elif key == "count" and value.isdigit():
            expectation.count = int(value)
        elif key == "mpi" and value in ("openmpi", "mpich"):
            expectation.mpi = value
        else:
            raise ValueError(f"'{word}' means nothing here")
    if (expectation.kind == "distinct") == bool(expectation.ranks):
        raise ValueError("which rank?" if not expectation.ranks else "'distinct' has no rank")
    return expectation


def parse_program(path):
    program = Program()
    marker = "!" if path.suffix == ".f90" else "//"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if (included := re.match(r'#include "([\w.]+)"', line)) and (path.parent / included[1]).exists():
            program.headers.append(included[1])
        comment = COMMENT.match(line)
        if not comment or not looks_like_keyword(comment[3], comment[4]):
            continue
        prefix, space, keyword, rest = comment.groups()
        try:
            if prefix != marker or space != " " or keyword not in KEYWORDS:
                raise ValueError(f"not one of {', '.join(f'{marker} {key}' for key in KEYWORDS)}, but close")
            if keyword == "expect":
                if not parse_race(program, number, rest):
                    program.expectations.append(parse_expectation(number, rest))
                continue
            outputs = program.outputs
            if keyword == "output" and rest.startswith(" buggy: "):
                outputs, rest = program.outputs_buggy, rest[len(" buggy"):]
            if not rest.startswith(": ") or not rest[2:].strip():
                raise ValueError(f"wanted '{marker} {keyword}: …'")
            if keyword == "output":
                outputs.append((number, rest[2:].strip()))
            else:
                parse_settings(program, keyword, rest[2:])
        except ValueError as error:
            raise BadProgram(f"{path}:{number}: {error}: {line.strip()}") from None
    if bool(program.expectations) + bool(program.races or program.verdicts or program.no_race or program.deadlock) != 1 or ((program.races or program.deadlock) and program.no_race):
        raise BadProgram(f"{path}: wanted events, or races, or 'expect no race', and one of these only")
    if program.reports and not program.about_races:
        raise BadProgram(f"{path}: 'expect report', but nothing about races")
    if not program.two_forms and any(form for _, _, form in program.reports):
        raise BadProgram(f"{path}: 'expect report' of one form, and there are no two")
    if program.outputs_buggy and not program.two_forms:
        raise BadProgram(f"{path}: 'output buggy', but no race")
    if program.about_races and program.exit != "0":
        raise BadProgram(f"{path}: the exit code says whether there are findings")
    if not program.outputs:
        raise BadProgram(f"{path}: no output, so nothing says that the program got to its end")
    return program


def find_marks(paths):
    """A {name} in a comment after a statement names the line on which the call in that statement begins."""
    marks = {}
    for path in paths:
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            for name in MARK.findall(line):
                if name in marks:
                    raise BadProgram(f"{path}:{number}: a second mark {{{name}}}")
                marks[name] = f"{path.name}:{first_line_of_call(lines, number)}"
    return marks


def first_line_of_call(lines, number):
    """A call that spans several lines is reported at the first of them."""
    open_calls = 0
    while True:
        code = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", lines[number - 1])
        open_calls += code.count("(") - code.count(")")
        if open_calls >= 0 or number == 1:
            return number
        number -= 1


# --- patterns

VALUE = r"[^\s;,\[\]=:()+{}]+"


def pattern_regex(pattern, bound, shared, captured):
    """`*` matches anything, $name matches one value wherever the name is used, ${name+8} is an address."""
    regex = ""
    for part in re.split(r"(\*|\$\{[A-Za-z]\w*\+\d+\}|\$[A-Za-z]\w*)", pattern):
        if part == "*":
            regex += ".*"
        elif part.startswith("${"):
            name, offset = part[2:-1].split("+")
            value = (shared if name[0].isupper() else bound).get(name)
            if value is None:
                raise BadProgram(f"{part} before ${name} has a value")
            regex += re.escape(hex(int(value, 16) + int(offset)))
        elif part.startswith("$"):
            name = part[1:]
            value = (shared if name[0].isupper() else bound).get(name)
            if value is not None:
                regex += re.escape(value)
            elif name in captured:
                regex += f"(?P={name})"
            else:
                captured.append(name)
                regex += f"(?P<{name}>{VALUE})"
        else:
            regex += re.escape(part)
    return regex


def match_tokens(patterns, tokens, bound, shared):
    """Each pattern matches a different token, those of one key in order; !pattern matches none. Returns the new bindings, or None."""
    for pattern in patterns:
        if pattern.startswith("!"):
            if any(match_one(pattern[1:], token, bound, shared) is not None for token in tokens):
                return None
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]

    def search(i, behind, found):
        if i == len(wanted):
            return found
        key = wanted[i].partition("=")[0]
        for k in range(behind.get(key, 0), len(tokens)):
            here = match_one(wanted[i], tokens[k], {**bound, **found}, {**shared, **found})
            if here is not None:
                rest = search(i + 1, {**behind, key: k + 1}, {**found, **here})
                if rest is not None:
                    return rest
        return None

    return search(0, {}, {})


def match_one(pattern, token, bound, shared):
    match = re.fullmatch(pattern_regex(pattern, bound, shared, []), token)
    return None if match is None else match.groupdict()


def match_site(pattern, frames, marks):
    """@inner<caller<…: each a function, file.c:12 or {mark}; a suffix (inlined) requires an inlined frame."""
    parts = pattern[1:].split("<")
    if len(frames) < len(parts):
        return False
    for part, frame in zip(parts, frames):
        if part.endswith("(inlined)"):
            if not frame["inlined"]:
                return False
            part = part[: -len("(inlined)")]
        if part.startswith("{"):
            if part[1:-1] not in marks:
                raise BadProgram(f"no line is marked {part}")
            part = marks[part[1:-1]]
        if not any(match_one(part, text, {}, {}) is not None for text in (frame["function"], frame["place"])):
            return False
    return True

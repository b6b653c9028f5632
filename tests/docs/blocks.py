"""What a Markdown page shows: its fenced blocks, with what the comment in front of each says about them.

  <!-- run: varies="got [07]" -->     a note for the runner; it stands on a line of its own, right in front of the block
  ```console
  $ photofinish check -n 3 ./race     a command; a line that ends with \\ goes on
  got 0                               what it prints
  ```

Notes of a block, separated by blanks:
  exit=N            the last command ends with N; otherwise with 0, or 66 for findings
  varies="REGEX"    lines that match it, as a whole, may come out otherwise (as another line that matches), or not at all
  not="REASON"      is not run; the reason says why
  from="FILE"       a block of source text: it must stand in FILE, as it is but for its indentation
  interrupt=N       the last command is interrupted after N seconds, as with Ctrl-C
"""
import re
import shlex

KEYS = {"exit", "varies", "not", "from", "interrupt"}


class Block:
    def __init__(self, page, line, language, notes, text):
        self.page, self.line, self.language, self.notes, self.text = page, line, language, notes, text

    def where(self):
        return f"{self.page}:{self.line}"

    def sessions(self):
        """(command, lines that it is shown to print), one after the other."""
        found, lines = [], iter(self.text.split("\n"))
        for line in lines:
            if line.startswith("$ "):
                command = line[2:]
                while command.endswith("\\"):
                    command += "\n" + next(lines)
                found.append((command, []))
            elif found:
                found[-1][1].append(line)
            elif line.strip():
                raise ValueError(f"{self.where()}: output before any command: {line}")
        return found

    def lines_of_commands(self):
        """Of a block of commands without output: each with its comment taken away."""
        commands = []
        for line in self.text.split("\n"):
            command = re.sub(r"(^|\s+)#.*$", "", line).strip()
            if command:
                commands.append(command)
        return commands


def parse_notes(text, where):
    notes = {}
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if key not in KEYS or not equals:
            raise ValueError(f"{where}: there is no note '{word}': it takes {', '.join(sorted(KEYS))}, each with =")
        notes[key] = value
    return notes


def blocks_of(page, text):
    found, notes, fence = [], {}, None
    for number, line in enumerate(text.split("\n"), 1):
        if fence is not None:
            if line.strip() == "```":
                found.append(Block(page, fence[0], fence[1], fence[2], "\n".join(fence[3])))
                fence = None
            else:
                fence[3].append(line)
            continue
        note = re.fullmatch(r"<!-- run: (.*) -->", line)
        opened = re.fullmatch(r"```(\w*)", line)
        if note:
            notes = parse_notes(note.group(1), f"{page}:{number}")
        elif opened:
            fence = (number, opened.group(1), notes, [])
            notes = {}
        elif line.strip():
            if notes:
                raise ValueError(f"{page}:{number}: the note before it belongs to no block")
    if fence is not None:
        raise ValueError(f"{page}:{fence[0]}: a block that is not closed")
    return found

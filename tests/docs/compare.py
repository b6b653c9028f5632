"""What a page shows beside what was printed. Numbers that measure, and addresses, differ from run to run; `…` stands for anything: alone on a
line, for any lines."""
import re

MEASURES = [
    (re.compile(r"\b\d+(\.\d+)? (k|M|G)?B\b"), "N B"),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "0xADDRESS"),
    (re.compile(r"\b\d+(\.\d+)? (s|ms|seconds)\b"), "N s"),
    (re.compile(r"×\d+"), "×N"),  # confirm repeats an order more often if outcomes vary without steering
]


def plain(line):
    line = re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()
    for pattern, word in MEASURES:
        line = pattern.sub(word, line)
    return line


def pattern_of(line):
    return ".*".join(re.escape(part) for part in plain(line).split("…"))


def difference(shown, printed, varies=None):
    """None if they agree; otherwise what does not, in words."""
    if varies:
        allowed = re.compile(varies)
        # Both sides may have them, or not, and in any place: ranks print when they like.
        for line in shown:
            if not allowed.fullmatch(line) and allowed.search(line):
                return f"'{line}' matches '{varies}' only in part"
        shown = [line for line in shown if not allowed.fullmatch(line)]
        printed = [line for line in printed if not allowed.fullmatch(line.rstrip())]
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    while printed and not printed[-1].strip():
        printed = printed[:-1]
    return match(shown, printed)


def match(shown, printed):
    # Where lines may be left out, everything up to the next shown one is tried, the nearest first.
    if not shown:
        return None if not printed else f"printed, and not shown:\n    {printed[0]}"
    if shown[0].strip() == "…":
        failure = "nothing follows the lines that are left out"
        for skipped in range(len(printed) + 1):
            failure = match(shown[1:], printed[skipped:])
            if failure is None:
                return None
        return f"not printed, behind lines that are left out: {failure}"
    if not printed:
        return f"shown, and not printed:\n    {shown[0]}"
    if not re.fullmatch(pattern_of(shown[0]), plain(printed[0])):
        return f"shown:\n    {shown[0]}\n  printed:\n    {printed[0]}"
    return match(shown[1:], printed[1:])

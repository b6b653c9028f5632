"""The advice that programs with races declare: comments `// try: TEXT`, or with `!`. The text is a part of a line "Try: …"."""
import re


def missing_advice(source, report):
    with open(source, encoding="utf-8") as file:
        declared = re.findall(r"(?m)^(?://|!) try: (.+)$", file.read())
    lines = re.findall(r"(?m)^  Try: .*$", report)
    return [text for text in declared if not any(text in line for line in lines)]

#!/usr/bin/env python3
"""Turns the assembler text of support.cpp into a C++ string literal for the plugin.

  embed.py INPUT.s OUTPUT.inc

Local labels get names of their own, for they meet those of the program. GCC writes a star in front of names given with __asm__ where it
names the group of a section.
"""
import re
import sys
from pathlib import Path

lines = []
for line in Path(sys.argv[1]).read_text().splitlines():
    if re.match(r"\s*\.(file|ident)\b|\s*\.section\s+\.note\.GNU-stack|\s*#", line):
        continue
    line = line.split("\t#")[0]
    line = re.sub(r"\.L(?=[A-Z0-9])", ".Lphotofinish_support_", line)
    line = re.sub(r",\*(?=__photofinish)", ",", line)
    lines.append(line.replace("\\", "\\\\").replace('"', '\\"'))
Path(sys.argv[2]).write_text("".join(f'"{line}\\n"\n' for line in lines))

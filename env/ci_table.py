#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the long checks in docs/reliability.md: ci_table.py list|record PARTS (env/ci.sh --list, --record)"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "docs/reliability.md"
NOTES = TOP / "build/ci/passed"
BEGIN, END = "<!-- ci: begin -->\n", "<!-- ci: end -->"


def rows_of(page):
    """By part: the commit, the day and the time of the last run that passed."""
    body = page[page.index(BEGIN) + len(BEGIN):page.index(END)]
    return {name: tuple(cell.strip() for cell in rest.split("|")[-4:-1])
            for name, rest in re.findall(r"^\| `([^`]*)` \|(.*)$", body, re.MULTILINE)}


def notes():
    """The last note of each part in build/ci/passed."""
    made = {}
    for line in NOTES.read_text().splitlines() if NOTES.exists() else []:
        name, commit, day, seconds = line.split("\t")
        made[name] = (f"`{commit}`", day, f"{int(seconds)} s")
    return made


def main():
    what, text = sys.argv[1:]
    parts = [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]
    page = PAGE.read_text()
    known = rows_of(page)
    if what == "list":
        for name, does in parts:
            commit, day, time = known.get(name, ("", "", ""))
            passed = f"{time}, passed at {commit.strip('`')} on {day}" if commit.strip() else "not recorded"
            print(f"{name:11} {does}\n{'':11} {passed}")
        return
    known.update(notes())
    lines = ["| part | what it does | last passed at | on | took |", "|---|---|---|---|--:|"]
    for name, does in parts:
        lines.append(f"| `{name}` | {does} | " + " | ".join(known.get(name, ("", "", ""))) + " |")
    begin = page.index(BEGIN) + len(BEGIN)
    PAGE.write_text(page[:begin] + "\n".join(lines) + "\n" + page[page.index(END):])


if __name__ == "__main__":
    main()
